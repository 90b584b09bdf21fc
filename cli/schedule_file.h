// The files of --schedule and --replay of `redflag confirm` (confirm/schedule.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "confirm/pairs.h"
#include "confirm/schedule.h"
#include "core/base/output_file.h"

namespace redflag::cli {

// The runs that --replay asks for, each for its pair of the report; nothing: it does not. A schedule of which
// the report has no finding is an error: it is of another program.
Result<std::optional<std::vector<confirm::Trial>>> replayed_trials(const Arguments& arguments,
                                                                   const Report& report,
                                                                   const confirm::Pairs& pairs);

// Created before the runs, so that a wrong path costs none.
class ScheduleFile {
 public:
  static Result<ScheduleFile> prepare(const Arguments& arguments);
  Result<void> write(const std::vector<std::optional<confirm::Schedule>>& schedules);

 private:
  std::optional<OutputFile> file_;  // nothing: none was asked for
};

}  // namespace redflag::cli
