// wmma.load and wmma.store: a matrix between memory and the registers of a warp.
// (PTX ISA 9.0, sections 9.7.14.4.8 and 9.7.14.4.9.)
//
// The manual does not say which lane holds, or accesses, which element; fragment.h has the places that the
// products use. What is told is one access of each lane, of a 32nd of the matrix in the order of memory:
// each byte once, by some lane, as any hardware may do. Address and stride are those of the first lane; the manual
// wants the same of all. Alignment is asked for of elements only, where hardware may want more.
#include "frontends/cuda/values/fragment.h"

#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/space.h"

namespace redflag::cuda {
namespace {

// Run::address and Run::host of each lane's piece; the bytes of a piece, or 0 after a fault.
std::uint32_t find_pieces(Run& run, const MicroOp& op, const FragmentOp& how, bool writes) {
  const MemoryOp& memory = how.memory;
  const unsigned lines = how.by_column ? how.columns : how.rows;
  const std::uint32_t line = (how.by_column ? how.rows : how.columns) * memory.element;
  const std::uint32_t piece = lines * line / kWarp;
  compute_addresses(run, memory.base, memory.base_bits, memory.offset, run.address);
  const std::uint64_t base = run.address[0];
  const std::uint64_t stride =
      how.stride == kNoRef ? line
                           : std::uint64_t{run.at<std::uint32_t>(how.stride)[0]} * memory.element;
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    const std::uint32_t at = lane * piece;
    run.address[lane] = base + at / line * stride + at % line;
  }
  const Resolved where = resolve_at(memory.space, run, op, piece, memory.element, writes);
  if (!where.good) return 0;
  if (run.machine->sink != nullptr) {
    tell_memory(run, op, memory, writes ? gpu::StepKind::kWrite : gpu::StepKind::kRead, where,
                piece, false);
  }
  return piece;
}

std::byte* find_element(const Run& run, const FragmentOp& how, std::uint32_t piece, unsigned lane,
                        unsigned element) {
  const MatrixPlace at = wmma_element(how.rows, how.columns, how.per_lane, lane, element);
  const unsigned number =
      how.by_column ? at.column * how.rows + at.row : at.row * how.columns + at.column;
  const std::uint32_t byte = number * how.memory.element;
  return reinterpret_cast<std::byte*>(run.host[byte / piece]) + byte % piece;
}

}  // namespace

void do_fragment_load(Run& run, const MicroOp& op) {
  const FragmentOp& how = *static_cast<const FragmentOp*>(op.extra);
  const std::uint32_t piece = find_pieces(run, op, how, false);
  if (piece == 0) return;
  const unsigned bytes = how.memory.element;
  for (unsigned r = 0; r < op.results; ++r) {
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      std::uint64_t word = 0;
      for (unsigned i = 0; i < how.per_register; ++i) {
        std::memcpy(reinterpret_cast<std::byte*>(&word) + std::size_t{i} * bytes,
                    find_element(run, how, piece, lane, r * how.per_register + i), bytes);
      }
      if (bytes == 8) {
        run.at<std::uint64_t>(op.refs[r])[lane] = word;
      } else {
        run.at<std::uint32_t>(op.refs[r])[lane] = static_cast<std::uint32_t>(word);
      }
    }
  }
}

void do_fragment_store(Run& run, const MicroOp& op) {
  const FragmentOp& how = *static_cast<const FragmentOp*>(op.extra);
  const std::uint32_t piece = find_pieces(run, op, how, true);
  if (piece == 0) return;
  run.spins = 0;
  const unsigned bytes = how.memory.element;
  for (unsigned r = 0; r < op.sources; ++r) {
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      const std::uint64_t word = bytes == 8 ? run.at<std::uint64_t>(op.refs[r])[lane]
                                            : run.at<std::uint32_t>(op.refs[r])[lane];
      for (unsigned i = 0; i < how.per_register; ++i) {
        std::memcpy(find_element(run, how, piece, lane, r * how.per_register + i),
                    reinterpret_cast<const std::byte*>(&word) + std::size_t{i} * bytes, bytes);
      }
    }
  }
}

}  // namespace redflag::cuda
