// SparseClock: what is known of the threads of a grid, as runs of neighbours known up to the same time.
//
// Barracuda's SPARSEVC is a map from thread to clock. Threads that synchronised by a barrier are known
// up to one time, and their numbers are neighbours, so runs are far fewer than threads. Clocks are
// immutable and shared: after a barrier, all warps of a block point to one. Joining costs one merge
// of the two lists; a join that adds nothing returns the clock it was given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/model/gpu.h"

namespace redflag::gpu {

using Time = std::uint32_t;         // of a thread of the running grid; counts from 1
using ThreadIndex = std::uint32_t;  // in the running grid: Grid::thread

struct Run {
  ThreadIndex begin = 0;
  ThreadIndex end = 0;  // behind the last
  Time time = 0;

  friend bool operator==(const Run&, const Run&) = default;
};

class SparseClock {
 public:
  SparseClock() = default;
  static SparseClock of(ThreadIndex first, Lanes lanes, Time time);  // lanes of one warp
  static SparseClock of(std::vector<Run> runs);                      // ascending, disjoint

  Time at(ThreadIndex thread) const;
  bool empty() const { return runs_ == nullptr; }
  std::size_t size() const { return runs_ == nullptr ? 0 : runs_->size(); }
  bool same(const SparseClock& other) const { return runs_ == other.runs_; }
  const std::vector<Run>& runs() const;

  void join(const SparseClock& other);
  // Forgets what it says of threads [begin, end) up to `time`: the caller knows it otherwise.
  void forget(ThreadIndex begin, ThreadIndex end, Time time);

  // Joins of large clocks remember their results, and so keep their arguments; this lets them go.
  static void forget_joins();
  // Runs looked at by all joins so far: a measure of work.
  static std::uint64_t work() { return work_; }

 private:
  std::shared_ptr<const std::vector<Run>> runs_;  // nullptr: nothing is known
  static inline thread_local std::uint64_t work_ = 0;
};

}  // namespace redflag::gpu
