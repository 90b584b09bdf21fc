// Accesses of one-sided programs: what MPI RMA, OpenSHMEM and loads and stores have in common.
//
// An operation touches memory twice, at its origin and at its target, and neither at a moment: the
// access is under way from its issue to its completion, which for the two is different (flush_local
// completes the origin's, flush both). A load or a store is under way for no time. When two accesses
// are ordered is one rule (is_before), for all of them and all frontends:
//
//   a is before b if b was issued by a thread that knew of a's completion (or of its delivery).
//
// So a flush that nobody learns of orders nothing, nor does a barrier that comes before the flush; and a
// thread's own operation is concurrent with its next load until it has completed. What two accesses
// may do together is a table (docs/how/one-sided.md; MPI 3.1, 11.7; OpenSHMEM 1.5, section 9).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

#include "core/detect/pgas/knowledge.h"

namespace redflag::pgas {

enum class AccessKind : std::uint8_t {
  kLoad,
  kStore,
  kGet,
  kPut,
  kOriginRead,
  kOriginWrite,
  kAccumulate,
  kFetch,
  kAtomicLoad,
  kAtomicStore,
  kPollingLoad,
};
inline constexpr std::size_t kAccessKindCount = 11;

struct AccessKindInfo {
  AccessKind kind;
  std::string_view name;
  bool writes;
  bool is_atomic;          // it may meet others that are atomic alike
  bool is_local;           // by an instruction: under way for no time
  std::string_view means;  // half a line, for reports and docs
};

inline constexpr std::array<AccessKindInfo, kAccessKindCount> kAccessKinds{{
    {AccessKind::kLoad, "load", false, false, true, "the owner's own load"},
    {AccessKind::kStore, "store", true, false, true, "the owner's own store"},
    {AccessKind::kGet, "get", false, false, false, "memory at the target is read"},
    {AccessKind::kPut, "put", true, false, false, "memory at the target is written"},
    {AccessKind::kOriginRead, "origin-read", false, false, false,
     "a buffer is sent from: it may be read until local completion"},
    {AccessKind::kOriginWrite, "origin-write", true, false, false,
     "a buffer is received into: it may be written until local completion"},
    {AccessKind::kAccumulate, "accumulate", true, true, false,
     "memory at the target is updated, element by element"},
    {AccessKind::kFetch, "fetch", false, true, false,
     "memory at the target is read, element by element: an accumulate that changes nothing"},
    {AccessKind::kAtomicLoad, "atomic-load", false, false, true,
     "a load by an atomic operation of the processor: a library's own are another matter"},
    {AccessKind::kAtomicStore, "atomic-store", true, false, true,
     "a store or an update by an atomic operation of the processor"},
    {AccessKind::kPollingLoad, "polling-load", false, false, true,
     "a load of a volatile object, or one that a loop waits for"},
}};

constexpr const AccessKindInfo& info(AccessKind kind) {
  return kAccessKinds[static_cast<std::size_t>(kind)];
}

consteval bool access_kinds_in_order() {
  for (std::size_t i = 0; i < kAccessKinds.size(); ++i) {
    if (static_cast<std::size_t>(kAccessKinds[i].kind) != i) return false;
  }
  return true;
}
static_assert(access_kinds_in_order());

// Atomic operations of processors meet each other, whatever they do, but no operation of a library: MPI 3.1,
// 11.7.1, and OpenSHMEM 1.4, 9.7, promise atomicity among their own only.
constexpr bool is_of_processor(AccessKind kind) {
  return kind == AccessKind::kAtomicLoad || kind == AccessKind::kAtomicStore;
}

// Which atomic accesses may meet. Frontends number types and operations; 0 is none.
struct Atomicity {
  std::uint16_t type = 0;  // and domain: those of different types do not exclude each other
  std::uint16_t operation = 0;
  std::uint16_t element = 1;   // bytes
  bool any_operation = false;  // the window promises nothing of operations (accumulate_ops=any)

  friend bool operator==(const Atomicity&, const Atomicity&) = default;
};

inline constexpr Time kPending{std::numeric_limits<std::uint32_t>::max(),
                               std::numeric_limits<std::uint64_t>::max()};
// The counter of what ended when it was issued.
inline constexpr std::uint64_t kAtOnce = std::numeric_limits<std::uint64_t>::max() - 1;

// What accesses have in common that one place in the program makes while its thread learns nothing.
struct Shape {
  AccessKind kind = AccessKind::kLoad;
  Atomicity atomicity{};
  ThreadName by{};
  std::shared_ptr<const Knowledge> issued;  // what the thread knew of the others
  std::uint64_t object = 0;                 // the window or symmetric object; 0: none
  std::uint64_t source = 0;  // the place in the program, of the whole job; 0: unknown
  // Of what leaves something out, and is not atomic: `element` bytes every `step`, the last ends at the end.
  std::uint32_t step = 0;  // 0: all bytes
  std::uint32_t element = 0;

  friend bool operator==(const Shape&, const Shape&) = default;
};

// When accesses end: those that are completed together have one fate.
struct Fate {
  Time completed = kPending;  // a time of the thread that completed it:
  ThreadName completed_by{};  // mostly its own; a flush is for the whole rank
  // Complete in the eyes of some, before it is for all: delivered in order with what they learned
  // from (a fence, a flag that was waited for).
  Time delivered = kPending;
  ThreadName delivered_by{};

  friend bool operator==(const Fate&, const Fate&) = default;
};

struct Access : Shape, Fate {
  std::uint64_t at = 0;     // the counter of its thread when it was issued
  std::uint64_t begin = 0;  // addresses in the owner's memory
  std::uint64_t end = 0;
  std::uint64_t operation = 0;  // of its rank: what it is completed by; 0: none
};

// The same, for as long as somebody else keeps what it refers to.
struct AccessView {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t at;
  const Shape& shape;
  const Fate& fate;

  Time completed() const { return completion(fate, at); }
  // What was known when it was issued.
  bool knows(ThreadName thread, Time time) const {
    return thread == shape.by ? at >= time.counter : shape.issued->knows(thread, time);
  }
  bool knows_for_certain(ThreadName thread, Time time) const {
    return thread == shape.by ? at >= time.counter : shape.issued->knows_for_certain(thread, time);
  }
  static Time completion(const Fate& fate, std::uint64_t at) {
    return fate.completed.counter == kAtOnce ? Time{fate.completed.phase, at} : fate.completed;
  }
};

inline AccessView view(const Access& a) {
  return {a.begin, a.end, a.at, a, a};
}

constexpr bool writes(const Shape& s) {
  return info(s.kind).writes;
}

inline bool is_before(const AccessView& a, const AccessView& b) {
  const Fate& end = a.fate;
  return (end.completed != kPending && b.knows(end.completed_by, a.completed())) ||
         (end.delivered != kPending && b.knows(end.delivered_by, end.delivered));
}

// Of one rank's threads: what the CPU's own detector sees.
inline bool are_of_one_process(const Shape& a, const Shape& b) {
  return info(a.kind).is_local && info(b.kind).is_local && a.by.rank == b.by.rank;
}

// Element by element: those that are cut differently tear.
inline bool are_in_step(const AccessView& a, const AccessView& b) {
  const Atomicity& x = a.shape.atomicity;
  const Atomicity& y = b.shape.atomicity;
  const std::uint64_t apart = a.begin < b.begin ? b.begin - a.begin : a.begin - b.begin;
  return x.type == y.type && x.element == y.element && apart % x.element == 0;
}

// May the two be under way together? Only said of such that overlap.
inline bool are_compatible(const AccessView& a, const AccessView& b) {
  if (!writes(a.shape) && !writes(b.shape)) return true;
  if (is_of_processor(a.shape.kind) && is_of_processor(b.shape.kind)) return true;
  if (!info(a.shape.kind).is_atomic || !info(b.shape.kind).is_atomic) return false;
  if (!are_in_step(a, b)) return false;
  const Atomicity& x = a.shape.atomicity;
  const Atomicity& y = b.shape.atomicity;
  const bool one_reads = a.shape.kind == AccessKind::kFetch || b.shape.kind == AccessKind::kFetch;
  return one_reads || x.operation == y.operation || (x.any_operation && y.any_operation);
}

// Was y issued by a thread that knew x to be issued?
inline bool knew_of(const AccessView& y, const AccessView& x) {
  return y.knows(x.shape.by, {x.shape.issued->phase(), x.at});
}

// Issued by one rank, of one type, one after the other: such are done in order, whatever they do (MPI
// 3.1, 11.7.2, by default).
inline bool are_ordered_atomics(const AccessView& a, const AccessView& b) {
  const Shape& s = a.shape;
  const Shape& t = b.shape;
  if (!info(s.kind).is_atomic || !info(t.kind).is_atomic || s.by.rank != t.by.rank) return false;
  if (!are_in_step(a, b)) return false;
  return knew_of(a, b) || knew_of(b, a);
}

// The first element of a strided access that ends behind an address.
inline std::uint64_t first_behind(const AccessView& strided, std::uint64_t address) {
  const std::uint64_t first_end = strided.begin + strided.shape.element;
  if (address < first_end) return strided.begin;
  return strided.begin + ((address - first_end) / strided.shape.step + 1) * strided.shape.step;
}

// False: they do not. Of two that are strided alike this is exact but at their ends, else one of them is
// taken to have all its bytes.
inline bool may_overlap(const AccessView& a, const AccessView& b) {
  if (a.begin >= b.end || b.begin >= a.end) return false;
  if (a.shape.step != 0 && b.shape.step != 0) {
    const std::uint64_t step = a.shape.step;
    if (b.shape.step != step) return true;
    const std::uint64_t apart = (b.begin % step + step - a.begin % step) % step;
    return apart < a.shape.element || apart + b.shape.element > step;
  }
  if (a.shape.step != 0) return first_behind(a, b.begin) < b.end;
  return b.shape.step == 0 || first_behind(b, a.begin) < a.end;
}

// Two that are strided are of different ranks, or operations, and have been cut before (races.cpp).
inline bool overlap(const AccessView& a, const AccessView& b) {
  if (a.begin >= b.end || b.begin >= a.end) return false;
  if (a.shape.step != 0) return first_behind(a, b.begin) < b.end;
  return b.shape.step == 0 || first_behind(b, a.begin) < a.end;
}

inline bool is_race(const AccessView& a, const AccessView& b) {
  return overlap(a, b) && !are_compatible(a, b) && !are_of_one_process(a.shape, b.shape) &&
         !is_before(a, b) && !is_before(b, a) && !are_ordered_atomics(a, b);
}
inline bool is_race(const Access& a, const Access& b) {
  return is_race(view(a), view(b));
}

}  // namespace redflag::pgas
