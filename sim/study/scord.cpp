// The ScoRD paper's evaluation (section V): its variants, figures 8 to 11 and tables VI and VII.
#include <algorithm>
#include <memory>

#include "core/trace/gpu_reader.h"
#include "sim/models/scord/scord_sim.h"
#include "sim/study/study.h"

namespace redflag::sim {
namespace {

struct Setup {
  GpuMachine machine;
  ScordParameters model;
};

std::vector<Parameter> rows_of(GpuMachine& of) {
  return {
#define PARAMETER REDFLAG_PARAMETER_ROW
#include "sim/mem/gpu/gpu_machine.inc"
  };
}
std::vector<Parameter> rows_of(ScordParameters& of) {
  return {
#define PARAMETER REDFLAG_PARAMETER_ROW
#include "sim/models/scord/scord_parameters.inc"
  };
}
std::vector<Parameter> rows_of(Setup& setup) {
  std::vector<Parameter> rows = rows_of(setup.machine);
  for (Parameter& row : rows_of(setup.model)) rows.push_back(row);
  return rows;
}

Result<Setup> setup_of(std::span<const Setting> settings) {
  Setup setup;
  if (const Result<void> done = apply_settings(rows_of(setup), settings); !done) {
    return Failure(done.error());
  }
  for (const std::string& fault : {fault_of(setup.machine), fault_of(setup.model)}) {
    if (!fault.empty()) return fail(fault);
  }
  return setup;
}

Result<std::string> parameters(std::span<const Setting> settings) {
  Result<Setup> setup = setup_of(settings);
  if (!setup) return Failure(setup.error());
  return written(rows_of(*setup));
}

Metrics metrics_of(const ScordStats& s) {
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  Metrics m{{"launches", number(s.launches)},
            {"steps", number(s.steps.steps)},
            {"memory_steps", number(s.steps.memory_steps)},
            {"cycles_without", number(s.baseline.cycles)},
            {"cycles", number(s.detecting.cycles)},
            {"slowdown", s.slowdown()},
            {"dram_data", s.dram_data()},
            {"dram_metadata", s.dram_metadata()},
            {"races", number(s.races)},
            {"evictions", number(s.evictions)},
            {"memory_bytes", number(s.memory_bytes)},
            {"metadata_bytes", number(s.metadata_bytes)}};
  for (const ScordTable& table : s.tables) {
    if (table.name.empty()) continue;
    std::string name(table.name);
    std::replace(name.begin(), name.end(), ' ', '_');
    m.emplace_back(name + "_lines", number(table.lines));
    m.emplace_back(name + "_missed", number(table.missed));
    m.emplace_back(name + "_more", number(table.more));
  }
  return m;
}

Result<Metrics> simulate(const Job& job) {
  const Result<Setup> setup = setup_of(job.settings);
  if (!setup) return Failure(setup.error());
  const CpuClock clock;
  Result<GpuTraceReader> reader = GpuTraceReader::open(job.trace);
  if (!reader) return Failure(reader.error());
  const auto sim = std::make_unique<ScordSim>(setup->machine, setup->model);
  for (;;) {
    const Result<bool> more = reader->play(*sim);
    if (!more) return Failure(more.error());
    if (!*more) break;
  }
  Metrics metrics = metrics_of(sim->stats());
  metrics.emplace_back("seconds", clock.seconds());
  return metrics;
}

Figure performance(const std::vector<Workload>& workloads) {
  Figure f;
  f.columns = {"base design", "ScoRD"};
  for (const Workload& w : workloads) {
    f.rows.push_back({w.name(), {w("base", "slowdown"), w("standard", "slowdown")}});
  }
  f.caption =
      "Cycles over those without race detection; the base design has an entry of metadata for each "
      "four bytes, "
      "ScoRD one for sixteen of them. The paper: 1.35 on average, 1.88 for its convolution.";
  f.line = {1.35, "the paper's mean"};
  add_geometric_mean(f);
  return f;
}

Figure dram(const std::vector<Workload>& workloads) {
  Figure f;
  f.columns = {"base: data", "base: metadata", "ScoRD: data", "ScoRD: metadata"};
  for (const Workload& w : workloads) {
    f.rows.push_back({w.name(),
                      {w("base", "dram_data"), w("base", "dram_metadata"),
                       w("standard", "dram_data"), w("standard", "dram_metadata")}});
  }
  f.caption =
      "Accesses to memory over those without race detection, of the program's data and of "
      "metadata.";
  add_mean(f);
  return f;
}

Figure sources(const std::vector<Workload>& workloads) {
  Figure f;
  f.shape = Shape::kStacked;
  f.numbers = Numbers::kPercent;
  f.columns = {"stalls of L1 hits", "interconnect", "metadata"};
  for (const Workload& w : workloads) {
    const ScordParts parts = parts_of(w("standard", "slowdown"), w("no-hits", "slowdown"),
                                      w("no-packets", "slowdown"), w("no-metadata", "slowdown"));
    f.rows.push_back({w.name(), {parts.hits, parts.packets, parts.metadata}});
  }
  f.caption =
      "What makes the overhead, by simulating without each. The paper: 16.5%, 36.2% and 47.3% on "
      "average.";
  add_mean(f);
  return f;
}

Figure sensitivity(const std::vector<Workload>& workloads) {
  Figure f;
  f.columns = {"half", "default", "twice"};
  for (const Workload& w : workloads) {
    f.rows.push_back(
        {w.name(), {w("low", "slowdown"), w("standard", "slowdown"), w("high", "slowdown")}});
  }
  f.caption =
      "Slowdown with half and with twice the second-level cache and memory channels. The paper: "
      "more where there is less.";
  add_geometric_mean(f);
  return f;
}

Figure table_of(const std::vector<Workload>& workloads,
                const std::vector<std::pair<std::string, std::string>>& columns) {
  Figure f;
  f.shape = Shape::kTable;
  f.numbers = Numbers::kCount;
  for (const auto& [name, metric] : columns) f.columns.push_back(name);
  for (const Workload& w : workloads) {
    f.rows.push_back({w.name(), {}});
    for (const auto& [name, metric] : columns) f.rows.back().values.push_back(w("tables", metric));
  }
  return f;
}

Figure caught(const std::vector<Workload>& workloads) {
  Figure f = table_of(workloads, {{"base design", "base_lines"},
                                  {"ScoRD", "cached_lines"},
                                  {"missed by ScoRD", "cached_missed"}});
  f.caption =
      "Lines that race, as the base design and ScoRD with its metadata cache report them. The "
      "paper: 44 and 43.";
  return f;
}

Figure granularity(const std::vector<Workload>& workloads) {
  Figure f = table_of(workloads, {{"4 bytes", "base_more"},
                                  {"8 bytes", "8_bytes_more"},
                                  {"16 bytes", "16_bytes_more"},
                                  {"ScoRD", "cached_more"}});
  f.caption =
      "Lines that are reported only because neighbours share an entry. The paper: none at 4 bytes, "
      "up to 28 at 8, 29 at 16.";
  return f;
}

}  // namespace

const ModelInfo& scord_model() {
  static const ModelInfo model{
      "scord",
      "ScoRD, race detection by GPUs",
      parameters,
      simulate,
      {{"standard", {}},
       {"base", {{"metadata_cache", "off"}}},
       {"no-hits", {{"cost_of_hits", "off"}}},
       {"no-packets", {{"cost_of_packets", "off"}}},
       {"no-metadata", {{"cost_of_metadata", "off"}}},
       {"low", {{"l2_bytes", "768K"}, {"channels", "6"}}},
       {"high", {{"l2_bytes", "3M"}, {"channels", "24"}}},
       {"tables", {{"tables", "on"}}}},
      {{"figure-8", "Performance", {"standard", "base"}, performance},
       {"figure-9", "Accesses to DRAM", {"standard", "base"}, dram},
       {"figure-10",
        "What makes the overhead",
        {"standard", "no-hits", "no-packets", "no-metadata"},
        sources},
       {"figure-11", "Sensitivity to memory resources", {"standard", "low", "high"}, sensitivity},
       {"table-6", "Races caught", {"tables"}, caught},
       {"table-7", "False positives by granularity", {"tables"}, granularity}},
      {{"slowdown", "slowdown", Numbers::kTimes},
       {"DRAM, data", "dram_data", Numbers::kTimes},
       {"DRAM, metadata", "dram_metadata", Numbers::kTimes},
       {"races", "races", Numbers::kCount},
       {"evictions", "evictions", Numbers::kCount}}};
  return model;
}

}  // namespace redflag::sim
