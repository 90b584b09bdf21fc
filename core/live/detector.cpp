// The detector's own beginning and end, and those of threads.
#include "core/live/detector.h"

namespace redflag::live {
namespace {
constexpr std::size_t kFrames = std::size_t{1} << 17;  // calls that nest, per thread
constexpr std::size_t kSlack = 256;
constexpr std::size_t kFirstSweep = std::size_t{6} << 20;
}  // namespace

constinit AccessLog::Open g_no_opens[AccessLog::kOpen] = {};

void Detector::init(void (*race)(Thread& t, const LiveRace& race), std::uint32_t capacity) {
  world.init();
  pairs.take_line(arena);  // so that handle 0, a pair of nothing, can be looked at
  contexts.init(arena);
  locksets.init(arena);
  lock_infos = static_cast<LockInfo*>(arena.map(kLockInfos * sizeof(LockInfo)));
  floor = static_cast<std::atomic<std::uint64_t>*>(arena.map(kMaxSlots * sizeof(*floor)));
  on_race = race;
  log_capacity = capacity;
  if (sweep_at == 0) sweep_at = kFirstSweep;
}

void Detector::destroy() {
  world.for_each([](Thread& t) { os_unmap(t.frames - kSlack, kFrames * sizeof(Frame)); });
  shadow.destroy();
  arena.destroy();
}

Thread* Detector::create(Thread* parent, std::uint32_t number) {
  auto* t = static_cast<Thread*>(arena.take(sizeof(Thread)));
  os_zero(t, sizeof(Thread));
  t->base = kNoBase;
  t->key = 1U << kShapeBits;
  t->lockset_known = true;
  t->own_hot.base = kNoBase;
  t->hot = &t->own_hot;
  t->number = number;
  // Some room below: a function that was entered before the thread was known may still return.
  t->frames = static_cast<Frame*>(os_map(kFrames * sizeof(Frame))) + kSlack;
  t->own_hot.top = t->frames;
  t->own_hot.changes = &t->clock.changes;
  t->own_hot.limit = t->frames + kFrames - kSlack - 1;
  t->own_hot.thread = t;
  t->own_hot.opens = t->log.opens();
  t->log.init(arena, contexts, log_capacity);
  if (parent != nullptr) {
    flush_pending(*parent);
    world.enter(*parent);
  }
  const Epoch first = slots.begin(arena, parent == nullptr ? nullptr : &parent->clock, number);
  const auto slot = static_cast<std::uint32_t>(first.slot());
  ThreadClock& c = t->clock;
  if (parent != nullptr) {
    c.reserve(arena, parent->clock.size);
    for (std::uint32_t i = 0; i < parent->clock.size; ++i) c.clocks[i] = parent->clock.clocks[i];
    advance(*parent);
  }
  c.reserve(arena, slot + 1);
  c.epoch = first;
  c.clocks[slot] = first.clock();
  world.add(*t);
  if (parent != nullptr) world.leave(*parent);
  return t;
}

void Detector::end(Thread& t) {
  flush_pending(t);
  world.enter(t);
  slots.end(t.clock.epoch);
  t.pending_acquire.clear(arena);
  t.release_fence.clear(arena);
  if (t.held != nullptr) arena.give(t.held, t.held_capacity * sizeof(Held));
  t.held = nullptr;
  t.held_count = t.held_capacity = 0;
  t.final.store(arena, t.clock);
  t.clock.free(arena);
  world.leave(t);
  world.remove(t);
  os_unmap(t.frames - kSlack, kFrames * sizeof(Frame));
  t.frames = nullptr;
}

void Detector::joined(Thread& t, Thread& u) {
  flush_pending(t);
  world.enter(t);
  u.final.acquire(arena, t.clock);
  world.leave(t);
}

void Detector::free(Thread& u) {
  u.final.clear(arena);
  u.log.free(arena);
  arena.give(&u, sizeof(Thread));
}

std::size_t Detector::history_bytes() {
  return pairs.bytes() + shared.bytes() + splits.bytes() + halves.bytes() + records.bytes() +
         arena.bytes_in_use();
}

}  // namespace redflag::live
