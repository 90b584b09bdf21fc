// Suppressions: races that were examined and should not be reported again.
//
// The files have ThreadSanitizer's syntax, so that an existing file works unchanged: one
// `type:pattern` a line, `#` begins a comment line (docs/user/suppressions.md). `race:` looks at
// every frame's function, file and module, those of the threads' creation included, at the memory's
// name and at a kernel's. `race_top:` looks only at the innermost frame of each side and, where
// that belongs to a library or a template, at the first function of the program's own code
// (own_code.h). `mutex:`, `thread:` and `signal:` are the same as `race:` for misuse of these. A
// rule id as the type (race-free:, lockset:, ...) is for findings of that rule alone. With `_top`
// behind them, these too look at the innermost frames only. `called_from_lib:` leaves out no
// finding: the runtime in the program ignores the calls of the libraries that it names. A note
// lists types without effect.
//
// Parsing is strict: a line that could suppress nothing is an error. The first suppression that
// matches a finding leaves it out. Memory without a name is known by its address
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

// The names that a suppression of this type is compared with.
enum class SuppressionEffect : std::uint8_t {
  kRaces,
  kTopFrame,
  kGroup,
  kOneRule,
  kCalls,
  kNone,
};

struct Suppression {
  SuppressionEffect effect = SuppressionEffect::kNone;
  RuleGroup group = RuleGroup::kRace;  // for kGroup
  Rule rule = Rule::kWriteWrite;       // for kOneRule
  bool top_only = false;               // for kGroup and kOneRule; kTopFrame has no other frames
  std::string text;                    // type:pattern, as written
  std::string file;
  std::uint32_t line = 0;
  Pattern pattern;
  std::uint64_t hits = 0;  // races left out

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
  // Those for calls from libraries: as for the user, and as lines of a file.
  std::vector<std::string> for_calls() const;
  std::string lines_for_calls() const;

  // "ThreadSanitizer: Matched 3 suppressions:" and a line for each; nothing when none matched.
  std::string matched_in_tsan_words() const;

 private:
  std::vector<Suppression> all_;
};

// The valid types, as listed in messages: "race, race_top, ...".
std::string suppression_types();

// The line that suppresses this finding and as little else as a line can: findings at the same
// function of the program's own code. Where no function is known it names the kernel or the
// variable; an address only where it means the same in the next run, that of a trace. Empty:
// nothing names the finding.
inline constexpr std::size_t kMostPasteLength = 120;
std::string paste_ready(const Finding& finding);

}  // namespace redflag
