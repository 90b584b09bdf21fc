// Baseline: an earlier report, so that a new one can say which findings are new.
//
// A project that starts with forty known races wants its build to fail on the forty-first. The
// baseline is any JSON report of Redflag; findings are matched by fingerprint, so both reports must
// have been folded (fold.h), and a finding keeps its identity when lines move. A baseline of
// another detector or program is allowed: findings that it does not contain are new.
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
