// One run of the program under `redflag confirm`, however it is started and listened to.
//
// Two ways: a program of threads, whose runtimes talk to this process (held_threads.h), and a job of MPI or
// OpenSHMEM, whose ranks each have a 'redflag run' of their own (held_job.h). Both have the board.
#pragma once

#include <cstdint>
#include <map>

#include "cli/hold_board.h"
#include "confirm/plan.h"
#include "core/base/error.h"
#include "core/model/finding.h"

namespace redflag::cli {

struct HeldRun {
  Report seen;                        // what was found in it
  std::map<std::uint32_t, Side> met;  // by side of the board; those of a thread that told of itself
  bool asked_to_end = false;          // the user wants no more
  bool was_cut = false;               // it took too long
};

class HeldRuns {
 public:
  virtual ~HeldRuns() = default;
  // Runs the program once. An error: no run could be of use.
  virtual Result<HeldRun> make(const confirm::Trial& trial, const HoldBoard& board) = 0;
};

}  // namespace redflag::cli
