// What 'redflag run' must know of --sample, --budget and their factors before the program starts.
#pragma once

#include <string>

#include "cli/arguments.h"
#include "cli/probe.h"
#include "core/base/error.h"

namespace redflag::cli {

// Numbers that the runtime will take, and no two options that contradict each other.
Result<void> look_at_sampling(const Arguments& arguments);
// What they need of the program: code without checks; for NL, that it is one of MPI or OpenSHMEM.
Result<void> can_sample(const Arguments& arguments, const std::string& name, const Probe& probe,
                        bool is_job);

}  // namespace redflag::cli
