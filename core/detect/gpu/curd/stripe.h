// The striped layout (dissertation, figure 6.3): region sets of all threads of a warp, row by row.
//
// A row is what one instruction added: a region of the same size for each of its lanes. Addresses
// that differ by the same amount from lane to lane, as those of nearly all instructions do (also
// one address for all, and a single lane), are kept as base and stride; others lane by lane. So one
// insertion serves a warp, and costs about what a look at its addresses costs; 32 threads that step
// through rows of a matrix stay one row.
//
// A row grows when all its lanes do, by the same bytes: then the set of each of its threads has
// merged, as insert() of region_set.h would. Search is bounded and begins at the last row.
//
// Rows of different warp syncs stay apart (`epoch`): lanes that met there are in order. Host and
// device; memory is the caller's, who makes room for one row, and its addresses, before he inserts.
#pragma once

#include <cstdint>

#include "core/detect/gpu/curd/region_set.h"

namespace redflag::gpu::curd {

inline constexpr std::uint32_t kLanes = 32;
using LaneMask = std::uint32_t;

// Of lanes that are not none.
REDFLAG_HD constexpr unsigned first_lane(LaneMask lanes) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned>(__ffs(static_cast<int>(lanes))) - 1;
#else
  return static_cast<unsigned>(__builtin_ctz(lanes));
#endif
}
REDFLAG_HD constexpr unsigned last_lane(LaneMask lanes) {
#if defined(__CUDA_ARCH__)
  return 31U - static_cast<unsigned>(__clz(static_cast<int>(lanes)));
#else
  return 31U - static_cast<unsigned>(__builtin_clz(lanes));
#endif
}
REDFLAG_HD constexpr unsigned count_lanes(LaneMask lanes) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned>(__popc(lanes));
#else
  return static_cast<unsigned>(__builtin_popcount(lanes));
#endif
}
REDFLAG_HD constexpr bool is_one(LaneMask lanes) {
  return (lanes & (lanes - 1)) == 0;
}

struct Begins {
  std::uint64_t of[kLanes];
};

struct Row {
  std::uint64_t base = 0;   // even: of lane 0, active or not
  std::int64_t stride = 0;  // even
  std::uint32_t size = 0;   // bytes of each lane
  LaneMask lanes = 0;
  Source source;
  std::uint32_t scattered = 0;  // 0: even; else 1 + where its addresses are
  std::uint32_t epoch = 0;      // of its warp: syncs before
  bool kept = false;            // of lanes that ended, from before the last barrier
};

// The rows of a warp on one side (reads, writes) and in one memory.
struct Stripe {
  Row* rows = nullptr;
  Begins* begins = nullptr;
  std::uint32_t count = 0;
  std::uint32_t scattered = 0;

  REDFLAG_HD constexpr std::uint64_t begin(const Row& row, unsigned lane) const {
    if (row.scattered != 0) return begins[row.scattered - 1].of[lane];
    return row.base + static_cast<std::uint64_t>(row.stride) * lane;
  }
  REDFLAG_HD constexpr Region region(const Row& row, unsigned lane) const {
    return {begin(row, lane), row.size, row.source};
  }
};

// What a warp's instruction accesses.
struct WarpAccess {
  const std::uint64_t* address = nullptr;  // kLanes of them, valid where `lanes` has the bit
  LaneMask lanes = 0;
  std::uint32_t size = 0;
  std::uint32_t site = 0;
  std::uint32_t epoch = 0;
};

struct Shape {
  bool even = false;
  std::uint64_t base = 0;
  std::int64_t stride = 0;
};

REDFLAG_HD constexpr Shape shape_of(const std::uint64_t* address, LaneMask lanes) {
  const unsigned first = first_lane(lanes);
  if (is_one(lanes)) return {true, address[first], 0};
  const unsigned second = first_lane(lanes & (lanes - 1));
  const auto step = static_cast<std::int64_t>(address[second] - address[first]);
  const auto between = static_cast<std::int64_t>(second - first);
  const std::int64_t stride = between == 1 ? step : step / between;
  const std::uint64_t base = address[first] - static_cast<std::uint64_t>(stride) * first;
  std::uint64_t odd = 0;  // bits in which any lane is not where the first two say
  std::uint64_t expected = base;
  if (lanes == ~LaneMask{0}) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      odd |= address[lane] ^ expected;
      expected += static_cast<std::uint64_t>(stride);
    }
  } else {
    for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      const unsigned lane = first_lane(rest);
      odd |= address[lane] ^ (base + static_cast<std::uint64_t>(stride) * lane);
    }
  }
  constexpr std::int64_t kFar = std::int64_t{1} << 40;  // no memory is that large
  return {odd == 0 && stride < kFar && stride > -kFar, base, stride};
}

// Where regions of `size` bytes lie that begin `offset` behind those of a row.
enum class Fit : std::uint8_t { kApart, kInside, kGrows };
REDFLAG_HD constexpr Fit fit(std::int64_t offset, std::uint32_t size, std::uint32_t row_size) {
  const auto limit = static_cast<std::int64_t>(kMostBytes) / 2;
  if (offset < -limit || offset > limit) return Fit::kApart;
  const std::int64_t end = offset + size;
  if (offset >= 0 && end <= row_size) return Fit::kInside;
  return offset <= row_size && end >= 0 ? Fit::kGrows : Fit::kApart;
}

// Takes the access into the row, if the row's lanes all grow alike or have it already.
REDFLAG_HD constexpr bool take_in(Stripe& stripe, Row& row, const WarpAccess& access,
                                  const Shape& shape) {
  if (row.epoch != access.epoch || row.kept || (row.scattered != 0) == shape.even) return false;
  const bool same_lanes = row.lanes == access.lanes;
  std::int64_t offset = 0;
  if (shape.even) {
    if (row.stride != shape.stride) return false;
    offset = static_cast<std::int64_t>(shape.base - row.base);
  } else {
    if ((access.lanes & ~row.lanes) != 0) return false;
    const Begins& begins = stripe.begins[row.scattered - 1];
    const unsigned first = first_lane(access.lanes);
    offset = static_cast<std::int64_t>(access.address[first] - begins.of[first]);
    for (LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
      const unsigned lane = first_lane(rest);
      if (access.address[lane] - begins.of[lane] != static_cast<std::uint64_t>(offset)) {
        return false;
      }
    }
  }
  const Fit how = fit(offset, access.size, row.size);
  if (how == Fit::kApart) return false;
  if (how == Fit::kInside && (access.lanes & ~row.lanes) == 0) {
    row.source = merged(row.source, Source{access.site, 1});
    return true;
  }
  if (shape.even && offset == 0 && access.size == row.size) {  // the same for more lanes
    row.lanes |= access.lanes;
  } else if (same_lanes) {
    const std::int64_t begin = offset < 0 ? offset : 0;
    const std::int64_t end = offset + access.size > row.size ? offset + access.size : row.size;
    if (end - begin > static_cast<std::int64_t>(kMostBytes)) return false;
    row.base += static_cast<std::uint64_t>(begin);
    row.size = static_cast<std::uint32_t>(end - begin);
    if (row.scattered != 0 && begin != 0) {
      Begins& begins = stripe.begins[row.scattered - 1];
      for (std::uint64_t& each : begins.of) each += static_cast<std::uint64_t>(begin);
    }
  } else {
    return false;
  }
  row.source = merged(row.source, Source{access.site, 1});
  return true;
}

// There is room for one more row and one more Begins.
REDFLAG_HD constexpr Insertion insert(Stripe& stripe, const WarpAccess& access,
                                      std::uint32_t most) {
  const Shape shape = shape_of(access.address, access.lanes);
  const std::uint32_t stop = stripe.count > most ? stripe.count - most : 0;
  for (std::uint32_t at = stripe.count; at > stop; --at) {
    Row& row = stripe.rows[at - 1];
    if (!take_in(stripe, row, access, shape)) continue;
    if (at == stripe.count) return Insertion::kLast;
    const Row moved = row;
    for (std::uint32_t i = at; i < stripe.count; ++i) stripe.rows[i - 1] = stripe.rows[i];
    stripe.rows[stripe.count - 1] = moved;
    return Insertion::kCached;
  }
  Row& row = stripe.rows[stripe.count++];
  row = {};
  row.size = access.size;
  row.lanes = access.lanes;
  row.source = Source{access.site, 1};
  row.epoch = access.epoch;
  if (shape.even) {
    row.base = shape.base;
    row.stride = shape.stride;
    return Insertion::kAdded;
  }
  Begins& begins = stripe.begins[stripe.scattered++];
  for (unsigned lane = 0; lane < kLanes; ++lane) begins.of[lane] = access.address[lane];
  row.scattered = stripe.scattered;
  return Insertion::kAdded;
}

}  // namespace redflag::gpu::curd
