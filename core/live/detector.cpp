// The detector's own beginning and end, those of threads, and their epochs.
#include "core/live/detector.h"

namespace redflag::live {
namespace {
constexpr std::size_t kFrames = std::size_t{1} << 17;  // calls that nest, per thread
constexpr std::size_t kSlack = 256;
}  // namespace

void Detector::init(void (*race)(Thread& t, const LiveRace& race), std::uint32_t capacity) {
  world.init();
  contexts.init(arena);
  locksets.init(arena);
  lock_infos = static_cast<LockInfo*>(arena.map(kLockInfos * sizeof(LockInfo)));
  floor = static_cast<std::uint64_t*>(arena.map(kMaxSlots * sizeof(*floor)));
  columns = static_cast<Column**>(arena.map(kMaxSlots * sizeof(*columns)));
  if (LinearMemory::Refusal why; !LinearMemory::map(why)) {
    os_die(
        why.fault == LinearMemory::kTaken
            ? "redflag: needed: the addresses of the shadow\n"
              "found: the program, or a library, is mapped there when it starts\n"
              "to mend it: run it with fewer random bits (setarch -R PROGRAM, or sysctl "
              "vm.mmap_rnd_bits=28)\n"
            : "redflag: needed: 21 TiB of address space for the shadow, without memory behind it\n"
              "found: the kernel refused it\n"
              "to mend it: no limit on address space (ulimit -v unlimited), and "
              "vm.overcommit_memory 0 or 1\n");
  }
  LinearMemory memory;
  memory.slots = &column_count;
  cells.init(memory, arena,
             static_cast<Epochs::Block*>(arena.map((Epochs::kBlocks + 1) * sizeof(Epochs::Block))),
             columns);
  on_race = race;
  log_capacity = capacity;
}

void Detector::destroy() {
  world.for_each([](Thread& t) { os_unmap(t.frames - kSlack, kFrames * sizeof(Frame)); });
  LinearMemory::unmap();
  arena.destroy();
}

Thread* Detector::create(Thread* parent, std::uint32_t number) {
  auto* t = static_cast<Thread*>(arena.take(sizeof(Thread)));
  os_zero(t, sizeof(Thread));
  t->lockset_known = true;
  t->view.me = t->own_hot.me = kNobody;
  t->hot = &t->own_hot;
  t->number = number;
  // Some room below: a function that was entered before the thread was known may still return.
  t->frames = static_cast<Frame*>(os_map(kFrames * sizeof(Frame))) + kSlack;
  t->own_hot.top = t->frames;
  t->own_hot.changes = &t->clock.changes;
  t->own_hot.limit = t->frames + kFrames - kSlack - 1;
  t->own_hot.thread = t;
  t->log.init(arena, contexts, log_capacity);
  // No sweep comes before the thread has its first epoch: what it takes would be nobody's.
  if (parent == nullptr) world.add(*t);
  world.enter(parent == nullptr ? *t : *parent);
  const Epoch first = slots.begin(arena, parent == nullptr ? nullptr : &parent->clock, number);
  const auto slot = static_cast<std::uint32_t>(first.slot());
  ThreadClock& c = t->clock;
  c.changes = 1;
  c.stamped = &t->view.stamped;
  if (parent != nullptr) {
    c.reserve(arena, parent->clock.size);
    for (std::uint32_t i = 0; i < parent->clock.size; ++i) c.clocks[i] = parent->clock.clocks[i];
    const Epoch known = parent->clock.published();
    c.clocks[static_cast<std::uint32_t>(known.slot())] = known.clock();
    advance(*parent);
  }
  c.reserve(arena, slot + 1);
  c.epoch = first;
  c.clocks[slot] = first.clock();
  see(*t);
  if (columns[slot] == nullptr) {
    auto* column = static_cast<Column*>(arena.take(sizeof(Column)));
    os_zero(column, sizeof(Column));
    column->slot = slot;
    columns[slot] = column;
    std::uint32_t count = column_count.load(std::memory_order_relaxed);
    while (count <= slot && !column_count.compare_exchange_weak(count, slot + 1)) {
    }
  }
  t->view.column = columns[slot];
  new_epoch(*t);
  t->view.stamped = true;  // it knows what its parent knew
  if (parent != nullptr) world.add(*t);
  world.leave(parent == nullptr ? *t : *parent);
  return t;
}

void Detector::end(Thread& t) {
  world.enter(t);
  slots.end(t.clock.published());
  t.pending_acquire.clear(arena);
  t.release_fence.clear(arena);
  if (t.held != nullptr) arena.give(t.held, t.held_capacity * sizeof(Held));
  t.held = nullptr;
  t.held_count = t.held_capacity = 0;
  t.final.store(arena, t.clock);
  t.clock.free(arena);
  see(t);
  world.leave(t);
  world.remove(t);
  os_unmap(t.frames - kSlack, kFrames * sizeof(Frame));
  t.frames = nullptr;
}

void Detector::joined(Thread& t, Thread& u) {
  world.enter(t);
  u.final.acquire(arena, t.clock);
  see(t);
  world.leave(t);
}

void Detector::free(Thread& u) {
  u.final.clear(arena);
  u.log.free(arena);
  arena.give(&u, sizeof(Thread));
}

void Detector::new_epoch(Thread& t) {
  const Epoch now = t.clock.epoch;
  const bool goes_on = t.view.me != kNobody && Epochs::place(t.view.me) + 1 < Epochs::kPlaces &&
                       cells.epochs.at(t.view.me).next() == now;
  if (goes_on) {
    t.view.me += 1U << kEpochShift;
  } else {
    const Entry block = cells.epochs.take(now);
    if (block == 0) {
      os_die("redflag: too many epochs at once: over 130,000 threads took new ones together\n");
    }
    t.view.me = block | kBytes;
    if (cells.epochs.few_left()) wants_sweep.store(true, std::memory_order_relaxed);
  }
  t.view.stamped = false;
  t.hot->me = t.everything_slow ? kNobody : t.view.me;
}

void Detector::advance(Thread& t) {
  if (!t.view.stamped) return;  // the epoch is nobody's: what was published is the one before it
  t.clock.advance();
  new_epoch(t);
}

std::size_t Detector::history_bytes() {
  return records.bytes() + arena.bytes_in_use();
}

std::size_t Detector::shadow_bytes() {
  std::size_t pages = 0;
  LinearMemory::for_each_page(kHasCells, [&pages](std::uint64_t) { ++pages; });
  return pages * kOsPage;
}

}  // namespace redflag::live
