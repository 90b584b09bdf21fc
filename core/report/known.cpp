#include "core/report/known.h"

#include <algorithm>

namespace redflag {
namespace {

bool is_plain(const Side& side) {
  return side.access.kind == EventKind::kRead || side.access.kind == EventKind::kWrite;
}

// Does the side's innermost code lead to the function through namespace std only?
bool is_made_by(const Side& side, std::string_view function) {
  for (const CodeFrame& frame : side.stack) {
    const std::string_view name = frame.function;
    // A template's result stands before its name.
    if (name.starts_with(function) || name.find(" " + std::string(function)) != name.npos) {
      return true;
    }
    if (!name.starts_with("std::")) return false;
  }
  return false;
}

}  // namespace

const KnownRace* known_race(const Finding& finding) {
  if (info(finding.rule).group != RuleGroup::kRace || !finding.has_first) return nullptr;
  if (!is_plain(finding.first) || !is_plain(finding.second)) return nullptr;
  const auto row = std::find_if(kKnownRaces.begin(), kKnownRaces.end(), [&](const KnownRace& one) {
    return is_made_by(finding.first, one.function) && is_made_by(finding.second, one.function);
  });
  return row == kKnownRaces.end() ? nullptr : &*row;
}

}  // namespace redflag
