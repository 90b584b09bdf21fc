// redflag confirm: phase 2. Runs the program again and again, with threads held at the two statements
// of each reported race until they meet, and says which races are real.
//
// What is confirmed was seen: two threads, each about to make its access, neither waiting for the
// other. What is not reproduced may still be real. The report is written back with a verdict for each
// finding; the exit status is 66 when one was confirmed, 0 when none was. The pure part is in confirm/, what
// happens inside the program in frontends/cpu/rt/hold.h.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "cli/console.h"
#include "cli/held_job.h"
#include "cli/held_program.h"
#include "cli/held_threads.h"
#include "cli/hold_board.h"
#include "cli/present.h"
#include "cli/rewind.h"
#include "cli/run.h"
#include "cli/schedule_file.h"
#include "confirm/pairs.h"
#include "confirm/plan.h"
#include "confirm/schedule.h"
#include "core/report/baseline.h"
#include "core/report/words.h"
#include "frontends/cpu/wire/hold.h"

namespace redflag::cli {
namespace {

constexpr std::string_view kHowToReport =
    "\nneeded: a JSON report, as 'redflag run --json=FILE -- PROGRAM' or 'redflag replay "
    "--json=FILE TRACE' writes";

class Confirm {
 public:
  explicit Confirm(const Arguments& arguments) : arguments_(arguments) {}

  Status go() {
    Result<Presentation> presentation = Presentation::prepare(arguments_);
    if (!presentation) return bad_input(presentation.error().message);
    Result<ScheduleFile> schedule_file = ScheduleFile::prepare(arguments_);
    if (!schedule_file) return bad_input(schedule_file.error().message);
    const std::string& file = arguments_.operands().front();
    Result<Report> report = read_report(file);
    if (!report) return bad_input(report.error().message + std::string(kHowToReport));
    report_ = std::move(*report);
    if (is_of_gpu()) {
      return bad_input("needed: races of CPU threads\nfound: all findings of " + file +
                       " are of a GPU program, whose threads cannot be held\nto see them in other "
                       "schedules: redflag run --schedules=20 -- PROGRAM");
    }
    const std::vector<std::string> words(arguments_.operands().begin() + 1,
                                         arguments_.operands().end());
    if (Result<void> done = program_.find(words); !done) return bad_input(done.error().message);
    if (Result<void> done = find_pairs(); !done) return bad_input(done.error().message);
    auto replayed = replayed_trials(arguments_, report_, pairs_);
    if (!replayed) return bad_input(replayed.error().message);
    replayed_ = std::move(*replayed);
    if (!pairs_.pairs.empty()) {
      if (Result<void> done = make_runs(); !done) return bad_input(done.error().message);
    }
    if (Result<void> done = schedule_file->write(schedules_); !done) {
      return bad_input(done.error().message);
    }
    const bool confirmed = give_verdicts();
    report_.command = arguments_.line();
    const Status shown = presentation->finish(
        std::move(report_), "",
        "redflag confirm --html=report.html " + shell_quoted(file) + " -- ...");
    if (shown != Status::kRaces && shown != Status::kClean) return shown;
    return confirmed ? Status::kRaces : Status::kClean;
  }

 private:
  bool is_of_gpu() const {
    return !report_.findings.empty() &&
           std::all_of(report_.findings.begin(), report_.findings.end(),
                       [](const Finding& finding) { return finding.second.gpu.has_value(); });
  }

  Result<void> find_pairs() {
    pairs_ = confirm::find_pairs(report_, program_.locator());
    if (report_.findings.empty()) {
      return fail("needed: findings to confirm\nfound: " + arguments_.operands().front() +
                  " has none");
    }
    if (!pairs_.pairs.empty()) return {};
    std::string message = "needed: a race between two known statements of " + program_.name() +
                          "\nfound: " + plural(report_.findings.size(), "finding", "findings") +
                          ", none that can be tried: " + pairs_.why_not.front();
    if (message.find("build") != std::string::npos) {
      message +=
          "\nto mend it: run the program again for a new report: redflag run --json=FILE -- " +
          program_.name();
    }
    return fail(message);
  }

  Result<std::unique_ptr<HeldRuns>> prepare_runs() {
    const std::chrono::seconds limit(arguments_.number("timeout"));
    if (program_.is_job()) {
      return std::unique_ptr<HeldRuns>(std::make_unique<HeldJob>(program_, limit));
    }
    Result<std::unique_ptr<HeldThreads>> threads = HeldThreads::prepare(program_, limit);
    if (!threads) return Failure(threads.error());
    return std::unique_ptr<HeldRuns>(std::move(*threads));
  }

  Result<void> make_runs() {
    const Result<Rewind> input = Rewind::prepare(STDIN_FILENO);
    if (!input) return Failure(input.error());
    const Result<std::unique_ptr<HeldRuns>> runs = prepare_runs();
    if (!runs) return Failure(runs.error());
    verdicts_.resize(pairs_.pairs.size());
    schedules_.resize(pairs_.pairs.size());
    const auto most = static_cast<std::uint32_t>(replayed_ ? 1 : arguments_.number("runs"));
    confirm::Plan plan(pairs_.pairs.size(),
                       {.runs = most,
                        .patience = static_cast<std::uint32_t>(arguments_.number("hold")),
                        .together = wire::kHoldPairs,
                        .is_job = program_.is_job()});
    std::size_t replays = 0;
    const auto next = [&]() -> std::optional<confirm::Trial> {
      if (!replayed_) return plan.next();
      if (replays == replayed_->size()) return {};
      return (*replayed_)[replays++];
    };
    while (const std::optional<confirm::Trial> trial = next()) {
      input->again();
      Result<HoldBoard> board = HoldBoard::make(*trial, pairs_.pairs, program_.symbolizer());
      if (!board) return Failure(board.error());
      Result<HeldRun> run = (*runs)->make(*trial, *board);
      if (!run) return Failure(run.error());
      if (run->asked_to_end) break;
      if (run->was_cut && program_.is_job()) plan.stop_deferring();
      take(plan, *trial, with_detected(*trial, board->outcomes(), run->seen), run->met);
    }
    for (std::size_t i = 0; i < verdicts_.size(); ++i) {
      conclude(plan.states()[i], most, verdicts_[i]);
      if (replayed_ && plan.states()[i].tried == 0) {
        verdicts_[i] = {.verdict = Verdict::kNotTried, .why = "the schedule is not about it"};
      }
    }
    return {};
  }

  // What the detector said in this run of the pairs that were tried.
  std::vector<confirm::Outcome> with_detected(const confirm::Trial& trial,
                                              std::vector<confirm::Outcome> outcomes,
                                              const Report& seen) {
    const confirm::Pairs found = confirm::find_pairs(seen, program_.locator());
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const std::size_t mine = trial.attempts[i].pair;
      bool is_best = !program_.is_job() && verdicts_[mine].first;
      for (const confirm::Pair& pair : found.pairs) {
        if (!confirm::is_same(pair, pairs_.pairs[mine])) continue;
        const bool is_first = !outcomes[i].unordered;
        outcomes[i].unordered = true;
        if (trial.strong || is_best) continue;
        const Finding& finding = seen.findings[pair.finding];
        const bool turned = !confirm::is_in_order(pair, pairs_.pairs[mine]);
        const Side& one = turned ? finding.second : finding.first;
        const Side& other = turned ? finding.first : finding.second;
        is_best = !program_.is_job() ||
                  (is_of(one, outcomes[i].places[0]) && is_of(other, outcomes[i].places[1]));
        if (!is_first && !is_best) continue;
        verdicts_[mine].first = one;
        verdicts_[mine].second = other;
      }
    }
    return outcomes;
  }

  void take(confirm::Plan& plan, const confirm::Trial& trial,
            const std::vector<confirm::Outcome>& outcomes, std::map<std::uint32_t, Side>& met) {
    plan.record(trial, outcomes);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (!outcomes[i].met || (program_.is_job() && !outcomes[i].unordered)) continue;
      const std::size_t mine = trial.attempts[i].pair;
      Confirmation& verdict = verdicts_[mine];
      const auto side = [&](std::uint32_t s) -> std::optional<Side> {
        const auto at = met.find(static_cast<std::uint32_t>(2 * i) + s);
        return at == met.end() ? std::nullopt : std::optional(std::move(at->second));
      };
      if (program_.is_job()) {
        as_they_met(outcomes[i], verdict);
      } else {
        verdict.first = side(0);
        verdict.second = side(1);
      }
      schedules_[mine] = confirm::schedule_of(
          report_.findings[pairs_.pairs[mine].finding].fingerprint, trial, i, outcomes[i]);
      verdict.schedule = confirm::schedule_text(*schedules_[mine]);
    }
    if (!arguments_.flag("quiet")) say_progress(plan);
  }

  // Is the side of this rank?
  static bool is_of(const Side& side, const confirm::Outcome::Place& place) {
    return side.rma && side.rma->rank + 1 == wire::hold_rank(place.arrival.thread);
  }

  // The stacks are those that the detector saw at the two statements in this run; who it was and which bytes, the
  // board knows.
  static void as_they_met(const confirm::Outcome& outcome, Confirmation& verdict) {
    for (std::size_t s = 0; s < 2; ++s) {
      std::optional<Side>& side = s == 0 ? verdict.first : verdict.second;
      const confirm::Outcome::Place& place = outcome.places[s];
      if (!side || wire::hold_rank(place.arrival.thread) == 0) continue;
      const std::uint32_t rank = wire::hold_rank(place.arrival.thread) - 1;
      side->thread_name = "rank " + std::to_string(rank);
      side->access.addr = Addr{place.begin};
      side->access.size = static_cast<std::uint32_t>(place.end - place.begin);
      if (side->rma) side->rma->rank = rank;
    }
  }

  // A line when something has changed.
  void say_progress(const confirm::Plan& plan) {
    std::uint64_t open = 0;
    std::uint64_t confirmed = 0;
    for (const confirm::Plan::State& state : plan.states()) {
      const bool is_confirmed = state.confirmed_in != 0 || state.is_weak();
      confirmed += is_confirmed;
      open += !is_confirmed && state.tried < arguments_.number("runs");
    }
    if (plan.runs_made() != 1 && confirmed == said_ && open != 0) return;
    said_ = confirmed;
    print_note("run " + std::to_string(plan.runs_made()) + ": " + std::to_string(confirmed) +
               " confirmed, " + std::to_string(open) + " still open");
  }

  static void conclude(const confirm::Plan::State& state, std::uint32_t runs, Confirmation& out) {
    out.runs = runs;
    out.weak_order = state.is_weak();
    out.run = out.weak_order ? state.unordered_in : state.confirmed_in;
    out.verdict = out.run != 0 ? Verdict::kConfirmed : Verdict::kNotReproduced;
    if (out.run != 0) return;
    out.runs = state.tried;
    out.first.reset();
    out.second.reset();
    if (!(state.reached[0] && state.reached[1])) {
      out.why = "no thread came to " + std::string(state.reached[0]   ? "the second statement"
                                                   : state.reached[1] ? "the first statement"
                                                                      : "either statement");
    }
  }

  // Whether one was confirmed.
  bool give_verdicts() {
    for (std::size_t i = 0; i < report_.findings.size(); ++i) {
      if (pairs_.why_not[i].empty()) continue;
      report_.findings[i].confirmation =
          Confirmation{.verdict = Verdict::kNotTried, .why = pairs_.why_not[i]};
    }
    bool confirmed = false;
    for (std::size_t i = 0; i < verdicts_.size(); ++i) {
      confirmed |= verdicts_[i].verdict == Verdict::kConfirmed;
      report_.findings[pairs_.pairs[i].finding].confirmation = std::move(verdicts_[i]);
    }
    return confirmed;
  }

  const Arguments& arguments_;
  Report report_;
  HeldProgram program_{report_};
  confirm::Pairs pairs_;
  std::vector<Confirmation> verdicts_;                       // of each pair
  std::vector<std::optional<confirm::Schedule>> schedules_;  // of those that met
  std::optional<std::vector<confirm::Trial>> replayed_;      // nothing: runs are planned
  std::uint64_t said_ = 0;                                   // how many are confirmed
};

}  // namespace

Status run_confirm(const Arguments& arguments) {
  return Confirm(arguments).go();
}

}  // namespace redflag::cli
