// Who touched which memory at which statement: what makes an arrival worth a hold.
//
// A statement in a loop is reached many times, and only some of its arrivals are on memory that the
// other side touches too. The last two threads of each word are remembered (HoldTouch). When a thread
// comes to a byte that another touched at the other side, both arrivals are learned: the next run holds
// there, and this one holds whoever comes to that word again. A table of fixed size in which entries that
// collide replace each other: what is lost is lost for this run.
//
// Everything here is done under the board's lock, by libredflag (rt/hold.cpp) and by the layers of one-sided
// programs (frontends/pgas/hold), which have no other code in common.
#pragma once

#include "core/model/event.h"
#include "frontends/cpu/wire/hold.h"

namespace redflag::wire {

using HoldSides = std::uint32_t;  // bits, as in HoldSlot

// An access that is about to be made, as all processes understand it.
struct HoldComing {
  std::uint32_t process;
  std::uint32_t thread;
  HoldSides sides;
  EventKind kind;
  std::uint64_t space;
  HoldMemory memory;
};

inline bool changes(EventKind kind) {
  return kind != EventKind::kRead && kind != EventKind::kAtomicLoad;
}
inline bool conflict(EventKind a, EventKind b) {
  return (changes(a) || changes(b)) && !(is_atomic(a) && is_atomic(b));
}

// Of each side the other one of its pair.
inline HoldSides partners(HoldSides sides) {
  return (sides & 0x5555) << 1 | (sides & 0xaaaa) >> 1;
}

inline void learn(HoldBoard& board, HoldSides sides, HoldArrival arrival) {
  for (; sides != 0; sides &= sides - 1) {
    HoldSide& side = board.side[__builtin_ctz(sides)];
    bool known = false;
    for (std::uint32_t i = 0; i < side.learned && i < kHoldHints; ++i) {
      known |= side.learn[i].thread == arrival.thread && side.learn[i].count == arrival.count;
    }
    if (!known && side.learned < kHoldHints) side.learn[side.learned++] = arrival;
  }
}

// Was the word touched by another thread at the other side? Then both arrivals are worth a hold.
inline bool look_back(HoldBoard& board, const HoldTouch& last, const HoldComing& c,
                      std::uint8_t bytes, HoldArrival arrival) {
  const HoldSides near = partners(c.sides) & last.sides;
  const std::uint32_t both = last.bytes & bytes;
  if (last.process == c.process && last.thread == c.thread) return false;
  if (near == 0 || both == 0 || !conflict(static_cast<EventKind>(last.kind), c.kind)) return false;
  learn(board, near, {last.thread, last.count[__builtin_ctz(both)]});
  learn(board, partners(near), arrival);
  return true;
}

// One word of what touch() remembers, with the bytes [begin, end).
inline bool touch_word(HoldBoard& board, std::uint64_t g, std::uint64_t begin, std::uint64_t end,
                       const HoldComing& c, HoldArrival arrival) {
  HoldTouch* const last = &board.touch[(g * 0x9e3779b97f4a7c15U ^ c.space) >> 52 << 1];
  static_assert(kHoldTouches == 1U << 13);
  const std::uint64_t low = begin > 8 * g ? begin - 8 * g : 0;
  const std::uint64_t high = end < 8 * g + 8 ? end - 8 * g : 8;
  const auto bytes = static_cast<std::uint8_t>((1U << high) - (1U << low));
  bool shared = false;
  for (int i = 0; i < 2; ++i) {
    if (last[i].granule != g || last[i].space != c.space) continue;
    shared |= look_back(board, last[i], c, bytes, arrival) || last[i].shared != 0;
  }
  const auto is_mine = [&](const HoldTouch& one) {
    return one.granule == g && one.space == c.space && one.process == c.process &&
           one.thread == c.thread && one.sides == c.sides;
  };
  // A thread that goes on with the next bytes of the word adds to what it has touched.
  if (!is_mine(last[0])) {
    const HoldTouch before = last[0];
    last[0] = is_mine(last[1]) ? last[1] : HoldTouch{};
    last[1] = before;
  }
  HoldTouch& mine = last[0];
  if (mine.granule == 0 || changes(c.kind)) mine.kind = static_cast<std::uint8_t>(c.kind);
  mine.granule = g;
  mine.space = c.space;
  mine.process = c.process;
  mine.thread = c.thread;
  mine.sides = static_cast<std::uint16_t>(c.sides);
  mine.shared = shared ? 1 : 0;
  mine.bytes = static_cast<std::uint8_t>(mine.bytes | bytes);
  for (std::uint64_t b = low; b < high; ++b) mine.count[b] = arrival.count;
  return shared;
}

// Remembers who touched the bytes. True: two threads have, at the two sides.
inline bool touch(HoldBoard& board, const HoldComing& c, HoldArrival arrival) {
  constexpr std::uint32_t kMostGranules = 16;  // of an access that are remembered
  bool shared = false;
  std::uint32_t n = 0;
  for (std::uint64_t k = 0; k < c.memory.count && n < kMostGranules; ++k) {
    const std::uint64_t begin = c.memory.begin + k * c.memory.step;
    const std::uint64_t end = begin + c.memory.size;
    for (std::uint64_t g = begin / 8; g <= (end - 1) / 8 && n < kMostGranules; ++g) {
      // Of a long one the last word, too.
      if (++n == kMostGranules && c.memory.count == 1) g = (end - 1) / 8;
      shared |= touch_word(board, g, begin, end, c, arrival);
    }
  }
  return shared;
}

}  // namespace redflag::wire
