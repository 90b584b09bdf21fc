// The loop that executes a group's instructions until its budget is spent or it cannot go on.
#pragma once

namespace redflag::cuda {

struct Run;
void run_instructions(Run& run);

}  // namespace redflag::cuda
