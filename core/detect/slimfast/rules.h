// The rules of SlimFast as a table: the names of the dissertation's figures 3.3 and 3.5, and ours.
//
// Every check and update of the detector is one of these, and is counted: --stats prints them,
// tests compare them with the paper's worked examples, and the mutation test breaks them one by
// one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace redflag::slimfast {

enum class SlimRule : std::uint8_t {
  kReadSameEpoch,
  kReadOwnWrite,
  kReadSharedSameEpoch,
  kReadSharedReuse,
  kReadSharedAlloc,
  kReadInflReuse,
  kReadInflAlloc,
  kReadExclReuse,
  kReadExclAlloc,
  kWriteSameEpoch,
  kWriteExcl,
  kWriteShared,
  kMixedSameEpoch,
  kMixedUpdate,
  kMixedWrite,
  kReadPaired,
};
inline constexpr std::size_t kSlimRuleCount = 16;

struct SlimRuleInfo {
  SlimRule rule;
  std::string_view name;
  std::string_view from;  // where it is defined
  bool shared;            // an access to EpochPlusVC metadata (table 3.1, column 3)
};

inline constexpr std::array<SlimRuleInfo, kSlimRuleCount> kSlimRules{{
    {SlimRule::kReadSameEpoch, "ReadSameEpoch", "figure 3.3", false},
    {SlimRule::kReadOwnWrite, "ReadOwnWrite", "redflag: read of what this epoch wrote", false},
    {SlimRule::kReadSharedSameEpoch, "ReadSharedSameEpoch", "figure 3.3", true},
    {SlimRule::kReadSharedReuse, "ReadSharedReuse", "figure 3.5", true},
    {SlimRule::kReadSharedAlloc, "ReadSharedAlloc", "figure 3.5", true},
    {SlimRule::kReadInflReuse, "ReadInflReuse", "figure 3.5", true},
    {SlimRule::kReadInflAlloc, "ReadInflAlloc", "figure 3.5", true},
    {SlimRule::kReadExclReuse, "ReadExclReuse", "figure 3.5", false},
    {SlimRule::kReadExclAlloc, "ReadExclAlloc", "figure 3.5", false},
    {SlimRule::kWriteSameEpoch, "WriteSameEpoch", "figure 3.3", false},
    {SlimRule::kWriteExcl, "WriteExcl", "figure 3.5", false},
    {SlimRule::kWriteShared, "WriteShared", "figure 3.5", true},
    {SlimRule::kMixedSameEpoch, "MixedSameEpoch", "redflag: location with atomics", false},
    {SlimRule::kMixedUpdate, "MixedUpdate", "redflag: location with atomics", false},
    {SlimRule::kMixedWrite, "MixedWrite", "redflag: location with atomics", false},
    {SlimRule::kReadPaired, "ReadPaired", "redflag: page kept as pairs", false},
}};

// The rule that finds what `rule` made.
constexpr SlimRule reuse_of(SlimRule rule) {
  switch (rule) {
    case SlimRule::kReadSharedAlloc:
      return SlimRule::kReadSharedReuse;
    case SlimRule::kReadInflAlloc:
      return SlimRule::kReadInflReuse;
    case SlimRule::kReadExclAlloc:
      return SlimRule::kReadExclReuse;
    default:
      return rule;
  }
}

}  // namespace redflag::slimfast
