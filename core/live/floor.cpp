// The floor: what every thread knows, and so what can race with nothing any more.
//
// An epoch below it happens before all that any thread will still do. A sweep clears the cells whose
// history is below. And a history that is read need not keep a last write that is below: where every
// element was written in an epoch of its own, by many short critical sections, the readers' histories
// would else be as many as the elements, and no handle would ever be met twice.
//
// Clocks only grow, so the floor may be computed while threads go on: what is read too early is too
// low, which keeps more and forgets nothing that counts. A clock's array may move meanwhile; its
// version says so, and then nothing is taken from it.
#include "core/live/detector.h"

namespace redflag::live {
namespace {

constexpr std::uint32_t kMostEntries = 1U << 14;  // threads times slots; beyond, only sweeps do it

}  // namespace

// What t will know of slot i before its next step. Whoever waits in a join knows all that the other
// does by then: the main thread, which mostly waits, would else keep everything from being past.
std::uint64_t Detector::will_know(const Thread& t, std::uint32_t i, unsigned depth) {
  const std::uint64_t own = t.clock.peek(i);
  const std::uint32_t joining = t.joining.load(std::memory_order_acquire);
  if (joining == 0 || depth == 8 || interruptible.load(std::memory_order_relaxed)) return own;
  const Thread* other = nullptr;
  world.for_each([&](Thread& u) {
    if (u.number + 1 == joining) other = &u;
  });
  if (other == nullptr) return own;
  if (i == static_cast<std::uint32_t>(other->clock.peek_epoch().slot())) return ~std::uint64_t{0};
  const std::uint64_t learns = will_know(*other, i, depth + 1);
  return learns > own ? learns : own;
}

// The caller keeps the list of threads as it is.
void Detector::know_floor() {
  const std::uint32_t n = slots.count();
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint64_t least = ~std::uint64_t{0};
    world.for_each([&](Thread& t) {
      // The thread's own present epoch is not past: it may still be the earlier side.
      const Epoch now = t.clock.peek_epoch();
      const std::uint64_t known =
          i == static_cast<std::uint32_t>(now.slot()) ? now.clock() - 1 : will_know(t, i, 0);
      if (known < least) least = known;
    });
    floor[i].store(least, std::memory_order_relaxed);
  }
}

void Detector::refresh_floor() {
  if (!floor_lock.try_lock()) return;
  {
    const Guard guard(world.list_lock());
    std::uint32_t threads = 0;
    world.for_each([&](Thread&) { ++threads; });
    if (std::uint64_t{threads} * slots.count() <= kMostEntries) know_floor();
  }
  floor_lock.unlock();
}

}  // namespace redflag::live
