// Live: the reporter's side of a checked program, shared by `run` and `attend`.
//
// Suppressions, baseline and files are prepared before anything starts (present.h); races are
// printed on standard error as they come, since standard output is the program's, or into logs
// (logs.h); the files and the summary come at the end, however the program ended. What the program
// itself says about its reports counts where the user said nothing.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/logs.h"
#include "cli/present.h"
#include "core/report/fault.h"
#include "frontends/cpu/collect/between.h"
#include "frontends/cpu/collect/collector.h"
#include "frontends/cpu/collect/server.h"

namespace redflag::cli {

class Live {
 public:
  // `suffix`: behind the names of output files.
  // `is_shown`: races are printed as they come, unless the user wants quiet.
  static Result<std::unique_ptr<Live>> prepare(const Arguments& arguments,
                                               std::string_view suffix = {}, bool is_shown = true);

  collect::Server& server() { return *server_; }
  collect::Collector& collector() { return *collector_; }
  // What the report names as detector; "slimfast" unless said otherwise.
  void set_detector(std::string name) { detector_ = std::move(name); }

  // Replays what the processes recorded in common, when they have ended.
  void replay(const collect::BetweenFile& between);

  // Figures of a detector in the program, for --stats.
  void add_stats(const std::vector<Counter>& stats) {
    stats_.insert(stats_.end(), stats.begin(), stats.end());
  }

  // What was found, for another process to report: finish() has nothing to tell then.
  Report take(const std::string& input);
  // Findings of other processes, which have been printed there.
  void add(std::vector<Finding> findings);

  // `input`: what was checked, for the report. kRaces, kClean, or kBadInput when a file could not
  // be written.
  Status finish(const std::string& input);

  // Suppressions for the runtime in the program, one a line.
  std::string ignored_calls() const { return presentation_->suppressions().lines_for_calls(); }

  // The status for a program with races: the user's, or the program's own words.
  int exit_status() const;

  // Whether any race was reported so far, known ones included.
  bool has_findings() const { return collector_->findings() > 0 || !of_others_.empty(); }

 private:
  explicit Live(const Arguments& arguments) : arguments_(arguments) {}

  // A finding that contradicts itself goes into --keep-faults, and is spoken of at the end.
  Result<void> prepare_faults();
  void keep(std::uint32_t pid, const Finding& finding, Fault fault);
  void say_faults() const;
  void on_words(std::uint32_t pid, wire::About about, const std::string& text);
  void take_defaults(const std::string& text);
  void take_suppressions(const std::string& text);
  // In ThreadSanitizer's form; some of it goes into the logs.
  std::string last_words();

  const Arguments& arguments_;
  TsanSettings settings_;
  Logs logs_;
  std::set<std::string> heard_;  // of programs: said once, whatever the number of processes
  std::optional<int> program_status_;
  std::unique_ptr<Presentation> presentation_;
  std::unique_ptr<collect::Collector> collector_;
  std::unique_ptr<collect::Server> server_;
  std::vector<Finding> of_others_;
  std::vector<Counter> stats_;
  std::string fault_folder_;
  std::uint64_t faults_kept_ = 0;
  std::string detector_ = "slimfast";
};

}  // namespace redflag::cli
