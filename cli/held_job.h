// HeldJob: runs of a job of MPI or OpenSHMEM under its launcher. Each rank has a 'redflag run', and that of rank 0
// leaves the report of the job in a file; the ranks' layers have the board (frontends/pgas/hold).
//
// Time: a job in which operations were deferred may wait for ever, because a rank waits in a loop of its own for
// what another one has put off. Such a run is ended when it has taken several times as long as one without. Runs
// without have no other limit than --timeout: nobody is held for ever in them.
#pragma once

#include <chrono>

#include "cli/held_program.h"
#include "cli/held_run.h"
#include "cli/launch.h"

namespace redflag::cli {

// For 'redflag run': the file that its report goes to, instead of being shown. Only of use under `redflag
// confirm`.
inline constexpr const char* kHeldReportVariable = "REDFLAG_HELD_REPORT";

class HeldJob : public HeldRuns {
 public:
  // `limit`: of one run; 0: none but the above. The program is not owned.
  HeldJob(const HeldProgram& program, std::chrono::seconds limit)
      : program_(program), limit_(limit) {}

  Result<HeldRun> make(const confirm::Trial& trial, const HoldBoard& board) override;

 private:
  using Milliseconds = std::chrono::milliseconds;

  Milliseconds limit_of(const confirm::Trial& trial) const;
  static bool wait_for(Launch& launch, Milliseconds limit);

  const HeldProgram& program_;
  Milliseconds limit_;
  Milliseconds longest_{0};  // run without deferring
};

}  // namespace redflag::cli
