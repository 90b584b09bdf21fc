// One-line constructors of events, so that a test is a literal list of what the threads did.
//
//   std::vector<Event> trace{fork(0, 1), write(0, 0x1000, 4), write(1, 0x1000, 4)};
//
// Plain integers are allowed here, and only here, in place of the strong types.
#pragma once

#include "core/model/event.h"

namespace redflag::make {

constexpr Event access(EventKind kind, std::uint32_t thread, std::uint64_t addr, std::uint32_t size,
                       Order order = Order::kPlain, std::uint32_t source = 0) {
  return Event{.kind = kind,
               .order = order,
               .thread = ThreadId{thread},
               .object = addr,
               .size = size,
               .source = SourceId{source}};
}
constexpr Event sync(EventKind kind, std::uint32_t thread, std::uint64_t object,
                     std::uint32_t source = 0) {
  return Event{
      .kind = kind, .thread = ThreadId{thread}, .object = object, .source = SourceId{source}};
}

constexpr Event read(std::uint32_t t, std::uint64_t a, std::uint32_t n = 8, std::uint32_t src = 0) {
  return access(EventKind::kRead, t, a, n, Order::kPlain, src);
}
constexpr Event write(std::uint32_t t, std::uint64_t a, std::uint32_t n = 8,
                      std::uint32_t src = 0) {
  return access(EventKind::kWrite, t, a, n, Order::kPlain, src);
}
constexpr Event volatile_read(std::uint32_t t, std::uint64_t a, std::uint32_t n = 8) {
  Event e = read(t, a, n);
  e.is_volatile = true;
  return e;
}
constexpr Event volatile_write(std::uint32_t t, std::uint64_t a, std::uint32_t n = 8) {
  Event e = write(t, a, n);
  e.is_volatile = true;
  return e;
}
constexpr Event load(std::uint32_t t, std::uint64_t a, Order o, std::uint32_t n = 8) {
  return access(EventKind::kAtomicLoad, t, a, n, o);
}
constexpr Event store(std::uint32_t t, std::uint64_t a, Order o, std::uint32_t n = 8) {
  return access(EventKind::kAtomicStore, t, a, n, o);
}
constexpr Event rmw(std::uint32_t t, std::uint64_t a, Order o, std::uint32_t n = 8) {
  return access(EventKind::kAtomicRmw, t, a, n, o);
}
constexpr Event fence(std::uint32_t t, Order o) {
  return Event{.kind = EventKind::kFence, .order = o, .thread = ThreadId{t}};
}
constexpr Event acquire(std::uint32_t t, std::uint64_t m) {
  return sync(EventKind::kAcquire, t, m);
}
constexpr Event release(std::uint32_t t, std::uint64_t m) {
  return sync(EventKind::kRelease, t, m);
}
constexpr Event acquire_shared(std::uint32_t t, std::uint64_t m) {
  return sync(EventKind::kAcquireShared, t, m);
}
constexpr Event release_shared(std::uint32_t t, std::uint64_t m) {
  return sync(EventKind::kReleaseShared, t, m);
}
constexpr Event fork(std::uint32_t t, std::uint32_t u) {
  return sync(EventKind::kFork, t, u);
}
constexpr Event join(std::uint32_t t, std::uint32_t u) {
  return sync(EventKind::kJoin, t, u);
}
constexpr Event end(std::uint32_t t) {
  return sync(EventKind::kThreadEnd, t, 0);
}
constexpr Event barrier_enter(std::uint32_t t, std::uint64_t b) {
  return sync(EventKind::kBarrierEnter, t, b);
}
constexpr Event barrier_exit(std::uint32_t t, std::uint64_t b) {
  return sync(EventKind::kBarrierExit, t, b);
}
constexpr Event alloc(std::uint32_t t, std::uint64_t a, std::uint32_t n) {
  return access(EventKind::kAlloc, t, a, n);
}
constexpr Event free(std::uint32_t t, std::uint64_t a, std::uint32_t n) {
  return access(EventKind::kFree, t, a, n);
}
constexpr Event work(std::uint32_t t, std::uint64_t instructions) {
  return sync(EventKind::kWork, t, instructions);
}

}  // namespace redflag::make
