#include "frontends/pgas/mpi/types.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <span>

namespace redflag::pgas::mpi {
namespace {

constexpr std::uint16_t kOtherType = 0xffff;

struct Contents {
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
};

void add(std::vector<Piece>& pieces, std::uint64_t offset, std::uint64_t size) {
  if (size == 0) return;
  if (!pieces.empty() && pieces.back().offset + pieces.back().size == offset) {
    pieces.back().size += size;
  } else {
    pieces.push_back({offset, size});
  }
}

// `count` elements of `part`, `stride` bytes apart, from `at` on.
void repeat(TypeMap& whole, const TypeMap& part, std::int64_t at, std::int64_t count,
            std::int64_t stride) {
  for (std::int64_t k = 0; k < count; ++k) {
    for (const Piece& piece : part.pieces) {
      add(whole.pieces, piece.offset + static_cast<std::uint64_t>(at + k * stride), piece.size);
    }
  }
}

// Of an array of several dimensions: elements from one index to the next, in each.
std::vector<std::int64_t> strides(std::span<const int> size, bool is_c) {
  std::vector<std::int64_t> stride(size.size());
  std::int64_t elements = 1;
  for (std::size_t k = 0; k < size.size(); ++k) {
    const std::size_t d = is_c ? size.size() - 1 - k : k;
    stride[d] = elements;
    elements *= size[d];
  }
  return stride;
}

// Of `size` indices, those of the process at `place` of `places`: in blocks, dealt out in turns.
std::vector<int> dealt(int size, int how, int block, int places, int place) {
  if (how == MPI_DISTRIBUTE_NONE) {
    places = 1;
    place = 0;
  }
  if (block == MPI_DISTRIBUTE_DFLT_DARG) {
    block = how == MPI_DISTRIBUTE_CYCLIC ? 1 : (size + places - 1) / places;
  }
  std::vector<int> indices;
  for (std::int64_t begin = std::int64_t{place} * block; begin < size;
       begin += std::int64_t{places} * block) {
    for (std::int64_t i = begin; i < begin + block && i < size; ++i) {
      indices.push_back(static_cast<int>(i));
    }
    if (how != MPI_DISTRIBUTE_CYCLIC) break;
  }
  return indices;
}

// A process's share of a distributed array (MPI 3.1, section 4.1.4): processes, rank, dimensions, then for each dimension its
// size, how it is dealt out, the block and the number of processes; and the order.
void distributed(TypeMap& whole, const TypeMap& part, std::span<const int> c) {
  const auto dimensions = static_cast<std::size_t>(c[2]);
  const auto of = [&](std::size_t what) { return c.subspan(3 + what * dimensions, dimensions); };
  const bool is_c = c[3 + 4 * dimensions] == MPI_ORDER_C;
  std::vector<std::vector<int>> indices;
  int processes = c[0];
  int rank = c[1];
  for (std::size_t d = 0; d < dimensions; ++d) {
    processes /= of(3)[d];
    indices.push_back(dealt(of(0)[d], of(1)[d], of(2)[d], of(3)[d], rank / processes));
    rank %= processes;
    if (indices.back().empty()) return;
  }
  const std::vector<std::int64_t> stride = strides(of(0), is_c);
  std::vector<std::size_t> index(dimensions, 0);
  for (;;) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < dimensions; ++d) at += indices[d][index[d]] * stride[d];
    repeat(whole, part, at * part.extent, 1, part.extent);
    std::size_t k = 0;  // from the innermost dimension out
    for (; k < dimensions; ++k) {
      const std::size_t d = is_c ? dimensions - 1 - k : k;
      if (++index[d] < indices[d].size()) break;
      index[d] = 0;
    }
    if (k == dimensions) return;
  }
}

// A block of an array of several dimensions: sizes, subsizes and starts in C's order or Fortran's.
void subarray(TypeMap& whole, const TypeMap& part, std::span<const int> c) {
  const auto dimensions = static_cast<std::size_t>(c[0]);
  const auto size = c.subspan(1, dimensions);
  const auto subsize = c.subspan(1 + dimensions, dimensions);
  const auto start = c.subspan(1 + 2 * dimensions, dimensions);
  const bool is_c = c[1 + 3 * dimensions] == MPI_ORDER_C;
  const std::vector<std::int64_t> stride = strides(size, is_c);
  if (std::any_of(subsize.begin(), subsize.end(), [](int n) { return n == 0; })) return;
  const std::size_t inner = is_c ? dimensions - 1 : 0;
  std::vector<int> index(dimensions, 0);
  for (;;) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < dimensions; ++d) at += (start[d] + index[d]) * stride[d];
    repeat(whole, part, at * part.extent, subsize[inner], part.extent);
    std::size_t k = 1;  // the next dimension out
    for (; k < dimensions; ++k) {
      const std::size_t d = is_c ? dimensions - 1 - k : k;
      if (++index[d] < subsize[d]) break;
      index[d] = 0;
    }
    if (k >= dimensions) return;
  }
}

}  // namespace

// The same on all ranks: by its place in the standard's list, not by when it was first seen.
std::uint16_t Types::number(MPI_Datatype predefined) {
  static const std::array kPredefined{
      MPI_CHAR,
      MPI_SIGNED_CHAR,
      MPI_UNSIGNED_CHAR,
      MPI_BYTE,
      MPI_WCHAR,
      MPI_SHORT,
      MPI_UNSIGNED_SHORT,
      MPI_INT,
      MPI_UNSIGNED,
      MPI_LONG,
      MPI_UNSIGNED_LONG,
      MPI_LONG_LONG,
      MPI_UNSIGNED_LONG_LONG,
      MPI_FLOAT,
      MPI_DOUBLE,
      MPI_LONG_DOUBLE,
      MPI_INT8_T,
      MPI_INT16_T,
      MPI_INT32_T,
      MPI_INT64_T,
      MPI_UINT8_T,
      MPI_UINT16_T,
      MPI_UINT32_T,
      MPI_UINT64_T,
      MPI_AINT,
      MPI_OFFSET,
      MPI_COUNT,
      MPI_C_BOOL,
      MPI_C_FLOAT_COMPLEX,
      MPI_C_DOUBLE_COMPLEX,
      MPI_C_LONG_DOUBLE_COMPLEX,
      MPI_FLOAT_INT,
      MPI_DOUBLE_INT,
      MPI_LONG_INT,
      MPI_2INT,
      MPI_SHORT_INT,
      MPI_LONG_DOUBLE_INT,
      MPI_INTEGER,
      MPI_REAL,
      MPI_DOUBLE_PRECISION,
      MPI_LOGICAL,
      MPI_COMPLEX,
      MPI_DOUBLE_COMPLEX,
      MPI_CHARACTER,
      MPI_2INTEGER,
      MPI_2REAL,
      MPI_2DOUBLE_PRECISION,
      MPI_INTEGER1,
      MPI_INTEGER2,
      MPI_INTEGER4,
      MPI_INTEGER8,
      MPI_REAL4,
      MPI_REAL8,
      MPI_PACKED,
  };
  for (std::size_t i = 0; i < kPredefined.size(); ++i) {
    if (kPredefined[i] == predefined) return static_cast<std::uint16_t>(i + 1);
  }
  return kOtherType;
}

// Programs use few types at a time: a thread remembers its last.
const TypeMap& Types::of(MPI_Datatype type) {
  struct Last {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    std::uint64_t freed = 0;
    const TypeMap* map = nullptr;
  };
  thread_local Last last;
  const std::uint64_t freed_before = freed_.load(std::memory_order_acquire);
  if (last.map != nullptr && last.type == type && last.freed == freed_before) return *last.map;
  const TypeMap* known = nullptr;
  {
    const std::lock_guard guard(lock_);
    const auto at = known_.find(type);
    if (at != known_.end()) known = &at->second;
  }
  if (known == nullptr) {
    TypeMap made = take_apart(type);
    const std::lock_guard guard(lock_);
    known = &known_.try_emplace(type, std::move(made)).first->second;
  }
  last = {type, freed_before, known};
  return *known;
}

void Types::freed(MPI_Datatype type) {
  const std::lock_guard guard(lock_);
  known_.erase(type);
  freed_.fetch_add(1, std::memory_order_release);
}

TypeMap Types::take_apart(MPI_Datatype type) {
  TypeMap whole;
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &low, &extent);
  whole.extent = extent;
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
      combiner == MPI_COMBINER_F90_INTEGER || combiner == MPI_COMBINER_F90_COMPLEX) {
    int size = 0;
    PMPI_Type_size(type, &size);
    if (type == MPI_SHORT_INT) {  // the only pair with a gap in it
      whole.pieces = {{0, sizeof(short)}, {sizeof(int), sizeof(int)}};
    } else {
      add(whole.pieces, 0, static_cast<std::uint64_t>(size));
    }
    whole.basic = number(type);
    whole.basic_size = static_cast<std::uint16_t>(std::max(size, 1));
    return whole;
  }
  Contents c;
  c.integers.resize(static_cast<std::size_t>(integers) + 1);
  c.addresses.resize(static_cast<std::size_t>(addresses) + 1);
  c.types.resize(static_cast<std::size_t>(types) + 1);
  PMPI_Type_get_contents(type, integers, addresses, types, c.integers.data(), c.addresses.data(),
                         c.types.data());
  std::vector<TypeMap> parts;
  for (int k = 0; k < types; ++k) {
    const MPI_Datatype part = c.types[static_cast<std::size_t>(k)];
    parts.push_back(take_apart(part));
    int a = 0;
    int b = 0;
    int d = 0;
    int kind = 0;
    PMPI_Type_get_envelope(part, &a, &b, &d, &kind);
    if (kind != MPI_COMBINER_NAMED) {
      MPI_Datatype copy = part;
      PMPI_Type_free(&copy);  // get_contents gave a reference
    }
  }
  const TypeMap& part = parts.front();
  whole.basic = part.basic;
  whole.basic_size = part.basic_size;
  for (const TypeMap& each : parts) {
    if (each.basic != whole.basic) whole.basic = 0;
  }
  const auto i = [&c](std::size_t k) { return std::int64_t{c.integers[k]}; };
  const std::int64_t n = integers > 0 ? i(0) : 0;
  const auto count = static_cast<std::size_t>(n);
  switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      whole.pieces = part.pieces;
      break;
    case MPI_COMBINER_CONTIGUOUS:
      repeat(whole, part, 0, n, part.extent);
      break;
    case MPI_COMBINER_VECTOR:
      for (std::int64_t k = 0; k < n; ++k) {
        repeat(whole, part, k * i(2) * part.extent, i(1), part.extent);
      }
      break;
    case MPI_COMBINER_HVECTOR:
      for (std::int64_t k = 0; k < n; ++k) {
        repeat(whole, part, k * c.addresses[0], i(1), part.extent);
      }
      break;
    case MPI_COMBINER_INDEXED:
      for (std::size_t k = 0; k < count; ++k) {
        repeat(whole, part, i(1 + count + k) * part.extent, i(1 + k), part.extent);
      }
      break;
    case MPI_COMBINER_HINDEXED:
      for (std::size_t k = 0; k < count; ++k) {
        repeat(whole, part, c.addresses[k], i(1 + k), part.extent);
      }
      break;
    case MPI_COMBINER_INDEXED_BLOCK:
      for (std::size_t k = 0; k < count; ++k) {
        repeat(whole, part, i(2 + k) * part.extent, i(1), part.extent);
      }
      break;
    case MPI_COMBINER_HINDEXED_BLOCK:
      for (std::size_t k = 0; k < count; ++k) {
        repeat(whole, part, c.addresses[k], i(1), part.extent);
      }
      break;
    case MPI_COMBINER_STRUCT:
      for (std::size_t k = 0; k < count; ++k) {
        repeat(whole, parts[k], c.addresses[k], i(1 + k), parts[k].extent);
      }
      break;
    case MPI_COMBINER_SUBARRAY:
      subarray(whole, part, c.integers);
      break;
    case MPI_COMBINER_DARRAY:
      distributed(whole, part, c.integers);
      break;
    default: {
      // Of a later standard: from its first byte to its last. Too much, never too little.
      MPI_Aint from = 0;
      MPI_Aint bytes = 0;
      PMPI_Type_get_true_extent(type, &from, &bytes);
      add(whole.pieces, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(bytes));
    }
  }
  return whole;
}

void Types::pieces(MPI_Datatype type, std::int64_t count, std::vector<Piece>& to) {
  const TypeMap& one = of(type);
  to.clear();
  if (one.pieces.size() == 1 && one.pieces[0].size == static_cast<std::uint64_t>(one.extent)) {
    add(to, one.pieces[0].offset, one.pieces[0].size * static_cast<std::uint64_t>(count));
    return;
  }
  TypeMap all;
  all.pieces = std::move(to);
  repeat(all, one, 0, count, one.extent);
  to = std::move(all.pieces);
}

}  // namespace redflag::pgas::mpi
