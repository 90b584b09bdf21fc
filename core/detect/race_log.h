// RaceLog: turns "these bytes of this access race with that epoch" into Race values, neighbours
// joined.
//
// Detectors check granule by granule, or byte by byte; a person wants one race for one pair of
// accesses. add() extends the pending race while the bytes are adjacent and the other side is the
// same; flush() at the end of each page part passes it on. One per detector; not thread-safe.
#pragma once

#include "core/clock/happens_before.h"
#include "core/model/race.h"

namespace redflag {

class RaceLog {
 public:
  RaceLog(FindingSink& sink, const HappensBefore& order) : sink_(sink), order_(order) {}

  // Bytes [addr, addr + size) of `event` race with an access of `kind` made in `earlier`.
  void add(const Event& event, EventIndex index, Epoch now, Addr addr, std::uint32_t size,
           Epoch earlier, EventKind kind) {
    if (pending_ && race_.addr + race_.size == addr && earlier_ == earlier &&
        race_.first.kind == kind) {
      race_.size += size;
      return;
    }
    flush();
    pending_ = true;
    earlier_ = earlier;
    race_ = Race{};
    race_.rule = classify(kind, event.kind);
    race_.addr = addr;
    race_.size = size;
    race_.first.thread = order_.owner(earlier);
    race_.first.clock = earlier.clock();
    race_.first.kind = kind;
    race_.second = access_of(event, index, now.clock());
    ++count_;
  }

  void flush() {
    if (!pending_) return;
    pending_ = false;
    race_.first.addr = race_.addr;
    race_.first.size = race_.size;
    sink_.on_race(race_);
  }

  std::uint64_t count() const { return count_; }

  static Access access_of(const Event& e, EventIndex index, std::uint64_t clock) {
    Access a;
    a.addr = e.addr();
    a.index = index;
    a.clock = clock;
    a.thread = e.thread;
    a.size = e.size;
    a.source = e.source;
    a.kind = e.kind;
    a.order = e.order;
    a.is_volatile = e.is_volatile;
    return a;
  }

 private:
  FindingSink& sink_;
  const HappensBefore& order_;
  Race race_;
  Epoch earlier_;
  bool pending_ = false;
  std::uint64_t count_ = 0;
};

}  // namespace redflag
