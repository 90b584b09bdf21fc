// Suppressions: races somebody has looked at and does not want to hear of again.
//
// The files have ThreadSanitizer's syntax, so that an existing file works unchanged: one
// `type:pattern` a line, `#` begins a comment line (docs/suppressions.md). `race:` looks at every
// frame's function, file and module, those of the threads' creation included, and at the memory's
// name, `race_top:` only at the two innermost frames. `mutex:`, `thread:` and `signal:` are the same
// for misuse of these. A rule id as the type (race-free:, lockset:, ...) is for findings of that
// rule alone. Types about things that are not looked for are noted as having no effect.
//
// Parsing is strict: a line that would silently suppress nothing is an error. A finding is taken
// away by the first suppression that matches it. Memory without a name is known by its address
// (0x1f00). One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/finding.h"
#include "core/report/pattern.h"

namespace redflag {

// What a suppression's type makes it look at.
enum class SuppressionEffect : std::uint8_t { kRaces, kTopFrame, kGroup, kOneRule, kNone };

struct Suppression {
  SuppressionEffect effect = SuppressionEffect::kNone;
  RuleGroup group = RuleGroup::kRace;  // for kGroup
  Rule rule = Rule::kWriteWrite;       // for kOneRule
  std::string text;                    // type:pattern, as written
  std::string file;
  std::uint32_t line = 0;
  Pattern pattern;
  std::uint64_t hits = 0;  // races taken away

  bool matches(const Finding& finding) const;
  bool is_about(Rule found) const;
};

class Suppressions {
 public:
  // Adds the lines of one file, called `name` in messages. On an error nothing is added.
  Result<void> add(const std::string& name, std::string_view text);

  // Reads and adds the file at `path`.
  Result<void> add_file(const std::string& path);

  // Takes matched findings out of the report and counts their races in report.suppressed.
  void apply(Report& report);

  // Whether one finding is to be left out; counts it as a hit if so.
  bool takes(const Finding& finding);

  const std::vector<Suppression>& all() const { return all_; }

  // For the user, as "file:line: type:pattern": those that could match but did not, and those whose
  // type has no effect here.
  std::vector<std::string> unused() const;
  std::vector<std::string> without_effect() const;

 private:
  std::vector<Suppression> all_;
};

// The valid types, as listed in messages: "race, race_top, ...".
std::string suppression_types();

// The line that suppresses this finding: by the innermost function with a known file on either
// side, so that a race inside memcpy is named by its caller; else by what is known. Never empty.
std::string paste_ready(const Finding& finding);

}  // namespace redflag
