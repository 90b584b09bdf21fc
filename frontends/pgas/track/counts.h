// Counts: what following a job costs, in numbers that do not depend on the machine (docs/how/scaling.md).
//
// With REDFLAG_PGAS_COUNTS=FILE each rank appends one line of JSON to FILE when it ends. Counted where the
// work is done, without locks that it does not have already: numbers of several threads may be off by a few.
#pragma once

#include <atomic>
#include <cstdint>

namespace redflag::pgas {

struct Counts {
  using Count = std::atomic<std::uint64_t>;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  Count operations{0};   // one-sided ones, issued by this rank
  Count remote{0};       // of these, towards others
  Count records{0};      // of them, sent to other ranks or kept for this one
  Count exchanges{0};    // of batches, among all
  Count bytes{0};        // of batches, to other ranks
  Count peers{0};        // to whom these were not empty
  Count phases{0};       // barriers of all
  Count phase_bytes{0};  // what this rank gives at one, besides batches
  Count messages{0};     // with clocks, beside the program's
  Count message_bytes{0};
};

Counts& counts();
inline void count(Counts::Count& one, std::uint64_t by = 1) {
  one.store(one.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

}  // namespace redflag::pgas
