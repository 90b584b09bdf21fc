// Study: which simulations a paper's figures need, and the figures from what came of them.
//
// A model says its variants (settings that differ from the ones asked for: an optimisation switched off, a smaller
// cache) and its figures, each with the variants it compares; both are tables (parsnip.cpp, scord.cpp). Of the
// figures asked for, the jobs are the variants of all of them on each workload, every one once. A sweep is the same with every combination
// of some values in place of variants.
//
// A workload is a trace; its name is the file's up to the first dot, so that fft.4.rft and fft.8.rft are two runs of fft.
// Figures are of each workload's run with the most threads, unless a figure is about threads.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "sim/experiment/job.h"
#include "sim/plot/figure.h"

namespace redflag::sim {

struct Override {
  std::string_view name;
  std::string_view value;
};

struct Variant {
  std::string_view name;
  std::vector<Override> settings;
};

// One simulation, done.
struct Outcome {
  std::string workload;
  std::string trace;
  std::string variant;  // of a sweep: "l1_ways=4 cores=8"
  Metrics metrics;
};

// The outcomes of one workload.
class Workload {
 public:
  Workload(std::string name, std::vector<const Outcome*> outcomes)
      : name_(std::move(name)), outcomes_(std::move(outcomes)) {}
  const std::string& name() const { return name_; }
  // NaN where there is none.
  double operator()(std::string_view variant, std::string_view metric) const;
  // Of the run with so many threads (metric "threads").
  double with_threads(double threads, std::string_view variant, std::string_view metric) const;

 private:
  std::string name_;
  std::vector<const Outcome*> outcomes_;  // most threads first
};

struct FigureInfo {
  std::string_view id;
  std::string_view title;
  std::vector<std::string_view> variants;  // that it needs
  Figure (*make)(const std::vector<Workload>& workloads);
};

struct Column {
  std::string_view name;  // for people
  std::string_view metric;
  Numbers numbers;
};

struct ModelInfo {
  std::string_view name;
  std::string_view summary;
  // Every parameter with its value, as a configuration file; a fault where a setting is wrong.
  Result<std::string> (*parameters)(std::span<const Setting> settings);
  Result<Metrics> (*simulate)(const Job& job);
  std::vector<Variant> variants;  // the first is the design as the paper has it
  std::vector<FigureInfo> figures;
  std::vector<Column> columns;  // of a sweep's table, and of the summary
};

const ModelInfo& parsnip_model();
const ModelInfo& scord_model();

std::string workload_name(const std::string& trace);

// The figures of a list of ids ("7,table-3": a number alone is a figure; empty: all).
Result<std::vector<const FigureInfo*>> figures_asked(const ModelInfo& model, std::string_view list);

// `settings` are the user's; a variant's come behind them. `variant_of` gets each job's variant.
std::vector<Job> jobs_of(const ModelInfo& model, std::span<const FigureInfo* const> figures,
                         std::span<const std::string> traces, std::span<const Setting> settings,
                         std::vector<std::string>& variant_of);

// Each of `dimensions` is "name=value,value,...".
Result<std::vector<Job>> sweep_of(const ModelInfo& model, std::span<const std::string> dimensions,
                                  std::span<const std::string> traces,
                                  std::span<const Setting> settings,
                                  std::vector<std::string>& variant_of);

std::vector<Workload> workloads_of(const std::vector<Outcome>& outcomes);
Figure made(const FigureInfo& figure, const std::vector<Workload>& workloads);

// A row for each outcome, a column for each of the model's. As numbers for a program, with what differs in columns of its own: csv().
std::vector<Figure> summary(const ModelInfo& model, const std::vector<Outcome>& outcomes);
std::string csv(const std::vector<Outcome>& outcomes);

}  // namespace redflag::sim
