// Event: one step of one thread of the program under test, and the table of all kinds of steps.
//
// A trace is a sequence of events in an order consistent with what happened: if a release was seen
// by an acquire, it comes before it. Frontends produce events, detectors consume them, and neither
// knows the other. kEventKinds is the one table of kinds: the text form, the trace file, the stream
// checker, the help pages and the tests read names and operands from it.
//
// What each kind means for ordering is defined once, in docs/how/semantics.md, and implemented twice:
// in the oracle (obvious) and in clock/happens_before.h (fast); differential tests hold them
// together.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/model/ids.h"

namespace redflag {

enum class EventKind : std::uint8_t {
  kRead,
  kWrite,
  kAtomicLoad,
  kAtomicStore,
  kAtomicRmw,
  kFence,
  kAcquire,
  kRelease,
  kAcquireShared,
  kReleaseShared,
  kFork,
  kJoin,
  kThreadEnd,
  kBarrierEnter,
  kBarrierExit,
  kAlloc,
  kFree,
  kWork,
};
inline constexpr int kEventKindCount = 18;

// What Event::object holds, and which of the other fields a kind uses.
enum class Operand : std::uint8_t { kNone, kMemory, kLock, kBarrier, kThread, kCount };

struct EventKindInfo {
  EventKind kind;
  std::string_view name;  // as in the text form
  Operand operand;
  bool has_order;  // Event::order is one of kRelaxed..kSeqCst
  bool may_be_volatile;
  std::string_view meaning;  // half a line, for help and docs
};

inline constexpr std::array<EventKindInfo, kEventKindCount> kEventKinds{{
    {EventKind::kRead, "read", Operand::kMemory, false, true, "plain load"},
    {EventKind::kWrite, "write", Operand::kMemory, false, true, "plain store"},
    {EventKind::kAtomicLoad, "atomic-load", Operand::kMemory, true, false, "atomic load"},
    {EventKind::kAtomicStore, "atomic-store", Operand::kMemory, true, false, "atomic store"},
    {EventKind::kAtomicRmw, "atomic-rmw", Operand::kMemory, true, false,
     "atomic read-modify-write that wrote (a failed CAS is an atomic-load)"},
    {EventKind::kFence, "fence", Operand::kNone, true, false, "atomic_thread_fence"},
    {EventKind::kAcquire, "acquire", Operand::kLock, false, false, "lock taken, exclusive"},
    {EventKind::kRelease, "release", Operand::kLock, false, false, "exclusive lock given up"},
    {EventKind::kAcquireShared, "acquire-shared", Operand::kLock, false, false,
     "read-write lock taken for reading"},
    {EventKind::kReleaseShared, "release-shared", Operand::kLock, false, false,
     "read-write lock given up by a reader"},
    {EventKind::kFork, "fork", Operand::kThread, false, false, "starts the other thread"},
    {EventKind::kJoin, "join", Operand::kThread, false, false, "waits for the other thread's end"},
    {EventKind::kThreadEnd, "end", Operand::kNone, false, false, "last event of its thread"},
    {EventKind::kBarrierEnter, "barrier-enter", Operand::kBarrier, false, false,
     "arrives at a barrier"},
    {EventKind::kBarrierExit, "barrier-exit", Operand::kBarrier, false, false,
     "leaves a barrier that all participants reached"},
    {EventKind::kAlloc, "alloc", Operand::kMemory, false, false,
     "memory becomes new: its history is forgotten"},
    {EventKind::kFree, "free", Operand::kMemory, false, false,
     "memory given back: conflicts like a write of the whole block"},
    {EventKind::kWork, "work", Operand::kCount, false, false,
     "so many instructions since the thread's last such event; orders nothing"},
}};

constexpr const EventKindInfo& info(EventKind kind) {
  return kEventKinds[static_cast<std::size_t>(kind)];
}

inline constexpr std::array<std::string_view, kOrderCount> kOrderNames{
    "plain", "relaxed", "acquire", "release", "acq_rel", "seq_cst"};
inline constexpr std::array<std::string_view, kScopeCount> kScopeNames{"system", "device",
                                                                       "cluster", "block", "warp"};

constexpr std::string_view name(EventKind kind) {
  return info(kind).name;
}
constexpr std::string_view name(Order order) {
  return kOrderNames[raw(order)];
}
constexpr std::string_view name(Scope scope) {
  return kScopeNames[raw(scope)];
}

struct Event {
  EventKind kind = EventKind::kRead;
  Order order = Order::kPlain;
  Scope scope = Scope::kSystem;
  bool is_volatile = false;
  ThreadId thread{0};
  std::uint64_t object = 0;  // address, lock, barrier, other thread or count: info(kind).operand
  std::uint32_t size = 0;    // bytes, for Operand::kMemory; at least 1, object + size does not wrap
  SourceId source = kNoSource;

  constexpr Addr addr() const { return Addr{object}; }
  constexpr LockId lock() const { return LockId{object}; }
  constexpr BarrierId barrier() const { return BarrierId{object}; }
  constexpr std::uint64_t count() const { return object; }
  constexpr ThreadId other() const { return ThreadId{static_cast<std::uint32_t>(object)}; }

  friend constexpr bool operator==(const Event&, const Event&) = default;
};
static_assert(sizeof(Event) == 24, "events are streamed by the million: keep them three words");

constexpr bool is_access(EventKind k) {
  return info(k).operand == Operand::kMemory;
}
constexpr bool is_atomic(EventKind k) {
  return k == EventKind::kAtomicLoad || k == EventKind::kAtomicStore || k == EventKind::kAtomicRmw;
}

// The kinds table is indexed by kind; a row in the wrong place would misname every event.
consteval bool event_kinds_in_order() {
  for (std::size_t i = 0; i < kEventKinds.size(); ++i) {
    if (static_cast<std::size_t>(kEventKinds[i].kind) != i) return false;
  }
  return true;
}
static_assert(event_kinds_in_order());

}  // namespace redflag
