// Recording: every step of every thread into the file of wire/record.h.
//
// Off unless REDFLAG_RECORD is set. Then no access takes the fast path, and each step takes the
// next number of one counter: plain accesses at the place of their check, atomics and locks while
// the detector's own order of them is fixed. So sorting by number gives an order that is consistent
// with what happened.
#pragma once

#include <cstdint>

#include "core/model/event.h"
#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {

void record_begin(const char* prefix);  // the file's name is PREFIX.PID
void record_end();                      // contexts and modules; what is mapped stays whatever comes
void record_forked();                   // in the child: a file of its own

[[gnu::noinline]] void record_event(Thread& t, const Event& event, std::uint64_t pc);

// An access of any size at `pc`; none of these do anything unless recording.
inline void record_access(Thread& t, EventKind kind, std::uint64_t addr, std::uint64_t size,
                          std::uint64_t pc, Order order = Order::kPlain, bool is_volatile = false) {
  if (!g_runtime.recording) [[likely]]
    return;
  // Event::size has 32 bits; larger blocks come as several.
  constexpr std::uint64_t kMost = 1U << 30;
  for (; size != 0;) {
    const std::uint64_t n = size < kMost ? size : kMost;
    Event e;
    e.kind = kind;
    e.order = order;
    e.is_volatile = is_volatile;
    e.object = addr;
    e.size = static_cast<std::uint32_t>(n);
    record_event(t, e, pc);
    addr += n;
    size -= n;
  }
}

// The first event of every thread: its stack is new memory. Whoever replays the trace knows by it
// where the stack is, too.
inline void record_stack(Thread& t) {
  record_access(t, EventKind::kAlloc, t.stack_low, t.stack_high - t.stack_low, 0);
}

// A step whose object is a lock, a barrier or a thread.
inline void record_sync(Thread& t, EventKind kind, std::uint64_t object) {
  if (!g_runtime.recording) [[likely]]
    return;
  Event e;
  e.kind = kind;
  e.object = object;
  record_event(t, e, place(t));
}
inline void record_simple(Thread& t, EventKind kind, std::uint64_t object) {
  record_sync(t, kind, object);
}

// Ordering by a key: an atomic on memory that no program has, so that it meets no plain access.
inline void record_key(Thread& t, EventKind kind, Order order, std::uint64_t key) {
  constexpr std::uint64_t kKeys = std::uint64_t{1} << 52;
  record_access(t, kind, key + kKeys, 1, place(t), order);
}

inline void record_fence(Thread& t, Order order, std::uint64_t pc) {
  if (!g_runtime.recording) [[likely]]
    return;
  Event e;
  e.kind = EventKind::kFence;
  e.order = order;
  record_event(t, e, pc);
}

}  // namespace redflag::rt
