#include "cli/held_job.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "cli/temporary.h"
#include "core/report/baseline.h"
#include "frontends/cpu/wire/hold.h"

namespace redflag::cli {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kAtLeast{5'000};  // of a run that defers
constexpr int kTimes = 3;                // as long as one that does not
constexpr milliseconds kToEnd{5'000};    // for the launcher to end its ranks

bool defers(const confirm::Trial& trial) {
  return std::any_of(trial.attempts.begin(), trial.attempts.end(),
                     [](const auto& attempt) { return attempt.defer != confirm::Defer::kAtOnce; });
}

}  // namespace

Result<std::unique_ptr<HeldJob>> HeldJob::prepare(const HeldProgram& program,
                                                  std::chrono::seconds limit) {
  Result<std::string> file = make_temporary("redflag-held", "what a run is found to do");
  if (!file) return Failure(file.error());
  return std::unique_ptr<HeldJob>(new HeldJob(program, limit, std::move(*file)));
}

HeldJob::~HeldJob() {
  ::unlink(file_.c_str());
}

milliseconds HeldJob::limit_of(const confirm::Trial& trial) const {
  if (limit_.count() != 0 || !defers(trial)) return limit_;
  return std::max(kAtLeast, kTimes * longest_) + milliseconds(trial.budget);
}

// False: it took too long. The launcher is asked to end its ranks, then killed.
bool HeldJob::wait_for(Launch& launch, milliseconds limit) {
  const Clock::time_point begin = Clock::now();
  bool in_time = true;
  while (!launch.ended()) {
    pollfd ready{launch.descriptor(), POLLIN, 0};
    if (::poll(&ready, 1, 100) > 0) launch.on_ready();
    if (limit.count() == 0 || launch.ended()) continue;
    const auto taken = Clock::now() - begin;
    if (taken > limit && in_time) {
      in_time = false;
      ::kill(launch.pid(), SIGTERM);
    }
    if (taken > limit + kToEnd) ::kill(launch.pid(), SIGKILL);
  }
  return in_time;
}

Result<HeldRun> HeldJob::make(const confirm::Trial& trial, const HoldBoard& board) {
  std::error_code fault;
  std::filesystem::resize_file(file_, 0, fault);
  const Clock::time_point begin = Clock::now();
  Result<Launch> launch = Launch::start(program_.path(), program_.words(),
                                        {std::string(wire::kHoldVariable) + "=" + board.path(),
                                         std::string(kHeldReportVariable) + "=" + file_});
  if (!launch) return Failure(launch.error());
  HeldRun run;
  run.was_cut = !wait_for(*launch, limit_of(trial));
  run.asked_to_end = launch->asked_to_end();
  if (!defers(trial)) {
    longest_ = std::max(longest_, std::chrono::duration_cast<milliseconds>(Clock::now() - begin));
  }
  if (run.asked_to_end) return run;
  const bool has_report = std::filesystem::file_size(file_, fault) > 0 && !fault;
  if (has_report) {
    Result<Report> seen = read_report(file_);
    if (seen) run.seen = std::move(*seen);
  }
  if (board.processes() == 0 && !run.was_cut) {
    return fail("needed: a job whose ranks run under 'redflag run' on this machine\nfound: " +
                std::string(has_report ? "no rank of it has its layer: " + program_.name() +
                                             " does not start MPI or OpenSHMEM"
                                       : "the launcher ended with status " +
                                             std::to_string(launch->status()) +
                                             ", and no rank came as far as to be held") +
                "\nas in: redflag confirm report.json -- mpirun -n 4 redflag run -- ./app");
  }
  return run;
}

}  // namespace redflag::cli
