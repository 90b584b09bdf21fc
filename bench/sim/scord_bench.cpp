// ScoRD's figures for one GPU program: cycles, DRAM accesses and their sources, and the simulation's speed.
//
//   scord_bench [--figures] [--tables] [--seed=N] [--extensions] [--ptx=FILE] FILE.cu [name=value...]
//   scord_bench [--figures] [--tables] TRACE.rft
//
// A program of bench/cuda or tests/cuda, on the emulated GPU, or a trace of one. Prints one JSON object.
// Seconds are of the processor. Without --figures one machine with ScoRD as its paper has it; with it also those of figures 8 (the base design),
// 10 (without each source of cost) and 11 (half and twice the second level and the channels), on the same run.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "core/detect/gpu/tee.h"
#include "core/trace/gpu_reader.h"
#include "frontends/cuda/emulate/device.h"
#include "frontends/cuda/ptx/parser.h"
#include "sim/models/scord/scord_sim.h"
#include "tests/cuda/host/emulated.h"
#include "tests/cuda/host/script.h"

namespace {

using namespace redflag;  // NOLINT: a program of one file

struct Simulated {
  std::string name;
  std::unique_ptr<sim::ScordSim> sim;
};

struct Options {
  bool figures = false, tables = false, extensions = false, speed = false;
  std::uint64_t seed = 1;
  std::string ptx, file;
  std::map<std::string, double> values;
};

std::vector<Simulated> simulations(const Options& options) {
  std::vector<Simulated> all;
  const auto add = [&](const char* name, auto change) {
    sim::GpuMachine machine;
    sim::ScordParameters scord;
    change(machine, scord);
    all.push_back({name, std::make_unique<sim::ScordSim>(machine, scord)});
  };
  add("scord", [&](auto&, auto& scord) {
    scord.tables = options.tables;
    scord.independent_threads = scord.acquire_release = options.extensions;
  });
  if (!options.figures) return all;
  add("ends_alone", [](auto&, auto& scord) { scord.end_waits_for_all = false; });
  add("base", [](auto&, auto& scord) { scord.metadata_cache = false; });
  add("no_hits", [](auto&, auto& scord) { scord.cost_of_hits = false; });
  add("no_packets", [](auto&, auto& scord) { scord.cost_of_packets = false; });
  add("no_metadata", [](auto&, auto& scord) { scord.cost_of_metadata = false; });
  add("low", [](auto& machine, auto&) {
    machine.l2_bytes /= 2;
    machine.channels /= 2;
  });
  add("high", [](auto& machine, auto&) {
    machine.l2_bytes *= 2;
    machine.channels *= 2;
  });
  return all;
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string play(const Options& options, gpu::Sink& sink) {
  Result<GpuTraceReader> reader = GpuTraceReader::open(options.file);
  if (!reader) return reader.error().message;
  while (true) {
    const Result<bool> more = reader->play(sink);
    if (!more) return more.error().message;
    if (!*more) return {};
  }
}

std::string emulate(const Options& options, gpu::Sink* sink, double& seconds) {
  const std::string source = read(options.file);
  const script::Text text = script::find_script(source);  // points into it
  if (text.line == 0) return options.file + " has no script";
  cuda::Device device({.seed = options.seed, .timeout_ms = 500000, .sink = sink});
  Result<ptx::Module> parsed = ptx::parse(options.ptx, read(options.ptx));
  if (!parsed) return parsed.error().message;
  const Result<cuda::ModuleId> module = device.load(std::move(*parsed));
  if (!module) return module.error().message;
  script::Emulated machine(device, *module, sink);
  const std::string fault = script::run(text, options.values, machine);
  seconds = machine.processor_seconds();
  return fault;
}

void print(const std::string& name, const sim::ScordStats& stats) {
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf(
      ", \"%s\": {\"slowdown\": %.4f, \"cycles\": [%llu, %llu], \"dram_data\": %.4f, "
      "\"dram_metadata\": %.4f, \"dram\": %llu, \"l1_hits\": %llu, \"l1_misses\": %llu, "
      "\"transactions\": %llu, \"flits\": [%llu, %llu], \"reply_flits\": [%llu, %llu], "
      "\"l1_stalls\": [%llu, %llu], \"l2_misses\": [%llu, %llu, %llu], \"shared\": %llu, "
      "\"waited\": %llu, \"evictions\": %llu, \"races\": %llu, \"memory\": %llu, \"metadata\": "
      "%llu, \"instructions\": %llu",
      name.c_str(), stats.slowdown(), number(stats.baseline.cycles), number(stats.detecting.cycles),
      stats.dram_data(), stats.dram_metadata(), number(stats.baseline.dram()),
      number(stats.detecting.counts.l1_hits), number(stats.detecting.counts.l1_misses),
      number(stats.detecting.counts.transactions), number(stats.baseline.counts.request_flits),
      number(stats.detecting.counts.request_flits), number(stats.baseline.counts.reply_flits),
      number(stats.detecting.counts.reply_flits), number(stats.baseline.counts.l1_stalls),
      number(stats.detecting.counts.l1_stalls), number(stats.baseline.data.misses),
      number(stats.detecting.data.misses), number(stats.detecting.metadata.misses),
      number(stats.shared), number(stats.waited), number(stats.evictions), number(stats.races),
      number(stats.memory_bytes), number(stats.metadata_bytes),
      number(stats.baseline.counts.instructions));
  if (!stats.tables[0].name.empty()) {
    std::printf(", \"tables\": {");
    const char* comma = "";
    for (const sim::ScordTable& table : stats.tables) {
      std::printf("%s\"%s\": {\"missed\": %llu, \"more\": %llu, \"sites\": [", comma,
                  std::string(table.name).c_str(), number(table.missed), number(table.more));
      const char* between = "";
      for (const gpu::SiteId site : table.sites) {
        std::printf("%s%u", between, raw(site));
        between = ", ";
      }
      std::printf("]}");
      comma = ", ";
    }
    std::printf("}");
  }
  std::printf("}");
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string each = argv[i];
    const std::size_t sign = each.find('=');
    const std::string value = sign == std::string::npos ? "" : each.substr(sign + 1);
    if (each == "--figures") {
      options.figures = true;
    } else if (each == "--tables") {
      options.tables = true;
    } else if (each == "--extensions") {
      options.extensions = true;
    } else if (each == "--speed") {
      options.speed = true;
    } else if (each.starts_with("--seed=")) {
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (each.starts_with("--ptx=")) {
      options.ptx = value;
    } else if (sign != std::string::npos && !each.starts_with("-")) {
      options.values[each.substr(0, sign)] = std::strtod(value.c_str(), nullptr);
    } else {
      options.file = each;
    }
  }
  if (options.file.empty()) {
    std::fprintf(stderr,
                 "usage: scord_bench [--figures] [--tables] [--extensions] [--speed] [--seed=N] "
                 "[--ptx=FILE] FILE.cu|TRACE.rft [name=value...]\n");
    return 2;
  }
  if (options.ptx.empty()) options.ptx = options.file.substr(0, options.file.rfind('.')) + ".ptx";
  std::vector<Simulated> all = simulations(options);
  gpu::Tee tee;
  for (const Simulated& each : all) tee.add(*each.sim);
  const bool is_trace = GpuTraceReader::is_one(options.file);
  double kernels = 0;
  double bare = 0;  // of the emulated GPU, with nobody who simulates
  gpu::Tee nobody;
  if (options.speed && !is_trace) (void)emulate(options, &nobody, bare);
  const double begin = processor_seconds();
  const std::string fault = is_trace ? play(options, tee) : emulate(options, &tee, kernels);
  const double seconds = is_trace ? processor_seconds() - begin : kernels - bare;
  const sim::ScordStats first = all.front().sim->stats();
  std::printf(
      "{\"file\": \"%s\", \"fault\": %s, \"seconds\": %.6f, \"simulations\": %zu, "
      "\"launches\": %llu, \"steps\": %llu, \"memory_steps\": %llu, \"lane_accesses\": %llu, "
      "\"shared_steps\": %llu",
      options.file.c_str(), fault.empty() ? "false" : "true", seconds, all.size(),
      static_cast<unsigned long long>(first.launches),
      static_cast<unsigned long long>(first.steps.steps),
      static_cast<unsigned long long>(first.steps.memory_steps),
      static_cast<unsigned long long>(first.steps.lane_accesses),
      static_cast<unsigned long long>(first.steps.shared_steps));
  for (const Simulated& each : all) print(each.name, each.sim->stats());
  std::printf("}\n");
  if (!fault.empty()) std::fprintf(stderr, "%s\n", fault.c_str());
  return fault.empty() ? 0 : 1;
}
