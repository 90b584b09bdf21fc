// Fault: a finding that contradicts itself, which is an error of Redflag and not of the program.
//
// A race is two accesses of common bytes that nothing orders. Three facts about its two sides can
// be checked without any clock: both access the racy bytes, they do not hold a common lock that
// excludes them, and the earlier access was made. A finding that fails one of these checks has a
// wrong history. It is not printed, because a false report is the worst fault. It is counted and,
// with --keep-faults, kept for the developers of Redflag.
//
// Unknown facts prove nothing: a side whose stack and locks are lost, and misuse, predictions
// and findings of GPU and one-sided programs, which have other rules, are never faults.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/model/finding.h"

namespace redflag {

enum class Fault : std::uint8_t {
  kNone,
  kLaterElsewhere,
  kEarlierElsewhere,
  kCommonLock,
  kNeverMade
};

struct FaultInfo {
  Fault fault;
  std::string_view id;
  std::string_view text;  // what contradicts what
};

inline constexpr std::array<FaultInfo, 5> kFaults{{
    {Fault::kNone, "none", "nothing contradicts anything"},
    {Fault::kLaterElsewhere, "later-elsewhere", "the later access does not touch the racy bytes"},
    {Fault::kEarlierElsewhere, "earlier-elsewhere",
     "the earlier access does not touch the racy bytes"},
    {Fault::kCommonLock, "common-lock",
     "both accesses hold the same lock, and one of them exclusively"},
    {Fault::kNeverMade, "never-made",
     "the earlier thread's history is complete and has no such access"},
}};
static_assert([] {
  for (std::size_t i = 0; i < kFaults.size(); ++i) {
    if (kFaults[i].fault != static_cast<Fault>(i)) return false;
  }
  return true;
}());
constexpr const FaultInfo& info(Fault fault) {
  return kFaults[static_cast<std::size_t>(fault)];
}

// Facts of the runtime that the finding does not have.
struct Evidence {
  // The racy bytes by the address that the earlier thread used, where memory is mapped twice.
  Addr earlier_addr{0};
  // The earlier thread's history goes back to the access's epoch, and has no such access.
  bool never_made = false;
  // The program asked to ignore some synchronisation: then a common lock may not order.
  bool locks_may_not_order = false;
};

// The first thing wrong with the finding.
Fault fault_of(const Finding& finding, const Evidence& evidence);

}  // namespace redflag
