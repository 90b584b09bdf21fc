// Claims: what each rank says of its records to the owners of memory, where no barrier says it for all.
//
// Records come when their origins find the time. An owner that compares what it has, or drops some of it,
// must know two things of each rank: up to where it has been told of everything (`told`), and what
// whatever still comes from there knows at least (`least`).
//
// - An access is *whole* when all has arrived that it knows of. Of two whole accesses the order is known for
//   good: a completion that one of them knows of is there, and what is pending here was so for both.
// - An access is *known to all* when its completion is known to whatever still comes: to the least of all
//   ranks, and to what is here and not whole yet. It is before all of that, and may be dropped.
//
// Cost: of find_floor() what all claims have entries; of the questions a binary search for each entry.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/detect/pgas/knowledge.h"

namespace redflag::pgas {

struct Claim {
  std::uint32_t phase = 0;  // all from before this barrier was told of,
  std::vector<Knowledge::Known>
      told;                      // and of each thread, and fence, what it did up to there; in order
  std::vector<Knowledge> least;  // of each thread that may still act, with its own counter
  // It waits for the barrier of all that leads to this phase: what comes is behind it. 0: it does not.
  std::uint32_t enters = 0;
  bool has_threads = false;  // those that do not call the barrier are not known to be behind it
};

class Claims {
 public:
  // Nothing is claimed yet.
  Claims(std::uint32_t owner, std::uint32_t ranks) : owner_(owner), all_(ranks) {}

  // Claims only grow: one that was made before the last one is left out.
  void renew(std::uint32_t rank, Claim claim);
  // Behind an exchange at a barrier of all, everybody has told everything from before.
  void all_told(const Knowledge& of_all);

  // Of an access that was issued knowing this: is all here that it knows of?
  bool is_whole(const Knowledge& issued) const;

  // Before known_to_all(). `waiting`: what accesses know that are here and not whole.
  void find_floor(std::span<const Knowledge> waiting);
  bool known_to_all(ThreadName thread, Time time) const;

 private:
  bool is_exception(ThreadName thread) const;
  void lower(std::span<const Knowledge> all);

  std::uint32_t owner_;
  std::vector<Claim> all_;   // by rank
  std::uint32_t phase_ = 0;  // that all have told of
  // The floor: this phase is known to all; of times before `below_`, what is in known_.
  std::uint32_t floor_phase_ = 0;
  std::uint32_t below_ = 0;
  std::vector<Knowledge::Known> known_;
  std::vector<ThreadName> exceptions_;  // of any phase, in order
};

}  // namespace redflag::pgas
