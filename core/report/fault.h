// Fault: a finding that contradicts itself, so that Redflag is wrong and not the program.
//
// A race is two accesses of common bytes that nothing orders. What a finding says of its two sides
// can be checked without any clock: both touch the bytes they are said to race on, they do not hold
// a lock that excludes one another, and the earlier one was really made. A finding that fails one
// of these came from a wrong history. It must not be printed: a false report is the worst fault
// there is. It is counted and, if the user wants, kept for those who work on Redflag.
//
// What is not known proves nothing: a side whose stack and locks are lost, and misuse, predictions
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

// What the runtime knows besides the finding.
struct Evidence {
  // The racy bytes by the address that the earlier thread used, where memory is mapped twice.
  Addr earlier_addr{0};
  // The earlier thread's history goes back to the access's epoch, and has no such access.
  bool never_made = false;
  // The program asked to ignore synchronisation somewhere: a lock held need not order then.
  bool locks_may_not_order = false;
};

// The first thing wrong with the finding.
Fault fault_of(const Finding& finding, const Evidence& evidence);

}  // namespace redflag
