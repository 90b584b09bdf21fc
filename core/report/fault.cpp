#include "core/report/fault.h"

#include <algorithm>

namespace redflag {
namespace {

bool touches(const Access& access, std::uint64_t begin, std::uint64_t size) {
  const std::uint64_t at = raw(access.addr);
  if (access.size == 0) return true;  // not known
  // Differences, not ends: an end may wrap around.
  return at <= begin ? begin - at < access.size : at - begin < size;
}

// Is there a lock that the two could not both hold in this way at the same time?
bool exclude_each_other(const Side& a, const Side& b) {
  return std::any_of(a.locks.begin(), a.locks.end(), [&](const HeldLock& one) {
    return std::any_of(b.locks.begin(), b.locks.end(), [&](const HeldLock& other) {
      return one.id != 0 && one.id == other.id && !(one.shared && other.shared);
    });
  });
}

}  // namespace

Fault fault_of(const Finding& finding, const Evidence& evidence) {
  const Side& first = finding.first;
  const Side& second = finding.second;
  const bool of_threads = !first.gpu && !second.gpu && !first.rma && !second.rma;
  if (info(finding.rule).group != RuleGroup::kRace || !of_threads || !finding.has_first) {
    return Fault::kNone;
  }
  if (finding.size != 0) {
    const std::uint64_t addr = raw(finding.addr);
    const std::uint64_t earlier = raw(evidence.earlier_addr);
    if (!touches(second.access, addr, finding.size)) return Fault::kLaterElsewhere;
    if (!touches(first.access, earlier != 0 ? earlier : addr, finding.size)) {
      return Fault::kEarlierElsewhere;
    }
  }
  if (!evidence.locks_may_not_order && exclude_each_other(first, second)) return Fault::kCommonLock;
  return evidence.never_made ? Fault::kNeverMade : Fault::kNone;
}

}  // namespace redflag
