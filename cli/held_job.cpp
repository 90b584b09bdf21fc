#include "cli/held_job.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>

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
constexpr milliseconds kToReport{
    3'000};  // for rank 0's 'redflag run', behind a launcher that did not wait for it

// Of one run: what comes too late for it goes nowhere.
class ReportFile {
 public:
  explicit ReportFile(std::string path) : path_(std::move(path)) {}
  ~ReportFile() { ::unlink(path_.c_str()); }
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;
  const std::string& path() const { return path_; }

  // Nothing: there is none, or not the whole of it, in that time.
  std::optional<Report> read(milliseconds patience) const {
    const Clock::time_point until = Clock::now() + patience;
    for (;;) {
      std::error_code fault;
      const bool has_any = std::filesystem::file_size(path_, fault) > 0 && !fault;
      if (Result<Report> report = has_any ? read_report(path_) : fail(""))
        return std::move(*report);
      if (Clock::now() >= until) return {};
      std::this_thread::sleep_for(milliseconds(20));
    }
  }

 private:
  std::string path_;
};

bool defers(const confirm::Trial& trial) {
  return std::any_of(trial.attempts.begin(), trial.attempts.end(),
                     [](const auto& attempt) { return attempt.defer != confirm::Defer::kAtOnce; });
}

}  // namespace

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
  Result<std::string> made = make_temporary("redflag-held", "what a run is found to do");
  if (!made) return Failure(made.error());
  const ReportFile file(std::move(*made));
  const Clock::time_point begin = Clock::now();
  Result<Launch> launch = Launch::start(program_.path(), program_.words(),
                                        {std::string(wire::kHoldVariable) + "=" + board.path(),
                                         std::string(kHeldReportVariable) + "=" + file.path()});
  if (!launch) return Failure(launch.error());
  HeldRun run;
  run.was_cut = !wait_for(*launch, limit_of(trial));
  run.asked_to_end = launch->asked_to_end();
  if (!defers(trial)) {
    longest_ = std::max(longest_, std::chrono::duration_cast<milliseconds>(Clock::now() - begin));
  }
  if (run.asked_to_end) return run;
  std::optional<Report> seen = file.read(launch->status() == 0 ? milliseconds(0) : kToReport);
  const bool has_report = seen.has_value();
  if (seen) run.seen = std::move(*seen);
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
