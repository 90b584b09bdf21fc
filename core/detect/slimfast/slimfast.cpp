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
      state_index_(options.memory),
      states_(options.memory),
      free_states_(options.memory) {}

void SlimFast::on_events(std::span<const Event> events, EventIndex first) {
  // Sweeps happen between events only, when no handle is in flight; looking every so often is
  // enough.
  constexpr std::size_t kBetweenLooks = 4096;
  std::uint64_t index = raw(first);
  while (!events.empty()) {
    const std::size_t n = std::min(events.size(), kBetweenLooks);
    for (const Event& e : events.first(n)) {
      const EventIndex at{index++};
      switch (e.kind) {
        case EventKind::kRead:
          if (e.is_volatile && order_.is_synchronising(e)) {
            order_.before_access(e);
            access<Op::kAtomicRead>(e, at);
          } else {
            access<Op::kRead>(e, at);
          }
          break;
        case EventKind::kWrite:
          if (e.is_volatile && order_.is_synchronising(e)) {
            access<Op::kAtomicWrite>(e, at);
            order_.after_access(e);
            begin_epoch(state(e.thread));
          } else {
            access<Op::kWrite>(e, at);
          }
          break;
        case EventKind::kFree:
          access<Op::kWrite>(e, at);
          break;
        case EventKind::kAtomicLoad:
          order_.before_access(e);
          access<Op::kAtomicRead>(e, at);
          break;
        case EventKind::kAtomicStore:
        case EventKind::kAtomicRmw:
          order_.before_access(e);
          access<Op::kAtomicWrite>(e, at);
          order_.after_access(e);
          begin_epoch(state(e.thread));
          break;
        case EventKind::kAlloc:
          order_.before_access(e);
          forget(e.addr(), e.size);
          break;
        default:
          synchronise(e);
      }
    }
    events = events.subspan(n);
    if (sweep_due()) sweep();
  }
}

void SlimFast::synchronise(const Event& e) {
  order_.on_event(e);
  if (e.kind == EventKind::kJoin) drop_state(e.other());
  begin_epoch(state(e.thread));
}

SlimFast::ThreadState& SlimFast::new_state(ThreadId id) {
  const std::size_t i = raw(id);
  if (i >= state_index_.size()) state_index_.resize(i + 1);
  std::uint32_t position = static_cast<std::uint32_t>(states_.size());
  if (free_states_.empty()) {
    states_.emplace_back();
  } else {
    position = free_states_.back();
    free_states_.pop_back();
  }
  state_index_[i] = position + 1;
  ThreadState& t = states_[position];
  t.clock = &order_.thread(id);
  t.epoch = Epoch{};
  begin_epoch(t);
  return t;
}

void SlimFast::drop_state(ThreadId id) {
  const std::size_t i = raw(id);
  if (i >= state_index_.size() || state_index_[i] == 0) return;
  states_[state_index_[i] - 1].clock = nullptr;
  free_states_.push_back(state_index_[i] - 1);
  state_index_[i] = 0;
}

// W_t, S_t and Q_t belong to an epoch (rules Release and Fork of figure 3.5). The block is taken
// when the first history is needed: epochs without accesses cost nothing.
void SlimFast::begin_epoch(ThreadState& t) {
  if (t.epoch == t.clock->epoch) return;
  if (t.base != kNoBlock) {
    ++epochs_;
    s_total_ += t.used - 1;
    q_total_ += t.q_size;
  }
  t.epoch = t.clock->epoch;
  t.base = kNoBlock;
  t.used = 0;
  t.q_size = 0;
  t.read_memo.fill(Memo{});
  t.write_memo.fill(Memo{});
}

void SlimFast::new_block(ThreadState& t) {
  t.base = histories_.new_block(t.epoch);
  t.used = 1;
}

// Memory that became new has no history.
void SlimFast::forget(Addr addr, std::uint64_t size) {
  for_each_page(addr, size, [this](std::uint64_t page, std::uint32_t begin, std::uint32_t end) {
    auto* found = shadow_.find(page);
    if (found == nullptr) return;
    for (std::uint32_t offset = begin; offset < end;) {
      const std::uint32_t first = offset / kGranuleBytes * kGranuleBytes;
      const std::uint32_t stop = std::min<std::uint32_t>(first + kGranuleBytes, end);
      set_bytes(found->cells[first / kGranuleBytes], offset - first, stop - first, kNone);
      offset = stop;
    }
  });
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
