// Lockset: Eraser's discipline, for prediction (Savage et al., SOSP 1997).
//
// The idea. A location that several threads write should be protected by some lock that is held at
// every access. C(v) starts as the locks held at the first shared access and is cut down to those
// held at each later one; when it is empty, no single lock protects v. Each byte goes through
// Eraser's states (figure 4 of the paper): virgin, exclusive to its first thread, shared (read only
// since), shared-modified; only the last one reports. Writes count only locks held exclusively.
//
// It predicts races that this run's order hid, and it is wrong about locations ordered by other
// means (join, barriers, hand-over): every finding has the rule `lockset`, never a race rule.
// Atomic accesses count as holding one lock common to all atomics. A byte is reported once.
//
// Cost: O(1) per byte and access after lock sets are interned; 16 bytes per byte of memory touched,
// the index of its last access, for the report, among them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/detect/detector.h"

namespace redflag::lockset {

// Sets of locks, each distinct one stored once and named by a number; 0 is the empty set.
class LockSets {
 public:
  using Id = std::uint32_t;

  LockSets() { intern({}); }
  Id intern(std::vector<LockId> sorted);
  Id with(Id set, LockId lock);
  Id without(Id set, LockId lock);
  Id intersect(Id a, Id b);
  const std::vector<LockId>& locks(Id set) const { return sets_[set]; }

 private:
  std::vector<std::vector<LockId>> sets_;
  std::map<std::vector<LockId>, Id> ids_;
  std::map<std::pair<Id, Id>, Id> intersections_;  // memo
};

class Lockset final : public Detector {
 public:
  explicit Lockset(const DetectorOptions& options);

  void on_events(std::span<const Event> events, EventIndex first) override;
  std::vector<Counter> stats() const override;
  std::size_t metadata_bytes() const override { return options_.memory->bytes_in_use(); }

 private:
  enum class State : std::uint8_t { kVirgin, kExclusive, kShared, kSharedModified, kReported };
  static constexpr int kStates = 5;

  // Of one byte. `last` is its latest access, for the report.
  struct Byte {
    std::uint64_t last;  // 1 + event index; 0: none
    std::uint32_t thread;
    std::uint32_t set : 24;
    std::uint32_t state : 7;
    std::uint32_t last_wrote : 1;
  };
  static_assert(sizeof(Byte) == 16);
  struct Cell {
    Byte bytes[kGranuleBytes];
  };
  struct Held {
    LockSets::Id any = 0;        // locks held in either mode
    LockSets::Id exclusive = 0;  // locks held for writing
    std::map<LockId, int> depth;
  };

  void access(const Event& e, EventIndex index);
  bool step(Byte& b, const Event& e, LockSets::Id held);
  void take(const Event& e, bool exclusive);
  void give(const Event& e);

  DetectorOptions options_;
  ShadowMap<Cell> shadow_;
  LockSets sets_;
  std::map<ThreadId, Held> held_;
  std::uint64_t transitions_[kStates] = {};
  std::uint64_t reports_ = 0;
};

}  // namespace redflag::lockset
