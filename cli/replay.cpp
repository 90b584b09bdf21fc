// redflag replay: a detector over a recorded trace, and a report of what it found.
//
// Two readings: the first runs the detector, on one thread, on several (--jobs), or on MPI ranks,
// each for its shard of the addresses; the second, only if there were races, explains them. The
// findings are the same however the addresses were shared out. Under MPI all ranks scan, rank 0
// opens the outputs before, explains and reports after, and everybody ends with its status.
#include <algorithm>
#include <thread>

#include "cli/console.h"
#include "cli/explain.h"
#include "cli/figures.h"
#include "cli/gpu_trace.h"
#include "cli/interrupt.h"
#include "cli/parcel.h"
#include "cli/present.h"
#include "cli/ranks.h"
#include "cli/run.h"
#include "core/detect/registry.h"
#include "core/report/words.h"
#include "core/trace/gpu_reader.h"

namespace redflag::cli {
namespace {

constexpr std::size_t kMostProblems = 20;

ScanOptions scan_options(const Arguments& arguments) {
  ScanOptions options;
  options.detector = find_detector(arguments.text("detector"));
  options.volatile_meaning =
      arguments.text("volatile") == "sync" ? VolatileMeaning::kSync : VolatileMeaning::kData;
  if (arguments.is_set("roots")) options.threads_appear = arguments.text("roots") == "any";
  options.check = arguments.flag("check");
  options.figures = arguments.flag("stats");
  return options;
}

std::uint32_t jobs_of(const Arguments& arguments) {
  const auto jobs = static_cast<std::uint32_t>(arguments.number("jobs"));
  return jobs > 0 ? jobs : std::clamp(std::thread::hardware_concurrency(), 1U, 256U);
}

class Replay {
 public:
  Replay(const Arguments& arguments, Ranks& ranks)
      : arguments_(arguments), ranks_(ranks), options_(scan_options(arguments)) {}

  Status run() {
    Status ready = ranks_.is_first() ? prepare() : Status::kClean;
    if (!agree(ready) || ready != Status::kClean) return ready;
    const Result<ScanResult> mine = scan_mine();
    Result<std::vector<std::string>> parcels = gather(mine);
    Status status = Status::kBadInput;
    if (ranks_.is_first()) status = parcels ? conclude(*parcels, mine) : bad(parcels.error());
    agree(status);
    return status;
  }

 private:
  Status prepare() {
    const std::string& path = arguments_.operands().front();
    if (ranks_.size() > 1 && path == "-") {
      return bad_input(
          "standard input reaches only one of the ranks, and every rank reads the trace\n"
          "give the name of a file that all ranks can read");
    }
    if (!options_.detector->finds_races) {
      for (const OutputFormat& format : kOutputFormats) {
        if (!arguments_.is_set(format.option)) continue;
        return bad_input("--" + std::string(format.option) +
                         " needs a detector that finds races; '" +
                         std::string(options_.detector->name) +
                         "' only looks at the trace\nleave out one of the two options");
      }
    }
    Result<Presentation> prepared = Presentation::prepare(arguments_);
    if (!prepared) return bad_input(prepared.error().message);
    presentation_.emplace(std::move(*prepared));
    return Status::kClean;
  }

  // Everybody takes rank 0's status; false when the others can no longer be reached.
  bool agree(Status& status) {
    const Result<int> value = ranks_.broadcast(raw(status));
    if (!value) {
      status = Status::kBadInput;
      return false;
    }
    status = static_cast<Status>(*value);
    return true;
  }

  // A detector that only looks sees everything, once.
  std::uint32_t jobs() const { return options_.detector->finds_races ? jobs_of(arguments_) : 1; }

  Result<ScanResult> scan_mine() {
    if (!options_.detector->finds_races && !ranks_.is_first()) return ScanResult{};
    Result<Input> opened = Input::open(arguments_.operands().front());
    if (!opened) return Failure(opened.error());
    input_.emplace(std::move(*opened));
    const bool alone = !options_.detector->finds_races;
    const auto count = alone ? 1 : jobs() * static_cast<std::uint32_t>(ranks_.size());
    const auto first = jobs() * static_cast<std::uint32_t>(ranks_.rank());
    Progress progress("replaying", arguments_.flag("quiet") || !ranks_.is_first());
    return scan_shards(*input_, options_, first, jobs(), count, &progress);
  }

  Result<std::vector<std::string>> gather(const Result<ScanResult>& mine) {
    if (ranks_.size() == 1) return std::vector<std::string>{};
    return ranks_.gather(pack(mine));
  }

  Status conclude(const std::vector<std::string>& parcels, const Result<ScanResult>& mine) {
    if (parcels.empty()) return mine ? report(*mine) : bad(mine.error());
    std::vector<ScanResult> shards;
    for (const std::string& parcel : parcels) {
      Result<ScanResult> shard = unpack(parcel);
      if (!shard) return bad(shard.error());
      shards.push_back(std::move(*shard));
    }
    return report(combine(std::move(shards)));
  }

  Status report(const ScanResult& found) {
    if (found.errors > 0) return ill_formed(found);
    if (!found.broken_promise.empty()) {
      return bad_input(input_->name() + ": " + found.broken_promise +
                       ", so races may be missing\nrun again with --roots=any");
    }
    if (!options_.detector->finds_races) return looked(found);
    Progress progress("explaining", arguments_.flag("quiet"));
    Result<std::vector<Finding>> findings =
        explain(*input_, found.races, options_.volatile_meaning, progress);
    progress.erase();
    if (!findings) return bad(findings.error());

    Report made;
    made.tool_version = REDFLAG_VERSION;
    made.command = arguments_.line();
    made.detector = options_.detector->name;
    made.input = input_->name();
    made.events = found.events;
    made.findings = std::move(*findings);
    made.dropped = found.dropped;
    made.stats = report_figures(found.figures);
    const std::string file = arguments_.operands().front();
    return presentation_->finish(
        std::move(made), figures_table(found.figures),
        "redflag replay --html=report.html " + (file == "-" ? "FILE" : shell_quoted(file)));
  }

  Status ill_formed(const ScanResult& found) const {
    std::string message = input_->name() + ": " + plural(found.errors, "error", "errors") +
                          " in the trace: what a detector says of it would be worth nothing";
    for (std::size_t i = 0; i < std::min(found.problems.size(), kMostProblems); ++i) {
      message += "\n" + found.problems[i];
    }
    return bad_input(message + "\nto see all of it: redflag trace check " +
                     shell_quoted(arguments_.operands().front()));
  }

  // `print` has printed already; `count` and the figures are left.
  Status looked(const ScanResult& found) const {
    if (arguments_.flag("quiet")) return Status::kClean;
    const std::string table = figures_table(found.figures);
    if (options_.detector->name == "print") return print_and_end(table);
    return print_and_end(table + "redflag: " + plural(found.events, "event", "events") + " read; " +
                         std::string(options_.detector->name) + " looks for no races\n");
  }

  // Whoever interrupted us knows.
  static Status bad(const Error& error) {
    return interrupted() ? Status::kBadInput : bad_input(error.message);
  }

  const Arguments& arguments_;
  Ranks& ranks_;
  ScanOptions options_;
  std::optional<Presentation> presentation_;
  std::optional<Input> input_;
};

}  // namespace

Status run_replay(const Arguments& arguments) {
  const std::string& path = arguments.operands().front();
  if (GpuTraceReader::is_one(path)) return replay_gpu_trace(arguments);
  if (const std::string name = arguments.text("detector"); find_detector(name) == nullptr) {
    return bad_input(path + " is no trace of GPU kernels, and '" + name +
                     "' is for those: leave --detector out, or see 'redflag detectors'");
  }
  Status status = Status::kBadInput;
  {
    const InterruptGuard guard;
    Result<Ranks> ranks = Ranks::join();
    if (!ranks) {
      if (launched_rank() == 0) print_error(ranks.error().message);
      return status;
    }
    status = Replay(arguments, *ranks).run();
  }
  end_if_interrupted();
  return status;
}

}  // namespace redflag::cli
