#pragma once

#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {

// For the end of the program, once. `me`: the calling thread, or nullptr if it is not known.
void check_for_all_others(const live::Thread* me);

}  // namespace redflag::rt
