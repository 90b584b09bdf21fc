// Counts of owners that the C++ library changes in its compiled part, where nobody sees it.
//
// A count is taken down in sight of the detector instead: whoever lets go releases, and the last
// one, who destroys what was owned, acquires what all others did.
#pragma once

#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {

// True: it was the last.
inline bool take_one(int& count) {
  if (rt::Thread* const t = rt::self()) rt::release(*t, key_of(&count));
  if (__atomic_fetch_sub(&count, 1, __ATOMIC_ACQ_REL) != 1) return false;
  if (rt::Thread* const t = rt::self()) rt::acquire(*t, key_of(&count));
  return true;
}

}  // namespace redflag::interpose
