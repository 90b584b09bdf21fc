// Race: two conflicting accesses that nothing orders, as a detector sees them.
//
// Plain data, no strings: the same value travels from a detector, a GPU or another rank to whoever
// turns it into a Finding (finding.h). `first` comes before `second` in the trace. Epoch-based
// detectors know of `first` only its thread, clock and whether it wrote: its index, source, size
// and exact kind stay unknown (kNoIndex, kNoSource) until explain/ looks them up.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/model/event.h"

namespace redflag {

struct Access {
  Addr addr{0};
  EventIndex index = kNoIndex;
  std::uint64_t clock = 0;  // of its thread, when it was made; counts from 1, 0: unknown
  ThreadId thread{0};
  std::uint32_t size = 0;
  SourceId source = kNoSource;
  EventKind kind = EventKind::kRead;
  Order order = Order::kPlain;
  bool is_volatile = false;
  std::uint8_t unused = 0;

  friend constexpr bool operator==(const Access&, const Access&) = default;
};
static_assert(sizeof(Access) == 40, "travels between ranks as bytes");

// Classes of findings. The ids are stable: they are SARIF rule ids and suppression types.
enum class Rule : std::uint32_t {
  kWriteWrite,
  kWriteRead,
  kReadWrite,
  kAtomicPlain,
  kFree,
  kLockset,
};
inline constexpr int kRuleCount = 6;

struct RuleInfo {
  Rule rule;
  std::string_view id;
  std::string_view title;
  std::string_view explanation;
  std::string_view remedy;
};

inline constexpr std::array<RuleInfo, kRuleCount> kRules{{
    {Rule::kWriteWrite, "race-write-write", "data race: write against write",
     "Two threads write the same memory and nothing orders the writes: which value stays is "
     "chance.",
     "Hold one lock around both writes, make them atomic, or order the threads (join, barrier)."},
    {Rule::kWriteRead, "race-write-read", "data race: write, then unordered read",
     "A thread reads memory that another thread writes, and nothing makes the write come first.",
     "Publish the data with a release store and an acquire load, or hold one lock on both sides."},
    {Rule::kReadWrite, "race-read-write", "data race: read, then unordered write",
     "A thread writes memory that another thread may still be reading.",
     "Let the writer wait for the readers (join, barrier), or hold one lock on both sides."},
    {Rule::kAtomicPlain, "race-atomic-plain", "data race: atomic against plain access",
     "One side is atomic, the other is a plain access of the same memory: the plain one still "
     "races.",
     "Make the plain access atomic too, or order it with the atomic one."},
    {Rule::kFree, "race-free", "data race: use against free",
     "Memory is given back while another thread may still use it.",
     "Let the freeing thread wait for the last user, or share ownership."},
    {Rule::kLockset, "lockset", "no common lock (prediction)",
     "Every thread that used this memory held some lock, but no lock was held every time. The two "
     "accesses may be ordered by other means in this run: a prediction, not a proof.",
     "Protect every access with the same lock, or confirm that other synchronisation orders them."},
}};

constexpr const RuleInfo& info(Rule rule) {
  return kRules[static_cast<std::size_t>(rule)];
}

constexpr bool writes(EventKind k) {
  return k == EventKind::kWrite || k == EventKind::kAtomicStore || k == EventKind::kAtomicRmw ||
         k == EventKind::kFree;
}

// The class of a race from its two accesses, which must conflict.
constexpr Rule classify(EventKind first, EventKind second) {
  if (first == EventKind::kFree || second == EventKind::kFree) return Rule::kFree;
  if (is_atomic(first) != is_atomic(second)) return Rule::kAtomicPlain;
  if (writes(first)) return writes(second) ? Rule::kWriteWrite : Rule::kWriteRead;
  return Rule::kReadWrite;
}

struct Race {
  Rule rule = Rule::kWriteWrite;
  std::uint32_t size = 0;  // of the bytes both sides touched
  Addr addr{0};            // first of those bytes
  Access first;
  Access second;

  friend constexpr bool operator==(const Race&, const Race&) = default;
};
static_assert(sizeof(Race) == 96, "travels between ranks as bytes");

// Where detectors put what they find. Called on the detector's thread, in the order of
// second.index; an implementation may throw nothing and must not call back into the detector.
class FindingSink {
 public:
  virtual void on_race(const Race& race) = 0;

 protected:
  ~FindingSink() = default;
};

}  // namespace redflag
