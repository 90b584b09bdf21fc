// redflag sim parsnip, redflag sim scord: the papers' hardware on real programs' events, and the papers' figures.
//
// A simulation is a job of its own (sim/experiment): a trace, a model, settings. Figures need several for each trace,
// a sweep one for each combination of values. On one machine they are shared out among processes; under mpirun each
// rank does every n-th of them. Results are files in any case, in a folder of the user's (--results: what was done
// before is not done again) or in one that goes with the command.
#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>

#include "cli/console.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/launch.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/run.h"
#include "cli/temporary.h"
#include "core/base/output_file.h"
#include "core/report/words.h"
#include "core/trace/gpu_reader.h"
#include "sim/experiment/workers.h"
#include "sim/plot/page.h"
#include "sim/plot/svg.h"
#include "sim/study/study.h"

namespace redflag::cli {
namespace {

namespace fs = std::filesystem;

class Simulation {
 public:
  Simulation(const Arguments& arguments, const sim::ModelInfo& model, Ranks& ranks)
      : arguments_(arguments), model_(model), ranks_(ranks) {}

  Status go() {
    if (const Result<void> ready = prepare(); !ready) return bad(ready.error());
    if (arguments_.flag("parameters")) return print_and_end(parameters_);
    Result<std::vector<sim::Job>> jobs = plan();
    if (!jobs) return bad(jobs.error());
    Result<sim::Done> done = ranks_.size() > 1 ? by_ranks(*jobs) : by_processes(*jobs);
    if (!done) return bad(done.error());
    if (!ranks_.is_first()) return Status::kClean;
    return conclude(*jobs, *done);
  }

 private:
  // Settings, files to write and traces: all that can be wrong is said before anything is simulated.
  Result<void> prepare() {
    if (arguments_.is_set("config")) {
      Result<std::vector<sim::Setting>> read = sim::read_settings(arguments_.text("config"));
      if (!read) return Failure(read.error());
      settings_ = std::move(*read);
    }
    for (const std::string& words : arguments_.all("set")) {
      Result<sim::Setting> one = sim::parse_setting(words, "--set");
      if (!one) return Failure(one.error());
      settings_.push_back(std::move(*one));
    }
    Result<std::string> parameters = model_.parameters(settings_);
    if (!parameters) {
      return fail(parameters.error().message + "\nto see all: redflag sim " +
                  std::string(model_.name) + " --parameters");
    }
    parameters_ = std::move(*parameters);
    if (arguments_.flag("parameters")) return {};
    Result<std::vector<const sim::FigureInfo*>> figures =
        sim::figures_asked(model_, arguments_.text("figures"));
    if (!figures) return Failure(figures.error());
    figures_ = std::move(*figures);
    if (ranks_.size() > 1 && !arguments_.is_set("results")) {
      return fail(
          "needed: a folder that all ranks can write, for their results\nfound: no --results\n"
          "to mend it: add --results=DIR");
    }
    if (ranks_.is_first()) {
      for (const std::string_view option : {"html", "csv"}) {
        if (!arguments_.is_set(option)) continue;
        Result<OutputFile> file = OutputFile::create(arguments_.text(option));
        if (!file) return Failure(file.error());
        files_.emplace_back(option, std::move(*file));
      }
    }
    std::error_code fault;
    if (arguments_.is_set("svg") && !fs::create_directories(arguments_.text("svg"), fault) &&
        !fs::is_directory(arguments_.text("svg"), fault)) {
      return fail("needed: a folder for pictures\nfound: cannot make " + arguments_.text("svg"));
    }
    return find_traces();
  }

  bool is_trace(const std::string& name, std::string& why) const {
    if (wants_kernels() && GpuTraceReader::is_one(name)) return true;
    if (GpuTraceReader::is_one(name)) {
      why = "is a trace of GPU kernels\nto simulate it: redflag sim scord " + shell_quoted(name);
      return false;
    }
    Result<Input> input = Input::open(name);
    Result<std::unique_ptr<EventReader>> reader =
        input ? input->read() : Result<std::unique_ptr<EventReader>>(Failure(input.error()));
    if (!reader) {
      why = "is none: " + reader.error().message;
    } else if (wants_kernels()) {
      why = "is a trace of threads of the CPU\nto simulate it: redflag sim parsnip " +
            shell_quoted(name);
    }
    return reader && !wants_kernels();
  }
  bool wants_kernels() const { return model_.name == "scord"; }

  Result<void> find_traces() {
    const std::vector<std::string>& words = arguments_.operands();
    if (words.empty()) {
      return fail(
          "needed: traces, or a program behind --\nfound: nothing to simulate\n"
          "to record a trace: redflag run --record=x.rft -- ./app");
    }
    std::error_code fault;
    const bool program = !words.front().ends_with(".rft") &&
                         ::access(words.front().c_str(), X_OK) == 0 &&
                         fs::is_regular_file(words.front(), fault);
    if (program) return record();
    for (const std::string& word : words) {
      if (std::string why; !is_trace(word, why)) {
        return fail("needed: a trace of " +
                    std::string(wants_kernels() ? "CUDA kernels" : "threads") +
                    ", or a program\nfound: " + word + " " + why +
                    "\nto record one: redflag run --record=x.rft -- ./app");
      }
      traces_.push_back(word);
    }
    return {};
  }

  // Runs the program under 'redflag run --record'; what it printed and how it ended are its own affair.
  Result<void> record() {
    if (ranks_.size() > 1)
      return fail("needed: traces\nfound: a program, which each rank would run\nrecord it first");
    Result<TemporaryFolder> folder = TemporaryFolder::make("the program's trace");
    if (!folder) return Failure(folder.error());
    folder_.emplace(std::move(*folder));
    const std::vector<std::string>& operands = arguments_.operands();
    const std::string trace = folder_->path() + "/" + sim::workload_name(operands.front()) + ".rft";
    std::vector<std::string> words{"redflag", "run", "--quiet", "--record=" + trace};
    if (wants_kernels()) words.emplace_back("--emulate");
    words.emplace_back("--");
    words.insert(words.end(), operands.begin(), operands.end());
    std::error_code fault;
    Result<Launch> launch =
        Launch::start(fs::read_symlink("/proc/self/exe", fault).string(), words, {});
    if (!launch) return Failure(launch.error());
    while (!launch->ended()) {
      pollfd on{launch->descriptor(), POLLIN, 0};
      ::poll(&on, 1, -1);
      launch->on_ready();
    }
    if (std::string why; !fs::exists(trace, fault) || !is_trace(trace, why)) {
      return fail("needed: a program built for checking, that 'redflag run' can record\nfound: " +
                  operands.front() + " left no trace " + why +
                  "\nto build one: redflag c++ --count-instructions, redflag nvcc");
    }
    traces_.push_back(trace);
    return {};
  }

  Result<std::vector<sim::Job>> plan() {
    if (!arguments_.is_set("sweep"))
      return sim::jobs_of(model_, figures_, traces_, settings_, variants_);
    return sim::sweep_of(model_, arguments_.all("sweep"), traces_, settings_, variants_);
  }

  Result<sim::Store> open_store() {
    if (arguments_.is_set("results"))
      return sim::Store::open(arguments_.text("results"), REDFLAG_VERSION);
    Result<TemporaryFolder> folder = TemporaryFolder::make("results");
    if (!folder) return Failure(folder.error());
    results_.emplace(std::move(*folder));
    return sim::Store::open(results_->path(), REDFLAG_VERSION);
  }

  Result<sim::Done> by_processes(const std::vector<sim::Job>& jobs) {
    Result<sim::Store> store = open_store();
    if (!store) return Failure(store.error());
    const auto asked = static_cast<unsigned>(arguments_.number("jobs"));
    Progress progress("simulating", arguments_.flag("quiet"));
    return sim::run_jobs(
        jobs, model_.simulate, *store,
        asked != 0 ? asked : std::max(1U, std::thread::hardware_concurrency()),
        [&](std::size_t done, std::size_t all) { progress.update(done, all); },
        [] { return interrupted(); });
  }

  // Ranks may be on several machines: the folder is what they have in common.
  Result<sim::Done> by_ranks(const std::vector<sim::Job>& jobs) {
    Result<sim::Store> store = open_store();
    if (!store) return Failure(store.error());
    std::vector<sim::Job> mine;
    for (std::size_t j = static_cast<std::size_t>(ranks_.rank()); j < jobs.size();
         j += static_cast<std::size_t>(ranks_.size())) {
      mine.push_back(jobs[j]);
    }
    Progress progress("simulating", arguments_.flag("quiet") || !ranks_.is_first());
    const sim::Done done = sim::run_jobs(
        mine, model_.simulate, *store, 1,
        [&](std::size_t n, std::size_t all) { progress.update(n, all); },
        [] { return interrupted(); });
    std::string faults;
    for (const std::string& fault : done.faults) faults += fault + '\n';
    Result<std::vector<std::string>> all = ranks_.gather(faults);
    if (!all) return Failure(all.error());
    sim::Done whole;
    for (const std::string& words : *all) {
      for (std::size_t begin = 0, end = 0; (end = words.find('\n', begin)) != std::string::npos;
           begin = end + 1) {
        whole.faults.push_back(words.substr(begin, end - begin));
      }
    }
    for (const sim::Job& job : jobs)
      whole.results.push_back(store->find(job).value_or(sim::Metrics{}));
    return whole;
  }

  Status conclude(const std::vector<sim::Job>& jobs, const sim::Done& done) {
    if (interrupted()) return Status::kBadInput;
    // Every simulation of a bad trace says the same.
    const std::set<std::string> faults(done.faults.begin(), done.faults.end());
    for (const std::string& fault : faults) print_error(fault);
    std::vector<sim::Outcome> outcomes;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (done.results[j].empty()) continue;
      outcomes.push_back({jobs[j].workload, jobs[j].trace, variants_[j], done.results[j]});
    }
    if (outcomes.empty()) return Status::kBadInput;
    if (const Result<void> shown = show(outcomes); !shown) return bad(shown.error());
    return done.faults.empty() ? Status::kClean : Status::kBadInput;
  }

  Result<void> show(const std::vector<sim::Outcome>& outcomes) {
    std::vector<sim::Figure> figures;
    if (arguments_.is_set("sweep")) {
      figures = sim::summary(model_, outcomes);
    } else {
      const std::vector<sim::Workload> workloads = sim::workloads_of(outcomes);
      for (const sim::FigureInfo* info : figures_) figures.push_back(sim::made(*info, workloads));
    }
    std::string text;
    for (const sim::Figure& figure : figures) text += sim::table_text(figure) + "\n";
    if (!arguments_.flag("quiet")) {
      if (Result<void> printed = print(text); !printed) return printed;
    }
    for (const sim::Figure& figure : figures) {
      const std::string picture = sim::svg(figure);
      if (!arguments_.is_set("svg") || picture.empty()) continue;
      Result<OutputFile> file =
          OutputFile::create((fs::path(arguments_.text("svg")) / (figure.id + ".svg")).string());
      if (!file) return Failure(file.error());
      if (Result<void> done = file->write(picture); !done) return done;
      if (Result<void> done = file->commit(); !done) return done;
    }
    for (auto& [option, file] : files_) {
      Result<void> done = file.write(option == "csv" ? sim::csv(outcomes) : page(figures));
      if (done) done = file.commit();
      if (!done) return done;
    }
    return {};
  }

  std::string page(const std::vector<sim::Figure>& figures) const {
    sim::Page page;
    page.title = "Redflag: " + std::string(model_.summary);
    page.command = arguments_.line();
    page.figures = figures;
    const Result<std::vector<sim::Setting>> lines = sim::parse_settings(parameters_, "parameters");
    for (const sim::Setting& line : *lines) page.settings.emplace_back(line.name, line.value);
    return sim::html(page);
  }

  Status bad(const Error& error) const {
    if (interrupted()) return Status::kBadInput;
    return ranks_.is_first() ? bad_input(error.message) : Status::kBadInput;
  }

  const Arguments& arguments_;
  const sim::ModelInfo& model_;
  Ranks& ranks_;
  std::vector<sim::Setting> settings_;
  std::string parameters_;
  std::vector<const sim::FigureInfo*> figures_;
  std::vector<std::string> traces_;
  std::vector<std::string> variants_;  // of each job
  std::vector<std::pair<std::string, OutputFile>> files_;
  std::optional<TemporaryFolder> folder_;
  std::optional<TemporaryFolder> results_;
};

Status simulate(const Arguments& arguments, const sim::ModelInfo& model) {
  Status status = Status::kBadInput;
  {
    const InterruptGuard guard;
    Result<Ranks> ranks = Ranks::join();
    if (!ranks) {
      if (launched_rank() == 0) print_error(ranks.error().message);
      return status;
    }
    status = Simulation(arguments, model, *ranks).go();
  }
  end_if_interrupted();
  return status;
}

}  // namespace

Status run_sim_parsnip(const Arguments& arguments) {
  return simulate(arguments, sim::parsnip_model());
}
Status run_sim_scord(const Arguments& arguments) {
  return simulate(arguments, sim::scord_model());
}

}  // namespace redflag::cli
