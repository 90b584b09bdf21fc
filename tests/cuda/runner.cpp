// cuda_runner: runs a program of tests/cuda/programs or bench/cuda on the emulated device.
//
//   cuda_runner [--seeds=N] [--seed=N] [--schedule=N] [--level=cuda|ptx|both|none] [--detector=NAME,...] [--ptx=FILE] [--lockstep]
//               [--granularity=4|8|16] [--accessors=1|2|4|8] [--no-metadata-cache] [--record=TRACE]
//               [--rewritten[=compact|none]] [--device-memory=BYTES] [--gpu] FILE.cu [name=value...]
//
// The host side is the script in the source, the kernels are the PTX beside it. Every seed is a run of its own, on
// a new device, and one line of JSON: what went wrong if anything did, instructions and seconds of the kernels,
// memory of the process, and what was found at each level, with the places in the program's own file; with
// --detector also what those of the papers found. With --rewritten the device tells nothing itself: the PTX is
// rewritten as for a GPU, and what is found comes from the hooks of the device runtime `stream`, or, as "compact",
// from the detector that runs in the GPU, which holds warps back by --schedule. With --gpu it is the GPU of this machine
// that runs them, and each seed but the first has another schedule. 0 when all runs ended as their scripts expect, findings or not; 1 otherwise; 2 for wrong usage. run.py judges.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/detect/gpu/gpu_registry.h"
#include "core/detect/gpu/tee.h"
#include "core/trace/gpu_writer.h"
#include "frontends/cuda/device/testing.h"
#include "frontends/cuda/emulate/device.h"
#include "frontends/cuda/ptx/parser.h"
#include "tests/cuda/host/driven.h"
#include "tests/cuda/host/emulated.h"
#include "tests/cuda/host/rewritten.h"
#include "tests/cuda/host/script.h"

namespace redflag {
namespace {

struct Options {
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1;
  std::uint64_t schedule = 0;     // of compact: which warps are held back
  bool levels[2] = {true, true};  // by gpu::Strictness
  std::vector<const gpu::GpuDetectorInfo*> detectors;
  gpu::GpuDetectorOptions of_detectors;
  bool lockstep = false;
  std::string rewritten;  // for that runtime; empty: not
  bool gpu = false;
  std::uintptr_t registers = 64;  // of a thread of a checked kernel, on a GPU; as inject has it
  std::uint64_t timeout_ms = 60'000;
  std::uint64_t device_memory = 0;  // for metadata; 0: as much as there is
  std::string source, ptx;
  std::string record;  // of the last seed; empty: nowhere
  std::map<std::string, double> values;
};
constexpr const char* kLevelNames[2] = {"cuda", "ptx"};

std::string read(const std::string& path, bool& found) {
  std::ifstream file(path, std::ios::binary);
  found = file.good();
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
  }
  return out + '"';
}

std::string base(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

using Frames = std::function<std::vector<Frame>(gpu::SiteId)>;

// The innermost line in the program's own file; of the instruction, not of what it was inlined from.
int line_of(const Frames& frames, gpu::SiteId site, const std::string& own) {
  if (const int line = script::host_line(site)) return line;
  if (raw(site) == 0) return 0;
  for (const Frame& frame : frames(site))
    if (base(frame.file) == own) return static_cast<int>(frame.line);
  return 0;
}

// The same as a frame, for traces.
std::vector<Frame> frames_of(const Frames& frames, gpu::SiteId site, const std::string& own) {
  const int line = line_of(frames, site, own);
  if (line == 0) return raw(site) == 0 ? std::vector<Frame>{} : frames(site);
  return {{"", own, static_cast<std::uint32_t>(line), 0}};
}

std::string findings(const Frames& frames, const std::vector<gpu::GpuRace>& races,
                     const std::string& own) {
  std::string out;
  for (const gpu::GpuRace& race : races) {
    if (!out.empty()) out += ", ";
    out += "{\"class\": " + quoted(std::string(name(race.kind))) + ", \"space\": \"" +
           (race.space == gpu::Space::kShared ? "shared" : "global") + "\", \"lines\": [" +
           std::to_string(line_of(frames, race.first.site, own)) + ", " +
           std::to_string(line_of(frames, race.second.site, own)) +
           "], \"count\": " + std::to_string(race.count) + ", \"advice\": " + quoted(advice(race)) +
           "}";
  }
  return "[" + out + "]";
}

void print_counters(const std::string& of, const std::vector<Counter>& counters) {
  std::printf(", \"%s_stats\": {", of.c_str());
  const char* comma = "";
  for (const Counter& counter : counters) {
    std::printf("%s%s: %.0f", comma, quoted(counter.name).c_str(), counter.value);
    comma = ", ";
  }
  std::printf("}");
}

// With --device-memory there is so much left when the runtime has its tables.
std::unique_ptr<device::Runtime> make_runtime(const Options& options,
                                              device::testing::LimitedMemory& memory,
                                              gpu::Sink& sink) {
  if (options.rewritten != "compact") return std::make_unique<script::StreamTo>(memory, sink);
  device::CompactSizes sizes;
  sizes.schedule = options.schedule;
  if (!options.gpu) {
    sizes.chunks = 1U << 14;
    sizes.threads = 1U << 16;
    sizes.nodes = 1U << 16;
    sizes.locations = 1U << 12;
    sizes.cluster_lines = 1U << 14;
    sizes.copying_threads = 1U << 12;
  }
  std::unique_ptr<device::Runtime> made = device::make_compact_runtime(memory, sizes);
  if (options.device_memory != 0) {
    (void)made->state();
    memory.leave(options.device_memory);
  }
  return made;
}

// Runs the script on this machine's GPU: the runtime's hooks tell `sink`.
std::string run_on_gpu(gpu::Sink& sink, const Options& options, const script::Text& script,
                       const rewrite::Rewritten& made, double seconds[2],
                       std::vector<gpu::GpuRace>& races, std::vector<Counter>& counters) {
  script::Driver driver;
  if (!driver.fault().empty()) return driver.fault();
  device::testing::LimitedMemory memory(driver);
  const std::unique_ptr<device::Runtime> runtime = make_runtime(options, memory, sink);
  std::string fault;
  {
    script::Driven machine(driver, made, *runtime, options.registers);
    fault = machine.connect();
    if (fault.empty()) fault = script::run(script, options.values, machine);
    seconds[0] = machine.kernel_seconds();
    machine.versions().append(counters);
  }
  races = runtime->collect();
  const std::vector<Counter> stats = runtime->stats();
  counters.insert(counters.end(), stats.begin(), stats.end());
  return fault;
}

// Runs the script on the device; with `made` the runtime's hooks tell `sink`, which the device does not.
std::string run_on(cuda::Device& device, gpu::Sink* sink, const Options& options,
                   const script::Text& script, const std::string& ptx,
                   const rewrite::Rewritten* made, double seconds[2],
                   std::vector<gpu::GpuRace>& races, std::vector<Counter>& counters) {
  gpu::Tee nobody;
  if (options.gpu) {
    return run_on_gpu(sink == nullptr ? nobody : *sink, options, script, *made, seconds, races,
                      counters);
  }
  Result<ptx::Module> parsed = ptx::parse(options.ptx, made == nullptr ? ptx : made->ptx);
  if (!parsed) return parsed.error().message;
  std::vector<std::string> variables;
  for (const ptx::Variable& each : parsed->variables) {
    if (each.space == ptx::Space::kGlobal) variables.emplace_back(each.name);
  }
  const Result<cuda::ModuleId> module = device.load(std::move(*parsed));
  if (!module) return module.error().message;
  const auto go = [&](script::Emulated& machine) {
    std::string fault = script::run(script, options.values, machine);
    seconds[0] = machine.kernel_seconds();
    seconds[1] = machine.processor_seconds();
    return fault;
  };
  if (made == nullptr) {
    script::Emulated machine(device, *module, sink);
    return go(machine);
  }
  device::testing::EmulatedMemory all(device);
  device::testing::LimitedMemory memory(all);
  const std::unique_ptr<device::Runtime> runtime =
      make_runtime(options, memory, sink == nullptr ? nobody : *sink);
  std::string fault;
  {
    script::Rewritten machine(device, *module, *made, *runtime);
    fault = machine.connect(variables);
    if (fault.empty()) fault = go(machine);
    machine.versions().append(counters);
  }
  races = runtime->collect();
  const std::vector<Counter> stats = runtime->stats();
  counters.insert(counters.end(), stats.begin(), stats.end());
  return fault;
}

// One run; false when it did not end as it should.
bool run(const Options& options, const script::Text& script, const std::string& ptx,
         const rewrite::Rewritten* made, std::uint64_t seed) {
  const gpu::Convergence convergence =
      options.lockstep ? gpu::Convergence::kLockstep : gpu::Convergence::kByLevel;
  gpu::PtxModel models[2] = {
      gpu::PtxModel({.strictness = gpu::Strictness::kCuda, .convergence = convergence}),
      gpu::PtxModel({.strictness = gpu::Strictness::kPtx, .convergence = convergence})};
  gpu::Tee tee;
  gpu::Sink* sink = nullptr;
  const auto tell = [&](gpu::Sink& one) {
    sink = tee.size() == 0 ? &one : &tee;
    tee.add(one);
  };
  for (int i = 0; i < 2; ++i)
    if (options.levels[i]) tell(models[i]);
  std::vector<std::unique_ptr<gpu::GpuDetector>> others;
  for (const gpu::GpuDetectorInfo* info : options.detectors) {
    others.push_back(info->make(options.of_detectors));
    tell(*others.back());
  }
  Frames frames;
  std::unique_ptr<GpuTraceWriter> record;
  if (!options.record.empty()) {
    Result<OutputFile> file = OutputFile::create(options.record);
    if (!file) {
      std::fprintf(stderr, "cuda_runner: %s\n", file.error().message.c_str());
      return false;
    }
    record = std::make_unique<GpuTraceWriter>(
        ByteSink(std::move(*file)),
        [&, own = base(options.source)](gpu::SiteId site) { return frames_of(frames, site, own); });
    tell(*record);
  }
  cuda::Device device({.seed = seed,
                       .lockstep = options.lockstep,
                       .timeout_ms = options.timeout_ms,
                       .sink = made == nullptr ? sink : nullptr});
  frames = [&](gpu::SiteId site) {
    if (made == nullptr) return device.frames(site);
    return raw(site) < made->sites.size() ? made->sites[raw(site)].frames : std::vector<Frame>{};
  };
  double seconds[2] = {};  // by the clock on the wall, of the processor
  std::vector<gpu::GpuRace> races;
  std::vector<Counter> counters;
  std::string fault = run_on(device, sink, options, script, ptx, made, seconds, races, counters);
  if (record) {
    if (Result<void> done = record->finish(); !done) fault = done.error().message;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "{\"seed\": %llu, \"fault\": %s, \"warp_instructions\": %llu, \"thread_instructions\": %llu, "
      "\"seconds\": %.6f, \"processor_seconds\": %.6f, \"peak_bytes\": %llu",
      static_cast<unsigned long long>(seed), quoted(fault).c_str(),
      static_cast<unsigned long long>(device.stats().warp_instructions),
      static_cast<unsigned long long>(device.stats().thread_instructions), seconds[0], seconds[1],
      static_cast<unsigned long long>(usage.ru_maxrss) * 1024);
  if (options.rewritten == "compact") {
    std::printf(", \"compact\": %s", findings(frames, races, base(options.source)).c_str());
  }
  for (int i = 0; i < 2; ++i) {
    if (!options.levels[i]) continue;
    std::printf(", \"%s\": %s, \"%s_bytes\": %zu", kLevelNames[i],
                findings(frames, models[i].races(), base(options.source)).c_str(), kLevelNames[i],
                models[i].metadata_bytes());
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    const std::string name(options.detectors[i]->name);
    std::printf(", \"%s\": %s, \"%s_bytes\": %zu", name.c_str(),
                findings(frames, others[i]->races(), base(options.source)).c_str(), name.c_str(),
                others[i]->metadata_bytes());
    print_counters(name, others[i]->stats());
  }
  if (made != nullptr) print_counters(options.rewritten, counters);
  std::printf("}\n");
  std::fflush(stdout);
  return fault.empty();
}

int usage(const std::string& what) {
  std::fprintf(
      stderr,
      "cuda_runner: %s\n"
      "usage: cuda_runner [--seeds=N] [--seed=N] [--level=cuda|ptx|both|none] "
      "[--detector=NAME,...] [--granularity=4|8|16] [--accessors=1|2|4|8] [--no-metadata-cache] "
      "[--record=TRACE] [--ptx=FILE] [--lockstep] [--rewritten[=compact|none]] [--gpu] "
      "[--registers=N] "
      "[--timeout-ms=N] FILE.cu "
      "[name=value...]\n",
      what.c_str());
  return 2;
}

int main_of(const std::vector<std::string>& arguments) {
  Options options;
  for (const std::string& a : arguments) {
    const std::size_t sign = a.find('=');
    const std::string key = a.substr(0, sign),
                      value = sign == std::string::npos ? "" : a.substr(sign + 1);
    if (key == "--seeds") {
      options.seeds = std::strtoull(value.c_str(), nullptr, 10);
    } else if (key == "--seed") {
      options.first_seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (key == "--schedule") {
      options.schedule = std::strtoull(value.c_str(), nullptr, 10);
    } else if (key == "--timeout-ms") {
      options.timeout_ms = std::strtoull(value.c_str(), nullptr, 10);
    } else if (key == "--device-memory") {
      options.device_memory = std::strtoull(value.c_str(), nullptr, 10);
    } else if (key == "--level") {
      options.levels[0] = value == "cuda" || value == "both";
      options.levels[1] = value == "ptx" || value == "both";
      if (!options.levels[0] && !options.levels[1] && value != "none")
        return usage("no level " + value);
    } else if (key == "--detector") {
      std::stringstream names(value);
      for (std::string name; std::getline(names, name, ',');) {
        options.detectors.push_back(gpu::find_gpu_detector(name));
        if (options.detectors.back() == nullptr) return usage("no detector " + name);
      }
    } else if (key == "--record") {
      options.record = value;
    } else if (key == "--ptx") {
      options.ptx = value;
    } else if (key == "--granularity") {
      options.of_detectors.granularity =
          static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
    } else if (key == "--accessors") {
      options.of_detectors.accessors =
          static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
    } else if (a == "--no-metadata-cache") {
      options.of_detectors.metadata_cache = false;
    } else if (a == "--lockstep") {
      options.lockstep = true;
    } else if (a == "--rewritten" || a == "--rewritten=compact" || a == "--rewritten=none") {
      options.rewritten = value.empty() ? "stream" : value;
    } else if (key == "--registers") {
      options.registers = std::strtoull(value.c_str(), nullptr, 10);
    } else if (a == "--gpu") {
      options.gpu = true;
    } else if (a.starts_with("-")) {
      return usage("no option " + a);
    } else if (sign != std::string::npos) {
      options.values[key] = std::strtod(value.c_str(), nullptr);
    } else {
      options.source = a;
    }
  }
  if (options.source.empty()) return usage("needs a source");
  if (options.ptx.empty())
    options.ptx = options.source.substr(0, options.source.rfind('.')) + ".ptx";
  bool there = false;
  const std::string source = read(options.source, there);
  if (!there) return usage("cannot read " + options.source);
  const std::string ptx = read(options.ptx, there);
  if (!there) return usage("cannot read " + options.ptx + ": tests/cuda/build.py makes it");
  const script::Text script = script::find_script(source);
  if (script.line == 0) return usage(options.source + " has no script between R\"( and )\"");
  std::optional<rewrite::Rewritten> made;
  if (options.gpu && options.rewritten.empty()) options.rewritten = "stream";
  if (!options.rewritten.empty()) {
    Result<rewrite::Rewritten> done =
        script::rewrite_for(options.rewritten, options.ptx, ptx, true);
    if (!done) {
      std::fprintf(stderr, "cuda_runner: %s\n", done.error().message.c_str());
      return 1;
    }
    made = std::move(*done);
  }
  bool good = true;
  const std::uint64_t schedule = options.schedule;
  for (std::uint64_t i = 0; i < options.seeds; ++i) {
    if (options.gpu) options.schedule = schedule + i;
    good = run(options, script, ptx, made ? &*made : nullptr, options.first_seed + i) && good;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace redflag

int main(int argc, char** argv) {
  return redflag::main_of({argv + 1, argv + argc});
}
