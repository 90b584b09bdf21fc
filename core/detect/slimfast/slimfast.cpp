// SlimFast's outer loop: events to accesses and epochs. The rules are in transition.cpp.
#include "core/detect/slimfast/slimfast.h"

#include <algorithm>

#include "core/detect/slimfast/access.h"

namespace redflag::slimfast {

SlimFast::SlimFast(const DetectorOptions& options)
    : options_(options),
      order_(options.memory, options.volatile_meaning),
      races_(*options.sink, order_),
      histories_(options.memory),
      shadow_(options.memory),
      pairs_(options.memory),
      by_thread_(options.memory),
      states_(options.memory),
      free_states_(options.memory) {}

void SlimFast::on_events(std::span<const Event> events, EventIndex first) {
  // Sweeps happen between events only, when no handle is in flight; looking every so often is
  // enough.
  constexpr std::size_t kBetweenLooks = 4096;
  std::uint64_t index = raw(first);
  while (!events.empty()) {
    const std::size_t n = std::min(events.size(), kBetweenLooks);
    const std::uint64_t made_before = histories_made();
    const std::uint64_t paired_before = paired_accesses_;
    if (mode_ == Mode::kDistinct) {
      batch<Mode::kDistinct>(events.first(n), index);
    } else {
      batch<Mode::kShared>(events.first(n), index);
    }
    mode_ = (histories_made() - made_before) * 16 > n ? Mode::kDistinct : Mode::kShared;
    // Pairs that are in the way of sharing again, and not only for a moment, become handles.
    shared_batches_ = mode_ == Mode::kShared ? shared_batches_ + 1 : 0;
    if (shared_batches_ >= 16 && (paired_accesses_ - paired_before) * 8 > n) unpair();
    events = events.subspan(n);
    index += n;
    if (sweep_due()) sweep();
  }
}

template <SlimFast::Mode mode>
void SlimFast::batch(std::span<const Event> events, std::uint64_t first) {
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = 0; i < events.size(); ++i) {
    // Where most histories are distinct, each check waits for memory: ask for it in advance. An
    // event that is no access prefetches something harmless, which is cheaper than a branch.
    if constexpr (mode == Mode::kDistinct) {
      if (i + kAhead < events.size())
        __builtin_prefetch(pairs_.guess(events[i + kAhead].addr()), 1);
    }
    const Event& e = events[i];
    const EventIndex at{first + i};
    switch (e.kind) {
      case EventKind::kRead:
        if (e.is_volatile && order_.is_synchronising(e)) {
          order_.before_access(e);
          access<Op::kAtomicRead, mode>(e, at);
        } else {
          access<Op::kRead, mode>(e, at);
        }
        break;
      case EventKind::kWrite:
        if (e.is_volatile && order_.is_synchronising(e)) {
          access<Op::kAtomicWrite, mode>(e, at);
          order_.after_access(e);
          begin_epoch(state(e.thread));
        } else {
          access<Op::kWrite, mode>(e, at);
        }
        break;
      case EventKind::kFree:
        access<Op::kWrite, mode>(e, at);
        break;
      case EventKind::kAtomicLoad:
        order_.before_access(e);
        access<Op::kAtomicRead, mode>(e, at);
        break;
      case EventKind::kAtomicStore:
      case EventKind::kAtomicRmw:
        order_.before_access(e);
        access<Op::kAtomicWrite, mode>(e, at);
        order_.after_access(e);
        begin_epoch(state(e.thread));
        break;
      case EventKind::kAlloc:
        order_.before_access(e);
        forget(e.addr(), e.size);
        break;
      case EventKind::kWork:
        break;
      default:
        synchronise(e);
    }
  }
}

void SlimFast::synchronise(const Event& e) {
  order_.on_event(e);
  if (e.kind == EventKind::kJoin) drop_state(e.other());
  begin_epoch(state(e.thread));
}

SlimFast::ThreadState& SlimFast::new_state(ThreadId id) {
  const std::size_t i = raw(id);
  if (i >= by_thread_.size()) by_thread_.resize(i + 1);
  if (free_states_.empty()) {
    by_thread_[i] = &states_.emplace_back();
  } else {
    by_thread_[i] = free_states_.back();
    free_states_.pop_back();
  }
  ThreadState& t = *by_thread_[i];
  t = ThreadState{};
  t.clock = &order_.thread(id);
  t.epoch = t.clock->epoch;
  return t;
}

void SlimFast::drop_state(ThreadId id) {
  const std::size_t i = raw(id);
  if (i >= by_thread_.size() || by_thread_[i] == nullptr) return;
  end_epoch(*by_thread_[i]);
  by_thread_[i]->clock = nullptr;
  free_states_.push_back(by_thread_[i]);
  by_thread_[i] = nullptr;
}

// W_t, S_t and Q_t belong to an epoch (rules Release and Fork of figure 3.5). Handles are taken
// when the first history is needed: epochs without accesses cost nothing.
void SlimFast::begin_epoch(ThreadState& t) {
  if (t.epoch == t.clock->epoch) return;
  t.epoch = t.clock->epoch;
  end_epoch(t);
}

void SlimFast::end_epoch(ThreadState& t) {
  if (!t.dirty) return;
  t.dirty = false;
  ++epochs_;
  q_total_ += t.q_size;
  if (t.base != kNoBase) {
    s_total_ += t.used - 1;
    // A short epoch leaves room in its line for the next; one word alone is not worth it.
    t.spare = t.used + 2 <= t.room ? t.base + t.used : 0;
  }
  t.base = kNoBase;
  t.room = 0;
  t.used = 0;
  t.full_base = 0;
  t.q_size = 0;
  if (t.memorised) forget_memos(t);
}

void SlimFast::forget_memos(ThreadState& t) {
  t.memorised = false;
  t.read_memo.fill(Memo{});
  t.write_memo.fill(Memo{});
}

void SlimFast::take_handles(ThreadState& t) {
  t.base = t.spare != 0 ? t.spare : histories_.new_line();
  t.spare = 0;
  t.room = kLineSize - t.base % kLineSize;
  t.used = 1;
  histories_.set_owner(t.base, t.epoch);
}

// Memory that became new has no history.
void SlimFast::forget(Addr addr, std::uint64_t size) {
  for_each_page(addr, size, [this](std::uint64_t page, std::uint32_t begin, std::uint32_t end) {
    const bool entire = end - begin == kPageBytes;
    if (entire) {
      if (Handle* all = shadow_.whole(page); all != nullptr) {
        *all = kNone;
        return;
      }
    }
    auto* found = shadow_.find(page);
    if (found == nullptr) return;
    const auto part = [&](Addr granule, std::size_t i, unsigned low, unsigned high) {
      if (found->cells[i] != kInPairs) return set_bytes(found->cells[i], low, high, kNone);
      PairCell& pair = pair_cell(granule);
      Handle h = to_handle(pair);
      set_bytes(h, low, high, kNone);
      from_handle(pair, h);
    };
    for_each_granule(page, begin, end, part);
    if (entire) collapse_if_equal(page);
  });
}

// After an access to all of a page: if its cells agree, one is enough. (Pages of pairs stay as they
// are.)
void SlimFast::collapse_if_equal(std::uint64_t page) {
  const auto& cells = shadow_.page(page).cells;
  const Handle first = cells[0];
  if (first == kInPairs || form(first) == Form::kSplit) return;
  if (std::all_of(cells, cells + kCellsPerPage, [first](Handle h) { return h == first; })) {
    shadow_.collapse(page, first);
  }
}

void SlimFast::set_bytes(Handle& cell, unsigned low, unsigned high, Handle h) {
  if (high - low == kGranuleBytes) {
    if (form(cell) == Form::kSplit) histories_.free_split(cell);
    cell = h;
    return;
  }
  if (form(cell) != Form::kSplit) {
    if (cell == h) return;
    cell = histories_.new_split(cell);
  }
  std::fill(histories_.split(cell).bytes + low, histories_.split(cell).bytes + high, h);
  merge(cell);
}

// A split whose bytes agree again is given back.
void SlimFast::merge(Handle& cell) {
  const Split& s = histories_.split(cell);
  const Handle all = s.bytes[0];
  for (const Handle h : s.bytes) {
    if (h != all) return;
  }
  histories_.free_split(cell);
  cell = all;
}

std::string SlimFast::broken_promise() const {
  if (!forgot_ || order_.unforked_threads() == unforked_when_forgot_) return {};
  return "a thread appeared that no thread forked, after history had been forgotten on the promise "
         "that "
         "all threads are forked";
}

}  // namespace redflag::slimfast
