// Ctrl-C and its kin: long work stops at the next batch, cleans up, and then dies of the signal.
//
// While a guard lives, SIGINT, SIGTERM and SIGHUP only set a mark. Loops over a trace ask
// interrupted() once a batch and end with an error, so that destructors remove what is half
// written; end_if_interrupted() then restores the signal's usual effect and raises it again, as
// shells and mpirun expect. A second signal takes its usual effect at once. One guard at a time.
#pragma once

#include <csignal>

namespace redflag::cli {

class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

bool interrupted();
// Returns only if there was no signal.
void end_if_interrupted();

}  // namespace redflag::cli
