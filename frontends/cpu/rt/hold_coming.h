// What the files of hold.h have in common: an access that is about to be made, and where it is told of.
#pragma once

#include "core/model/event.h"
#include "frontends/cpu/rt/thread.h"
#include "frontends/cpu/wire/hold.h"

namespace redflag::rt::hold {

using Sides = std::uint32_t;  // bits, as in wire::HoldSlot

inline wire::HoldBoard& board() {
  return *g_runtime.holding;
}

using Memory = wire::HoldMemory;

// An access that is about to be made, as all processes understand it.
struct Coming {
  std::uint32_t process;
  std::uint32_t thread;
  Sides sides;
  EventKind kind;
  std::uint64_t space;
  Memory memory;
};

inline bool changes(EventKind kind) {
  return kind != EventKind::kRead && kind != EventKind::kAtomicLoad;
}
inline bool conflict(EventKind a, EventKind b) {
  return (changes(a) || changes(b)) && !(is_atomic(a) && is_atomic(b));
}

// Of each side the other one of its pair.
inline Sides partners(Sides sides) {
  return (sides & 0x5555) << 1 | (sides & 0xaaaa) >> 1;
}

// hold_touch.cpp. Remembers who touched the bytes, under the board's lock. True: two threads have, at
// the two sides.
bool touch(const Coming& c, wire::HoldArrival arrival);

}  // namespace redflag::rt::hold
