// Finding: a race as a person reads it, with everything resolved; and Report, a list of them.
//
// Self-contained: names, stacks and the picture of the interleaving are inside, so that a report
// can be written to JSON, read back and rendered later, elsewhere, without the trace. Built by
// explain/ (or by a runtime), changed only by report/'s fold, suppression and baseline steps,
// printed by its renderers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/race.h"
#include "core/model/sources.h"

namespace redflag {

struct HeldLock {
  std::string name;
  bool shared = false;  // held for reading

  friend bool operator==(const HeldLock&, const HeldLock&) = default;
};

// One of the two accesses.
struct Side {
  Access access;
  std::string thread_name;      // never empty: "T3" when the trace has no name
  std::vector<Frame> stack;     // innermost first; may be empty
  std::vector<HeldLock> locks;  // held at the access

  friend bool operator==(const Side&, const Side&) = default;
};

// One mark in the picture of the interleaving, in trace order.
struct Step {
  enum class Role : std::uint8_t { kSync, kFirst, kSecond };
  EventIndex index = kNoIndex;
  ThreadId thread{0};
  Role role = Role::kSync;
  std::string what;  // "release m", "fork T2", "write 4 bytes"
  Frame at;          // may be unknown

  friend bool operator==(const Step&, const Step&) = default;
};

// Synchronisation that took place: steps[from] happens before steps[to], on another thread.
struct Arrow {
  std::uint32_t from = 0;
  std::uint32_t to = 0;

  friend bool operator==(const Arrow&, const Arrow&) = default;
};

// What would have ordered the two accesses, told as what was missing or too weak.
enum class Missing : std::uint8_t {
  kAnyOrder,         // no synchronisation joins the two
  kLockOnOneSide,    // one held a lock, the other none
  kCommonLock,       // both held locks, but no common one
  kExclusiveLock,    // both held the same lock, the writer only for reading
  kReleaseOrder,     // an atomic passed between them, stored without release
  kAcquireOrder,     // an atomic passed between them, loaded without acquire
  kAtomicAccess,     // the other side is atomic, this one is plain
  kJoinBeforeReuse,  // the freeing thread did not wait
};
inline constexpr int kMissingCount = 8;

enum class BaselineStatus : std::uint8_t { kNone, kNew, kKnown };

struct Finding {
  Rule rule = Rule::kWriteWrite;
  Addr addr{0};
  std::uint32_t size = 0;
  Region memory;                    // size 0: unnamed memory
  std::vector<Frame> memory_stack;  // where it was allocated or declared
  Side first;
  Side second;
  Missing missing = Missing::kAnyOrder;
  std::string missing_text;  // one sentence, with the names involved
  std::string advice;        // one sentence: what to change
  std::vector<Step> steps;   // the picture; may be empty
  std::vector<Arrow> arrows;
  std::uint64_t count = 1;  // races folded into this one
  std::string fingerprint;  // stable between runs; set by report/fold
  BaselineStatus baseline = BaselineStatus::kNone;

  friend bool operator==(const Finding&, const Finding&) = default;
};

struct Counter {
  std::string name;
  double value = 0;
  std::string unit;  // "", "%", "bytes", "x"

  friend bool operator==(const Counter&, const Counter&) = default;
};

struct Report {
  std::string tool_version;
  std::string command;  // to paste again
  std::string detector;
  std::string input;  // trace or program
  std::uint64_t events = 0;
  std::vector<Finding> findings;
  std::uint64_t suppressed = 0;  // races matched by a suppression
  std::uint64_t dropped = 0;     // races beyond the limit on distinct findings
  std::vector<Counter> stats;    // may be empty

  friend bool operator==(const Report&, const Report&) = default;
};

}  // namespace redflag
