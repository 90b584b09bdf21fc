// HeldThreads: runs of a program of threads. Its runtimes tell this process what they see.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "cli/held_program.h"
#include "cli/held_run.h"
#include "cli/launch.h"
#include "frontends/cpu/collect/between.h"
#include "frontends/cpu/collect/collector.h"
#include "frontends/cpu/collect/server.h"

namespace redflag::cli {

class HeldThreads : public HeldRuns {
 public:
  // `limit`: of one run; 0: none. The program is not owned.
  static Result<std::unique_ptr<HeldThreads>> prepare(const HeldProgram& program,
                                                      std::chrono::seconds limit);

  Result<HeldRun> make(const confirm::Trial& trial, const HoldBoard& board) override;

 private:
  HeldThreads(const HeldProgram& program, std::chrono::seconds limit)
      : program_(program), limit_(limit) {}
  std::vector<std::string> environment(const HoldBoard& board);
  void wait_for(Launch& launch);

  const HeldProgram& program_;
  std::chrono::seconds limit_;
  std::unique_ptr<collect::Collector> collector_;
  std::unique_ptr<collect::Server> server_;
  std::string socket_;
  std::optional<collect::BetweenFile> between_;
  HeldRun run_;  // the present one
};

}  // namespace redflag::cli
