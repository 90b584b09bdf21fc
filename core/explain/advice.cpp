// What was missing, and what to change: the sentences of a finding.
//
// The most specific cause wins: a message passed between the two with too weak an order (only a
// trace shows it), a lock that only one side held, different locks, a lock held for reading by a
// writer. Only when there is none of these is it "nothing orders them".
#include "core/explain/advice.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/explain/explainer.h"

namespace redflag {
namespace {

std::string join_names(const std::vector<HeldLock>& locks) {
  std::string text;
  for (const HeldLock& lock : locks) text += (text.empty() ? "" : ", ") + lock.name;
  return text;
}

const HeldLock* common_lock(const Side& a, const Side& b, bool& shared) {
  for (const HeldLock& x : a.locks) {
    for (const HeldLock& y : b.locks) {
      const bool same = x.id != 0 || y.id != 0 ? x.id == y.id : x.name == y.name;
      if (!same) continue;
      shared = x.shared || y.shared;
      return &x;
    }
  }
  return nullptr;
}

std::string memory_label(const Finding& f) {
  return f.memory.name.empty() ? "this memory" : "'" + f.memory.name + "'";
}

}  // namespace

// A value that the first thread stored after its access and the second thread loaded before its
// own.
const Explainer::Receipt* Explainer::message_between(const Access& first, const Access& second) {
  const std::deque<Receipt>& receipts = thread(second.thread).receipts;
  for (auto it = receipts.rbegin(); it != receipts.rend(); ++it) {
    if (it->store_thread == first.thread && it->store > first.index && it->load < second.index &&
        !(it->released && it->acquired)) {
      return &*it;
    }
  }
  return nullptr;
}

void Explainer::advise(Finding& f, const Sources& sources) {
  const Side& a = f.first;
  const Side& b = f.second;
  const Receipt* r = message_between(a.access, b.access);
  if (r == nullptr || f.rule == Rule::kLockset) return advise_by_sides(f);
  const Region* region = sources.region_of(r->addr);
  const std::string flag =
      region != nullptr && !region->name.empty() ? "'" + region->name + "'" : "an atomic";
  if (!r->released) {
    f.missing = Missing::kReleaseOrder;
    f.missing_text = b.thread_name + " saw the value that " + a.thread_name + " stored to " + flag +
                     " afterwards, but that store does not release: it orders nothing.";
    f.advice = "Store to " + flag + " with memory_order_release" +
               (r->acquired ? "." : ", and load it with memory_order_acquire.");
  } else {
    f.missing = Missing::kAcquireOrder;
    f.missing_text = b.thread_name + " saw the value that " + a.thread_name + " released to " +
                     flag + ", but its load does not acquire: it orders nothing.";
    f.advice = "Load " + flag + " with memory_order_acquire.";
  }
}

void advise_by_sides(Finding& f) {
  const Side& a = f.first;
  const Side& b = f.second;
  const std::string what = memory_label(f);
  if (!is_race(f.rule)) {
    f.missing = Missing::kCorrectUse;
    f.missing_text = info(f.rule).explanation;
    f.advice = info(f.rule).remedy;
    return;
  }
  bool shared = false;
  const HeldLock* common = common_lock(a, b, shared);
  if (f.rule == Rule::kFree || f.rule == Rule::kUseAfterFree) {
    f.missing = Missing::kJoinBeforeReuse;
    f.missing_text =
        f.rule == Rule::kFree
            ? "Nothing makes the free wait for the last use, or the use come first."
            : b.thread_name + " uses the memory after " + a.thread_name + " has given it back.";
    f.advice = "Let the thread that frees " + what +
               " wait for the other (join, barrier, a lock with a flag), or share ownership.";
  } else if (f.rule == Rule::kVptr) {
    f.missing = Missing::kAnyOrder;
    f.missing_text =
        "Nothing makes the virtual call wait for the constructor, or the destructor for "
        "the call.";
    f.advice = info(f.rule).remedy;
  } else if (f.rule == Rule::kAtomicPlain) {
    const bool first_is_plain = !is_atomic(a.access.kind);
    const std::string plain = first_is_plain ? a.thread_name : b.thread_name;
    f.missing = Missing::kAtomicAccess;
    f.missing_text =
        "The access of " + plain + " is not atomic, and nothing orders it with the other.";
    f.advice = "Make the access of " + plain + " atomic, or order it with the atomic one.";
  } else if (common != nullptr && shared) {
    f.missing = Missing::kExclusiveLock;
    f.missing_text =
        "Both hold " + common->name + ", but for reading: readers do not exclude each other.";
    f.advice = "Take " + common->name + " exclusively to write " + what + ".";
  } else if (!a.locks.empty() && !b.locks.empty()) {
    f.missing = Missing::kCommonLock;
    f.missing_text = a.thread_name + " holds " + join_names(a.locks) + ", " + b.thread_name +
                     " holds " + join_names(b.locks) + ": no lock in common.";
    f.advice = "Protect " + what + " with one and the same lock everywhere.";
  } else if (!a.locks.empty() || !b.locks.empty()) {
    const Side& with = a.locks.empty() ? b : a;
    const Side& without = a.locks.empty() ? a : b;
    f.missing = Missing::kLockOnOneSide;
    f.missing_text = with.thread_name + " holds " + join_names(with.locks) + ", " +
                     without.thread_name + " holds no lock.";
    f.advice = "Take " + with.locks.front().name + " around the access of " + without.thread_name +
               " too.";
  } else {
    f.missing = Missing::kAnyOrder;
    f.missing_text = "No lock, join, barrier or atomic orders the two accesses.";
    f.advice = std::string(info(f.rule).remedy);
  }
}

}  // namespace redflag
