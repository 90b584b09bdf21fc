// The sweep: which epochs does any cell still name? The handles of the others are free again.
//
// It comes when few handles are left, with the world stopped, in the thread that took the last of
// many, and looks at every page that has cells. On the way entries are cleared that can race with
// nothing any more: an access that happens before everything that any live thread will still do.
// Records that memory given back in large pieces left behind are found here, too.
//
// Should all handles be named by entries that may still race (over eight million epochs, each the last
// at some place), the oldest blocks are forgotten: races with those accesses are missed from then on.
// How many entries that were is counted (forgotten_epochs), and the user is told.
#include <new>

#include "core/live/detector.h"

namespace redflag::live {

// What t will know of slot i before its next step. Whoever waits in a join knows all that the other
// does by then: the main thread, which mostly waits, would else keep everything from being past.
std::uint64_t Detector::will_know(const Thread& t, std::uint32_t i, unsigned depth) {
  const std::uint64_t own = t.clock.at(redflag::Slot{i});
  const std::uint32_t joining = t.joining.load(std::memory_order_acquire);
  if (joining == 0 || depth == 8 || interruptible.load(std::memory_order_relaxed)) return own;
  const Thread* other = nullptr;
  world.for_each([&](Thread& u) {
    if (u.number + 1 == joining) other = &u;
  });
  if (other == nullptr) return own;
  if (i == static_cast<std::uint32_t>(other->clock.epoch.slot())) return ~std::uint64_t{0};
  const std::uint64_t learns = will_know(*other, i, depth + 1);
  return learns > own ? learns : own;
}

// World stopped, and the list of threads stays as it is.
void Detector::know_floor() {
  const std::uint32_t n = slots.count();
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint64_t least = ~std::uint64_t{0};
    world.for_each([&](Thread& t) {
      // The thread's own present epoch is not past: it may still be the earlier side.
      const Epoch now = t.clock.epoch;
      const std::uint64_t known = t.clock.size == 0 ? 0  // it is about to begin, and knows nothing
                                  : i == static_cast<std::uint32_t>(now.slot())
                                      ? now.clock() - 1
                                      : will_know(t, i, 0);
      if (known < least) least = known;
    });
    floor[i] = least;
  }
}

struct Sweeper {
  Detector& d;
  std::uint64_t used[Epochs::kBlocks / 64 + 1] = {};
  std::uint64_t old[Epochs::kBlocks / 64 + 1] = {};  // to be forgotten
  std::uint64_t forgotten = 0;                       // entries

  static std::uint32_t block_of(Entry e) {
    return epoch_of(e) >> (kEpochShift + Epochs::kPlaceBits);
  }
  static bool has(const std::uint64_t* set, std::uint32_t i) {
    return (set[i / 64] >> i % 64 & 1) != 0;
  }
  static void add(std::uint64_t* set, std::uint32_t i) {
    set[i / 64] |= std::uint64_t{1} << i % 64;
  }
  bool is_past(Entry e) const {
    const Epoch epoch = d.cells.epochs.at(e);
    return epoch.clock() <= d.floor[static_cast<std::uint32_t>(epoch.slot())];
  }

  // What stays of an entry. One that is kShared, kMixed or none names no epoch.
  Entry keep(Entry e) {
    if ((e & kFlag) != 0 || epoch_of(e) == 0 || epoch_of(e) == kMixed) return e;
    if (is_past(e)) return 0;
    if (has(old, block_of(e))) {
      ++forgotten;
      return 0;
    }
    add(used, block_of(e));
    return e;
  }

  void threads() {
    d.world.for_each([this](Thread& t) {
      if (t.view.me != kNobody) add(used, block_of(t.view.me));
    });
  }
  void cells() {
    LinearMemory::for_each_page(kHasCells, [this](std::uint64_t page) {
      for (std::uint64_t g = page; g < page + kOsPage; g += kGranule) {
        d.cells.for_each_entry(g, [this](Entry e) { return keep(e); });
      }
    });
  }
  void columns() {
    const auto look = [this](Column& column) {
      d.cells.readers.keep(column, [this](Entry e) { return keep(e); });
    };
    look(d.cells.readers.common);
    for (std::uint32_t i = 0; i < d.column_count.load(std::memory_order_relaxed); ++i) {
      if (d.columns[i] != nullptr) look(*d.columns[i]);
    }
  }
  void look_at_all() {
    os_zero(used, sizeof(used));
    threads();
    cells();
    columns();
    d.cells.epochs.keep([this](std::uint32_t block) { return has(used, block); });
  }

  // How long ago the block's slot was in it, as a power of two.
  unsigned age(const Epochs::Block& b) const {
    const std::uint64_t now = newest[b.slot];
    return now > b.first ? 64 - static_cast<unsigned>(__builtin_clzll(now - b.first)) : 0;
  }
  std::uint64_t* newest = nullptr;  // clock by slot
  // The older half of the blocks goes.
  void choose_old() {
    const std::size_t bytes = d.slots.count() * sizeof(std::uint64_t);
    newest = static_cast<std::uint64_t*>(os_map(bytes));
    const Epochs& epochs = d.cells.epochs;
    epochs.for_each_block([this](std::uint32_t, const Epochs::Block& b) {
      if (newest[b.slot] < b.first) newest[b.slot] = b.first;
    });
    std::uint32_t count[65] = {};
    epochs.for_each_block([&](std::uint32_t, const Epochs::Block& b) { ++count[age(b)]; });
    unsigned from = 64;
    for (std::uint32_t sum = count[64]; from > 1 && sum < Epochs::kBlocks / 2;)
      sum += count[--from];
    epochs.for_each_block([&](std::uint32_t i, const Epochs::Block& b) {
      if (age(b) >= from) add(old, i);
    });
    d.world.for_each([this](Thread& t) {
      const std::uint32_t i = t.view.me == kNobody ? 0 : block_of(t.view.me);
      old[i / 64] &= ~(std::uint64_t{1} << i % 64);
    });
    os_unmap(newest, bytes);
  }

  void run() {
    d.know_floor();
    look_at_all();
    if (!d.cells.epochs.few_left()) return;
    choose_old();
    look_at_all();
    d.forgotten_epochs += forgotten;
  }
};

void Detector::sweep_if_due(Thread& t) {
  if (!sweep_due()) [[likely]]
    return;
  if (is_inside(t.inside.load(std::memory_order_relaxed))) return;
  // One does it, the others go on until they are stopped.
  if (sweeping.exchange(1, std::memory_order_acquire) != 0) return;
  sweep(&t);
  sweeping.store(0, std::memory_order_release);
}

void Detector::sweep(Thread* t) {
  world.stop(t);
  if (sweep_due() || t == nullptr) {
    // A thread on its way out is no longer inside, and may be gone and its memory be another's
    // before the list has been gone through.
    const Guard guard(world.list_lock());
    auto* const sweeper = new (os_map(sizeof(Sweeper))) Sweeper{*this};
    sweeper->run();
    os_unmap(sweeper, sizeof(Sweeper));
    wants_sweep.store(false, std::memory_order_relaxed);
    sweeps.fetch_add(1, std::memory_order_relaxed);
  }
  world.resume(t);
}

}  // namespace redflag::live
