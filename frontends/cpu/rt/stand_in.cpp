// Checks what other threads have collected and not checked yet, on their behalf.
//
// A thread that never synchronises again would take its last accesses with it when the program ends.
// With the world stopped no thread is inside the detector, so one that has accesses waiting stays as
// it is: it must come inside before it can end or begin another epoch. A copy of it, which counts as
// inside already, makes the checks in its place, and what the copy used up is noted in the original.
// Runs of accesses still grow meanwhile, outside: what comes after the copy was made is lost.
#include "frontends/cpu/rt/stand_in.h"

namespace redflag::rt {
namespace {

thread_local bool g_standing_in = false;
alignas(live::Thread) unsigned char g_stand_in[sizeof(live::Thread)];

live::Thread* next_waiting(const live::Thread* me) {
  live::World& world = g_runtime.detector.world;
  const live::Guard guard(world.list_lock());
  live::Thread* found = nullptr;
  world.for_each([&](live::Thread& u) {
    if (&u != me && u.waiting_count != 0) found = &u;
  });
  return found;
}

void check_for(live::Thread& u) {
  live::os_copy(g_stand_in, &u, sizeof(u));
  auto& copy = *reinterpret_cast<live::Thread*>(g_stand_in);
  live::os_zero(u.waiting, sizeof(u.waiting));
  live::os_zero(&u.parts, sizeof(u.parts));
  u.waiting_count = 0;
  copy.hot = &copy.own_hot;
  live::os_zero(copy.own_hot.shared, sizeof(copy.own_hot.shared));
  copy.own_hot.top = copy.own_hot.limit = copy.frames;
  copy.inside.store(live::kStay + 1, std::memory_order_relaxed);
  copy.delivery_wanted.store(0, std::memory_order_relaxed);
  g_runtime.detector.flush_pending(copy);
  u.base = copy.base;
  u.room = copy.room;
  u.used = copy.used;
  u.line_next = copy.line_next;
  live::os_copy(&u.spare_splits, &copy.spare_splits, sizeof(u.spare_splits));
  live::os_copy(&u.spare_halves, &copy.spare_halves, sizeof(u.spare_halves));
  live::os_copy(&u.spare_shared, &copy.spare_shared, sizeof(u.spare_shared));
}

// Is another thread in the middle of a check? It stops waiting only after it has come inside.
template <typename Busy>
bool any_other(const live::Thread* me, Busy busy) {
  live::World& world = g_runtime.detector.world;
  const live::Guard guard(world.list_lock());
  bool found = false;
  world.for_each([&](const live::Thread& u) { found = found || (&u != me && busy(u)); });
  return found;
}

}  // namespace

void check_for_all_others(live::Thread* me) {
  const auto stepped_out = [](const live::Thread& u) {
    return u.stepped_out.load(std::memory_order_acquire) != 0;
  };
  const auto not_done = [&](const live::Thread& u) {
    return u.waiting_count != 0 || stepped_out(u) ||
           live::is_inside(u.inside.load(std::memory_order_acquire));
  };
  if (!any_other(me, not_done)) return;
  live::World& world = g_runtime.detector.world;
  for (;;) {
    world.stop(me);
    if (!any_other(me, stepped_out)) break;
    world.resume(me);
    live::os_yield();
  }
  g_standing_in = true;
  while (live::Thread* u = next_waiting(me)) check_for(*u);
  g_standing_in = false;
  world.resume(me);
}

bool standing_in() {
  return g_standing_in;
}

}  // namespace redflag::rt
