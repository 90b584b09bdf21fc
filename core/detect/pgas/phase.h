// Phase: the accesses to one rank's memory between two barriers of all, checked together.
//
// Records of remote operations come late and in any order, in batches, so no access may stand for an
// earlier one before the phase ends. They are put together here, each as its bytes, its shape (who,
// where, what was known) and its fate (when it ended), which accesses of one statement and one flush
// share; races.h finds the races. What the barrier has ended is before everything that follows, and is
// dropped; what is still pending goes on into the next phase. So history is bounded by what one phase
// touches.
//
// Where no barrier comes, settle() compares what is whole by the claims of all ranks (claims.h), and drops
// what all know; and of what one thread did at one place to the same bytes, all but the last: whoever
// races with an earlier one, and has not been compared with it, races with the last. So history is bounded
// by the bytes that are touched, for each place; and by a limit, beyond which the oldest are lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/detect/pgas/claims.h"
#include "core/detect/pgas/classes.h"
#include "core/detect/pgas/races.h"

namespace redflag::pgas {

class Phase {
 public:
  // --- Numbers of what accesses share. A shape's is good until end(), a fate's as long as it is pending
  // or something has it.
  std::uint32_t shape(const Shape& shape);
  std::uint32_t fate(const Fate& fate);
  // That of what is over at once (kAtOnce), which the next ones may share.
  std::uint32_t ended(const Fate& fate);
  Fate& fate_of(std::uint32_t number) { return history_.fates[number]; }
  void add(const Item& item);
  void add(const Access& access);

  // This fate is that of an operation of that rank, which it will be completed by.
  void expect(std::uint32_t rank, std::uint64_t operation, std::uint32_t fate);
  // The operation of that rank is over: its access that is pending here, or will come late, has
  // completed.
  void complete(std::uint32_t rank, std::uint64_t operation, Time time, ThreadName by);
  // Somebody has seen what a rank's record wrote: which of all those to this owner it is. deliverable()
  // gives the record's access a fate of its own where that may come, or has come: else `fate`, that of
  // its operation.
  void deliver(std::uint32_t rank, std::uint64_t record, Time time, ThreadName by);
  // `or_later`: such a thing may come though the record's operation is complete.
  std::uint32_t deliverable(std::uint32_t rank, std::uint64_t record, std::uint64_t operation,
                            std::uint32_t fate, bool or_later = false);
  // A fence: what is pending of the operation of that rank is delivered in order.
  void deliver_operation(std::uint32_t rank, std::uint64_t operation, Time time, ThreadName by);
  // All records of that rank up to this one are here.
  void arrived(std::uint32_t rank, std::uint64_t record);

  // All races among what was added since the last end(); each pair of places once, with the first
  // bytes on which it was seen.
  std::vector<Race> check(bool predicts = false);
  // Drops what everybody knows to have completed; but for the latest `kept` of it, where there are
  // threads that do not know what their rank does.
  void end(const Knowledge& of_all, std::size_t kept = 0);
  void clear();  // drops everything
  // All of another one, that nothing is expected of. `fates`: what its become here; those that are given are
  // taken to be the same as one here.
  static constexpr std::uint32_t kNoFate = ~std::uint32_t{0};
  void take(Phase& other, std::vector<std::uint32_t>& fates);

  // Without a barrier: what is whole by these claims is compared, and what nobody can race with any more
  // is dropped.
  struct Limits {
    std::size_t kept = 0;  // of what all know, the latest; as of end()
    std::size_t few = 0;   // so many are not looked at for what a later one stands for
    std::size_t most = ~std::size_t{0};  // more are not kept, unless they are pending
    bool predicts = false;
  };
  struct Settled {
    std::vector<Race> races;  // as of check(); some were told before
    std::size_t lost = 0;     // accesses beyond the limit: races with them may be missed
  };
  Settled settle(Claims& claims, const Limits& limits);

  std::size_t size() const { return history_.items.size(); }
  // What there is by classes, to `to`; false: threads that barriers say nothing of have a part in it.
  bool classes(std::vector<AccessClass>& to) const;

 private:
  struct Completion {
    Time time;
    ThreadName by;
  };
  using Operation = std::pair<std::uint32_t, std::uint64_t>;  // rank, its number
  void drop_unused();
  // settle.cpp
  std::vector<Item> take_out_waiting(const Claims& claims);
  std::vector<Knowledge> known_by(const std::vector<Item>& items, bool for_certain) const;
  void drop_known_to_all(const Claims& claims, std::size_t kept);
  void drop_covered(bool for_certain);
  std::size_t drop_oldest(std::size_t most);

  History history_;
  std::vector<std::uint32_t> free_fates_;
  std::uint32_t last_ended_ = 0;
  bool has_ended_ = false;
  bool has_writes_ = false;  // something that writes: else there is no race
  std::multimap<Operation, std::uint32_t> expected_;  // pending
  std::map<Operation, std::uint32_t> deliverable_;    // by rank, record
  // Of operations and records that have not come yet.
  std::map<Operation, Completion> completions_;
  std::map<Operation, Completion> deliveries_;
  std::map<std::uint32_t, std::uint64_t> arrived_;  // by rank: its last record
};

}  // namespace redflag::pgas
