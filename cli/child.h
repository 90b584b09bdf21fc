// A tool run to its end, and what it printed: for the short helpers of a link (objcopy, ar, a
// compiler asked where a file is).
//
// The tool of run_child has this command's standard error and no standard input. Not for programs
// under test: those are launch.h's.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"

namespace redflag::cli {

// Standard output of the tool; an error if it cannot be started or ends with another status than 0.
Result<std::string> run_child(const std::vector<std::string>& words);

// For a step of several, as a shell runs it: the tool has this command's streams. Its status, 128
// and the number of the signal that ended it, or 127 if it cannot be started. Ctrl-C ends the tool,
// not this process, which tidies up.
int run_step(const std::vector<std::string>& words);

}  // namespace redflag::cli
