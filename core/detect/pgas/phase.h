// Phase: the accesses to one rank's memory between two barriers of all, checked together.
//
// Records of remote operations come late and in any order, in batches, so no access may stand for an
// earlier one before the phase ends. They are put together, joined where an instruction or operation
// walked on, sorted by address and swept once; a read is compared with the writes that are under way
// at its address, a write with all. What the barrier has ended is before everything that follows, and
// is dropped; what is still pending goes on into the next phase. So history is bounded by what one
// phase touches. (UPC-Thrille keeps an interval skip list, section 3.3: insertions cost up to a
// microsecond; sorting costs a few nanoseconds a record.)
//
// Cost: n log n for n records, and those pairs of which one writes and both overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/detect/pgas/access.h"

namespace redflag::pgas {

struct Race {
  Access first;  // by address, then as they came: there is no order in time
  Access second;
  std::uint64_t begin = 0;  // what both touch
  std::uint64_t end = 0;
};

class Phase {
 public:
  void add(Access access) { accesses_.push_back(std::move(access)); }
  // The operation of that rank is over: its access that is pending here, or will come late, has
  // completed.
  void complete(std::uint32_t rank, std::uint64_t operation, Time time, ThreadName by);

  // The same for its delivery.
  void deliver(std::uint32_t rank, std::uint64_t operation, Time time, ThreadName by);

  // All races among what was added since the last end(); each pair of places once, with the first
  // bytes on which it was seen.
  std::vector<Race> check();
  // Drops what everybody knows to have completed; but for the latest `kept` of it, where there are
  // threads that do not know what their rank does.
  void end(const Knowledge& of_all, std::size_t kept = 0);

  std::size_t size() const { return accesses_.size(); }

 private:
  struct Completion {
    Time time;
    ThreadName by;
  };
  void apply_completions();
  void merge();

  std::vector<Access> accesses_;
  using Completions = std::map<std::pair<std::uint32_t, std::uint64_t>, Completion>;
  Completions completions_;  // by rank, operation
  Completions deliveries_;
};

}  // namespace redflag::pgas
