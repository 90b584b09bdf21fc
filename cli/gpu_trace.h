// Traces of GPU kernels in the commands: replayed through a GPU detector, and described.
#pragma once

#include <string>

#include "cli/arguments.h"
#include "cli/status.h"

namespace redflag::cli {

// 'redflag replay' of such a trace: what the detector finds in it is what it found in the run.
Status replay_gpu_trace(const Arguments& arguments);
// 'redflag trace info' of one.
Status describe_gpu_trace(const std::string& path);

}  // namespace redflag::cli
