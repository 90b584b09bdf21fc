// Who touched which memory at which statement: what makes an arrival worth a hold.
//
// A statement in a loop is reached many times, and only some of its arrivals are on memory that the
// other side touches too. The last two threads of each word are remembered (wire::HoldTouch). When a thread
// comes to a byte that another touched at the other side, both arrivals are learned: the next run holds
// there, and this one holds whoever comes to that word again. A table of fixed size in which entries that
// collide replace each other: what is lost is lost for this run.
#include "frontends/cpu/rt/hold_coming.h"

namespace redflag::rt::hold {
namespace {

constexpr std::uint32_t kMostGranules = 16;  // of an access that are remembered

void learn(Sides sides, wire::HoldArrival arrival) {
  for (; sides != 0; sides &= sides - 1) {
    wire::HoldSide& side = board().side[__builtin_ctz(sides)];
    bool known = false;
    for (std::uint32_t i = 0; i < side.learned && i < wire::kHoldHints; ++i) {
      known |= side.learn[i].thread == arrival.thread && side.learn[i].count == arrival.count;
    }
    if (!known && side.learned < wire::kHoldHints) side.learn[side.learned++] = arrival;
  }
}

// Was the word touched by another thread at the other side? Then both arrivals are worth a hold.
bool look_back(const wire::HoldTouch& last, const Coming& c, std::uint8_t bytes,
               wire::HoldArrival arrival) {
  const Sides near = partners(c.sides) & last.sides;
  const std::uint32_t both = last.bytes & bytes;
  if (last.process == c.process && last.thread == c.thread) return false;
  if (near == 0 || both == 0 || !conflict(static_cast<EventKind>(last.kind), c.kind)) return false;
  learn(near, {last.thread, last.count[__builtin_ctz(both)]});
  learn(partners(near), arrival);
  return true;
}

// One word of what touch() remembers, with the bytes [begin, end).
bool touch_word(std::uint64_t g, std::uint64_t begin, std::uint64_t end, const Coming& c,
                wire::HoldArrival arrival) {
  wire::HoldTouch* const last = &board().touch[(g * 0x9e3779b97f4a7c15U ^ c.space) >> 52 << 1];
  static_assert(wire::kHoldTouches == 1U << 13);
  const std::uint64_t low = begin > 8 * g ? begin - 8 * g : 0;
  const std::uint64_t high = end < 8 * g + 8 ? end - 8 * g : 8;
  const auto bytes = static_cast<std::uint8_t>((1U << high) - (1U << low));
  bool shared = false;
  for (int i = 0; i < 2; ++i) {
    if (last[i].granule != g || last[i].space != c.space) continue;
    shared |= look_back(last[i], c, bytes, arrival) || last[i].shared != 0;
  }
  const auto is_mine = [&](const wire::HoldTouch& one) {
    return one.granule == g && one.space == c.space && one.process == c.process &&
           one.thread == c.thread && one.sides == c.sides;
  };
  // A thread that goes on with the next bytes of the word adds to what it has touched.
  if (!is_mine(last[0])) {
    const wire::HoldTouch before = last[0];
    last[0] = is_mine(last[1]) ? last[1] : wire::HoldTouch{};
    last[1] = before;
  }
  wire::HoldTouch& mine = last[0];
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

}  // namespace

bool touch(const Coming& c, wire::HoldArrival arrival) {
  bool shared = false;
  std::uint32_t n = 0;
  for (std::uint64_t k = 0; k < c.memory.count && n < kMostGranules; ++k) {
    const std::uint64_t begin = c.memory.begin + k * c.memory.step;
    const std::uint64_t end = begin + c.memory.size;
    for (std::uint64_t g = begin / 8; g <= (end - 1) / 8 && n < kMostGranules; ++g) {
      // Of a long one the last word, too.
      if (++n == kMostGranules && c.memory.count == 1) g = (end - 1) / 8;
      shared |= touch_word(g, begin, end, c, arrival);
    }
  }
  return shared;
}

}  // namespace redflag::rt::hold
