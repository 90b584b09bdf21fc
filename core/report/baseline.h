// Baseline: yesterday's report, so that today's can say what is new.
//
// A project that starts with forty known races wants its build to fail on the forty-first. The
// baseline is any JSON report of ours; findings are matched by fingerprint, so both reports must
// have been folded (fold.h), and a finding keeps its identity when lines move. A baseline of
// another detector or program is legal: whatever it does not contain is new.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/model/finding.h"

namespace redflag {

// Reads the report at `path` ("-": standard input).
Result<Report> read_report(const std::string& path);

// Marks every finding of `report` as new or known.
void compare_with_baseline(Report& report, const Report& baseline);

// True when there is a finding that is not known: without a baseline, when there is any.
bool has_new(const Report& report);

}  // namespace redflag
