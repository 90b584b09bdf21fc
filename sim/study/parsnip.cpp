// The PARSNIP paper's evaluation (section 5): its variants and its figures.
#include <memory>

#include "core/trace/reader.h"
#include "sim/models/parsnip/sim.h"
#include "sim/study/study.h"

namespace redflag::sim {

using parsnip::kCostCount;
using parsnip::kCostNames;
using parsnip::kSourceCount;
using parsnip::kSourceNames;
using parsnip::ParsnipParameters;
using parsnip::ParsnipSim;
using parsnip::ParsnipStats;
using parsnip::WithRadish;

namespace {

// What is simulated beside PARSNIP: no parameter of the machine, but of the study.
enum class Beside : std::uint8_t { kNothing, kRadish, kRadishTs };
constexpr std::string_view kBesideWords[] = {"none", "radish", "radish-ts"};
std::span<const std::string_view> choice_words(Beside) {
  return kBesideWords;
}

struct Setup {
  CpuMachine machine;
  ParsnipParameters model;
  Beside compare = Beside::kNothing;
};

std::vector<Parameter> rows_of(CpuMachine& of) {
  return {
#define PARAMETER REDFLAG_PARAMETER_ROW
#include "sim/mem/cpu_machine.inc"
#undef PARAMETER
  };
}
std::vector<Parameter> rows_of(ParsnipParameters& of) {
  return {
#define PARAMETER REDFLAG_PARAMETER_ROW
#include "sim/models/parsnip/parameters.inc"
#undef PARAMETER
  };
}
std::vector<Parameter> rows_of(Setup& setup) {
  std::vector<Parameter> rows = rows_of(setup.machine);
  for (Parameter& row : rows_of(setup.model)) rows.push_back(row);
  rows.push_back(parameter_of("compare", setup.compare,
                              "a detector with metadata for each byte beside it (section 5.2)"));
  return rows;
}

Result<std::unique_ptr<Setup>> setup_of(std::span<const Setting> settings) {
  auto setup = std::make_unique<Setup>();
  if (const Result<void> done = apply_settings(rows_of(*setup), settings); !done) {
    return Failure(done.error());
  }
  for (const std::string_view fault : {setup->machine.fault(), setup->model.fault()}) {
    if (!fault.empty()) return fail(std::string(fault));
  }
  return setup;
}

Result<std::string> parameters(std::span<const Setting> settings) {
  const Result<std::unique_ptr<Setup>> setup = setup_of(settings);
  if (!setup) return Failure(setup.error());
  return written(rows_of(**setup));
}

// Counts what the model reports; how many threads worked at most.
struct Counts final : FindingSink {
  void on_race(const Race&) override { ++races; }
  void saw(const Event& event) {
    if (event.kind == EventKind::kFork) most = std::max(most, ++alive);
    if (event.kind == EventKind::kJoin && alive > 0) --alive;
  }
  std::uint64_t races = 0;
  std::uint32_t alive = 0;
  std::uint32_t most = 0;
};

constexpr std::uint32_t kBuckets[] = {1, 2, 4, 8, 16, 64};  // of figure 3, each up to this

double of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string prefixed(std::string_view prefix, std::string_view name) {
  std::string text = std::string(prefix) + "_";
  for (const char c : name) text += c == ' ' ? '_' : c;
  return text;
}

// Cycles of `part` over the machine without detection.
Metrics metrics_of(const ParsnipStats& s, const Counts& counts) {
  Metrics m{{"threads", counts.most},
            {"events", static_cast<double>(s.events)},
            {"accesses", static_cast<double>(s.accesses)},
            {"unchecked", static_cast<double>(s.unchecked)},
            {"instructions", static_cast<double>(s.instructions)},
            {"races", static_cast<double>(counts.races)},
            {"slowdown", s.slowdown()},
            {"baseline_cpi", of(s.baseline_cycles, s.instructions)},
            {"radish_slowdown", s.radish_cycles == 0 ? std::nan("") : s.radish_slowdown()},
            {"software_share", of(s.software_checks, s.accesses)}};
  for (std::size_t k = 0; k < kSourceCount; ++k) {
    m.emplace_back(prefixed("resolved", kSourceNames[k]), of(s.resolved_by[k], s.checks));
  }
  for (std::size_t k = 0; k < kCostCount; ++k) {
    m.emplace_back(prefixed("cost", kCostNames[k]), of(s.cycles[k], s.baseline_cycles));
  }
  m.emplace_back("drains_per_1k", s.per_thousand_instructions(s.drains));
  m.emplace_back("evictions_per_1k", s.per_thousand_instructions(s.evictions));
  m.emplace_back("rejections_per_1k", s.per_thousand_instructions(s.rejections));
  m.emplace_back("software_per_1k", s.per_thousand_instructions(s.software_checks));
  std::uint64_t lines = 0;
  for (std::size_t k = 1; k < s.lines_by_refs.size(); ++k) lines += s.lines_by_refs[k];
  std::size_t at = 1;
  for (const std::uint32_t bucket : kBuckets) {
    std::uint64_t n = 0;
    for (; at <= bucket; ++at) n += s.lines_by_refs[at];
    m.emplace_back("lines_up_to_" + std::to_string(bucket), of(n, lines));
  }
  // A number that is none is left out: files hold numbers.
  std::erase_if(m, [](const auto& one) { return !std::isfinite(one.second); });
  return m;
}

Result<Metrics> simulate(const Job& job) {
  const Result<std::unique_ptr<Setup>> setup = setup_of(job.settings);
  if (!setup) return Failure(setup.error());
  const CpuClock clock;
  auto reader = open_trace(job.trace);
  if (!reader) return Failure(reader.error());
  PageResource memory;
  Counts counts;
  DetectorOptions options;
  options.memory = &memory;
  options.sink = &counts;
  ParsnipSim sim((*setup)->machine, (*setup)->model, options,
                 static_cast<WithRadish>((*setup)->compare));
  for (;;) {
    auto batch = (*reader)->next();
    if (!batch) return Failure(batch.error());
    if (batch->empty()) break;
    for (const Event& event : *batch) counts.saw(event);
    sim.on_events(*batch);
  }
  Metrics metrics = metrics_of(sim.stats(), counts);
  metrics.emplace_back("seconds", clock.seconds());
  return metrics;
}
static_assert(static_cast<int>(WithRadish::kTypeSafe) == static_cast<int>(Beside::kRadishTs));

// A column for each metric.
Figure of_metrics(const std::vector<Workload>& workloads, std::string_view variant,
                  const std::vector<std::pair<std::string, std::string>>& columns) {
  Figure f;
  for (const auto& [name, metric] : columns) f.columns.push_back(name);
  for (const Workload& w : workloads) {
    Figure::Row row{w.name(), {}};
    for (const auto& [name, metric] : columns) row.values.push_back(w(variant, metric));
    f.rows.push_back(std::move(row));
  }
  return f;
}

Figure distinct_histories(const std::vector<Workload>& workloads) {
  Figure f = of_metrics(workloads, "standard",
                        {{"1", "lines_up_to_1"},
                         {"2", "lines_up_to_2"},
                         {"3-4", "lines_up_to_4"},
                         {"5-8", "lines_up_to_8"},
                         {"9-16", "lines_up_to_16"},
                         {"17-64", "lines_up_to_64"}});
  f.shape = Shape::kStacked;
  f.numbers = Numbers::kPercent;
  f.caption =
      "Lines of 64 bytes by how many different access histories their bytes have. The paper: few, "
      "but for fluidanimate and x264.";
  add_mean(f);
  return f;
}

Figure slowdowns(const std::vector<Workload>& workloads) {
  Figure f;
  f.columns = {"PARSNIP", "Radish-like", "with type safety"};
  for (const Workload& w : workloads) {
    f.rows.push_back({w.name(),
                      {w("standard", "slowdown"), w("radish", "radish_slowdown"),
                       w("radish-ts", "radish_slowdown")}});
  }
  f.caption =
      "Cycles over those of the same machine without race detection. The paper: 1.5 on average "
      "(PARSNIP), 6.9 (Radish), with 8 threads.";
  f.line = {1.5, "the paper's mean"};
  add_geometric_mean(f);
  return f;
}

Figure scaling(const std::vector<Workload>& workloads) {
  Figure f;
  f.columns = {"2", "4", "8", "16"};
  for (const Workload& w : workloads) {
    f.rows.push_back({w.name(), {}});
    for (const double threads : {2, 4, 8, 16})
      f.rows.back().values.push_back(w.with_threads(threads, "standard", "slowdown"));
  }
  f.caption =
      "Slowdown by number of threads, of the workloads that were recorded with so many (fft.2.rft, "
      "fft.4.rft, ...). The paper: at most 2.7.";
  add_geometric_mean(f);
  return f;
}

Figure optimisations(const std::vector<Workload>& workloads) {
  constexpr std::string_view kVariants[] = {"no-epoch-buffers", "no-speculation", "l1", "llc"};
  Figure f;
  f.columns = {"no epoch buffers", "no speculation", "lines in L1", "lines in LLC"};
  for (const Workload& w : workloads) {
    f.rows.push_back({w.name(), {}});
    for (const std::string_view variant : kVariants) {
      f.rows.back().values.push_back(w(variant, "slowdown") / w("standard", "slowdown"));
    }
  }
  f.caption =
      "Time without an optimisation over time with all of them. The paper: 3.7 without epoch "
      "buffers, 1.1 without speculation.";
  f.line = {1, "all of them"};
  add_geometric_mean(f);
  return f;
}

std::vector<std::pair<std::string, std::string>> columns_of(
    std::string_view prefix, std::span<const std::string_view> names) {
  std::vector<std::pair<std::string, std::string>> columns;
  for (const std::string_view name : names) columns.emplace_back(name, prefixed(prefix, name));
  return columns;
}

Figure resolution(const std::vector<Workload>& workloads) {
  Figure f = of_metrics(workloads, "standard", columns_of("resolved", kSourceNames));
  f.shape = Shape::kStacked;
  f.numbers = Numbers::kPercent;
  f.caption =
      "What resolved a check: the costliest source that it had to ask. The paper: refs and the "
      "local table at least 84%, software under 1% but for canneal (8%).";
  add_mean(f);
  return f;
}

Figure overheads(const std::vector<Workload>& workloads) {
  Figure f = of_metrics(workloads, "standard", columns_of("cost", kCostNames));
  f.shape = Shape::kStacked;
  f.numbers = Numbers::kPercent;
  f.caption =
      "What the additional cycles went to, in percent of the cycles without detection. The last "
      "three are not in the paper's figure.";
  add_mean(f);
  return f;
}

Figure rates(const std::vector<Workload>& workloads) {
  Figure f = of_metrics(workloads, "standard",
                        {{"epoch buffer drains", "drains_per_1k"},
                         {"line evictions", "evictions_per_1k"},
                         {"table rejections", "rejections_per_1k"},
                         {"software checks", "software_per_1k"}});
  f.shape = Shape::kTable;
  f.numbers = Numbers::kRate;
  f.caption =
      "Events per 1000 instructions. The paper: drains up to 1.38, evictions none, rejections "
      "under 0.5 (fluidanimate 79), software checks up to 2.57.";
  return f;
}

}  // namespace

const ModelInfo& parsnip_model() {
  static const ModelInfo model{
      "parsnip",
      "PARSNIP, race detection by processors",
      parameters,
      simulate,
      {{"standard", {}},
       {"radish", {{"compare", "radish"}}},
       {"radish-ts", {{"compare", "radish-ts"}}},
       {"no-epoch-buffers", {{"epoch_buffers", "off"}}},
       {"no-speculation", {{"prefetch", "off"}, {"speculation", "off"}}},
       {"l1", {{"residence", "l1"}}},
       {"llc", {{"residence", "llc"}}}},
      {{"figure-3", "Distinct access histories of a line", {"standard"}, distinct_histories},
       {"figure-7", "Slowdown", {"standard", "radish", "radish-ts"}, slowdowns},
       {"figure-8", "Slowdown by number of threads", {"standard"}, scaling},
       {"figure-9",
        "Optimisations switched off",
        {"standard", "no-epoch-buffers", "no-speculation", "l1", "llc"},
        optimisations},
       {"figure-10", "What resolves checks", {"standard"}, resolution},
       {"figure-11", "Where the time goes", {"standard"}, overheads},
       {"table-3", "Events per 1000 instructions", {"standard"}, rates}},
      {{"slowdown", "slowdown", Numbers::kTimes},
       {"software checks", "software_share", Numbers::kPercent},
       {"by refs", "resolved_ParsnipRef", Numbers::kPercent},
       {"by local table", "resolved_local_table", Numbers::kPercent},
       {"races", "races", Numbers::kCount}}};
  return model;
}

}  // namespace redflag::sim
