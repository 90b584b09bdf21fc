// The trace of a GPU program that could not end it: killed, crashed, or gone by _exit.
//
// GpuTraceWriter puts whole blocks into the file, and the last words only when it is told to finish.
// Mending keeps every block that is whole, cuts off the rest and writes the end, so that the trace is
// that of the program until shortly before its end. A trace that has its end is left as it is.
#pragma once

#include <string>

#include "core/base/error.h"

namespace redflag {

Result<void> mend_gpu_trace(const std::string& path);

}  // namespace redflag
