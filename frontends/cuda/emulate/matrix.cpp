// ldmatrix and stmatrix: 8 by 8 matrices of 16-bit elements. (PTX ISA 9.0, section 9.7.14.5.15.)
//
// Row r of matrix m is at the address that lane 8m + r has; lane l holds elements 2(l mod 4) and the
// next of row l div 4, or, transposed, of that column.
#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/space.h"

namespace redflag::cuda {
namespace {

// Rows are addressed by the first lanes only: eight for each matrix.
bool find_rows(Run& run, const MicroOp& op, const MemoryOp& how, unsigned matrices, bool writes) {
  run.active = matrices == 4 ? ~Lanes{0} : (Lanes{1} << 8 * matrices) - 1;
  const bool generic = space_kind(how.space) == SpaceKind::kGeneric;
  const Resolved where = generic ? resolve<SpaceKind::kGeneric>(run, op, how, 16, 16, writes)
                                 : resolve<SpaceKind::kShared>(run, op, how, 16, 16, writes);
  if (where.good && run.machine->sink != nullptr) {
    tell_memory(run, op, how, writes ? gpu::StepKind::kWrite : gpu::StepKind::kRead, where, 16,
                false);
  }
  run.active = ~Lanes{0};
  return where.good;
}

std::uint16_t* element(const Run& run, unsigned matrix, unsigned row, unsigned column) {
  return reinterpret_cast<std::uint16_t*>(run.host[matrix * 8 + row]) + column;
}

}  // namespace

void do_ldmatrix(Run& run, const MicroOp& op) {
  const MemoryOp& how = *static_cast<const MemoryOp*>(op.extra);
  if (!find_rows(run, op, how, op.results, false)) return;
  for (unsigned m = 0; m < op.results; ++m) {
    auto* const to = run.at<std::uint32_t>(op.refs[m]);
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      const unsigned row = lane / 4, column = lane % 4 * 2;
      const std::uint32_t low =
          how.flag ? *element(run, m, column, row) : *element(run, m, row, column);
      const std::uint32_t high =
          how.flag ? *element(run, m, column + 1, row) : *element(run, m, row, column + 1);
      to[lane] = high << 16 | low;
    }
  }
}

void do_stmatrix(Run& run, const MicroOp& op) {
  const MemoryOp& how = *static_cast<const MemoryOp*>(op.extra);
  if (!find_rows(run, op, how, op.sources, true)) return;
  for (unsigned m = 0; m < op.sources; ++m) {
    const auto* const from = run.at<std::uint32_t>(op.refs[m]);
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      const unsigned row = lane / 4, column = lane % 4 * 2;
      const auto low = static_cast<std::uint16_t>(from[lane]);
      const auto high = static_cast<std::uint16_t>(from[lane] >> 16);
      *(how.flag ? element(run, m, column, row) : element(run, m, row, column)) = low;
      *(how.flag ? element(run, m, column + 1, row) : element(run, m, row, column + 1)) = high;
    }
  }
}

}  // namespace redflag::cuda
