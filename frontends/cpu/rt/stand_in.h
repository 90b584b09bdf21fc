// Checking, on behalf of other threads, what they accessed and have not checked yet: when the program
// ends, and before memory that they may have used gets a new life. See stand_in.cpp for how.
#pragma once

#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {

// `me`: the calling thread, which is not inside the detector, or nullptr if it is not known.
void check_for_all_others(live::Thread* me);
// Is the calling thread at it? Then it must not enter the detector as itself: a race that ends the
// program is told from there.
bool standing_in();

}  // namespace redflag::rt
