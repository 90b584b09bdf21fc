// cuda_runner: runs a program of tests/cuda/programs or bench/cuda on the emulated device.
//
//   cuda_runner [--seeds=N] [--seed=N] [--level=cuda|ptx|both|none] [--detector=NAME,...] [--ptx=FILE] [--lockstep]
//               [--granularity=4|8|16] [--accessors=1|2|4|8] [--no-metadata-cache] [--record=TRACE] FILE.cu
//               [name=value...]
//
// The host side is the script in the source, the kernels are the PTX beside it. Every seed is a run of its own, on
// a new device, and one line of JSON: what went wrong if anything did, instructions and seconds of the kernels,
// memory of the process, and what was found at each level, with the places in the program's own file; with
// --detector also what those of the papers found. 0 when all
// runs ended as their scripts expect, findings or not; 1 otherwise; 2 for wrong usage. run.py judges.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "core/detect/gpu/gpu_registry.h"
#include "core/detect/gpu/tee.h"
#include "core/trace/gpu_writer.h"
#include "frontends/cuda/emulate/device.h"
#include "frontends/cuda/ptx/parser.h"
#include "tests/cuda/host/emulated.h"
#include "tests/cuda/host/script.h"

namespace redflag {
namespace {

struct Options {
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1;
  bool levels[2] = {true, true};  // by gpu::Strictness
  std::vector<const gpu::GpuDetectorInfo*> detectors;
  gpu::GpuDetectorOptions of_detectors;
  bool lockstep = false;
  std::uint64_t timeout_ms = 60'000;
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

// The innermost line in the program's own file; of the instruction, not of what it was inlined from.
int line_of(const cuda::Device& device, gpu::SiteId site, const std::string& own) {
  if (const int line = script::host_line(site)) return line;
  if (raw(site) == 0) return 0;
  for (const Frame& frame : device.frames(site))
    if (base(frame.file) == own) return static_cast<int>(frame.line);
  return 0;
}

// The same as a frame, for traces.
std::vector<Frame> frames_of(const cuda::Device& device, gpu::SiteId site, const std::string& own) {
  const int line = line_of(device, site, own);
  if (line == 0) return raw(site) == 0 ? std::vector<Frame>{} : device.frames(site);
  return {{"", own, static_cast<std::uint32_t>(line), 0}};
}

std::string findings(const cuda::Device& device, const gpu::GpuDetector& model,
                     const std::string& own) {
  std::string out;
  for (const gpu::GpuRace& race : model.races()) {
    if (!out.empty()) out += ", ";
    out += "{\"class\": " + quoted(std::string(name(race.kind))) + ", \"space\": \"" +
           (race.space == gpu::Space::kShared ? "shared" : "global") + "\", \"lines\": [" +
           std::to_string(line_of(device, race.first.site, own)) + ", " +
           std::to_string(line_of(device, race.second.site, own)) +
           "], \"count\": " + std::to_string(race.count) + ", \"advice\": " + quoted(advice(race)) +
           "}";
  }
  return "[" + out + "]";
}

// One run; false when it did not end as it should.
bool run(const Options& options, const script::Text& script, const std::string& ptx,
         std::uint64_t seed) {
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
  const cuda::Device* named = nullptr;
  std::unique_ptr<GpuTraceWriter> record;
  if (!options.record.empty()) {
    Result<OutputFile> file = OutputFile::create(options.record);
    if (!file) {
      std::fprintf(stderr, "cuda_runner: %s\n", file.error().message.c_str());
      return false;
    }
    record = std::make_unique<GpuTraceWriter>(
        ByteSink(std::move(*file)),
        [&, own = base(options.source)](gpu::SiteId site) { return frames_of(*named, site, own); });
    tell(*record);
  }
  cuda::Device device(
      {.seed = seed, .lockstep = options.lockstep, .timeout_ms = options.timeout_ms, .sink = sink});
  named = &device;
  std::string fault;
  double seconds = 0, processor_seconds = 0;
  Result<ptx::Module> parsed = ptx::parse(options.ptx, ptx);
  if (!parsed) {
    fault = parsed.error().message;
  } else if (const Result<cuda::ModuleId> module = device.load(std::move(*parsed)); !module) {
    fault = module.error().message;
  } else {
    script::Emulated machine(device, *module, sink);
    fault = script::run(script, options.values, machine);
    seconds = machine.kernel_seconds();
    processor_seconds = machine.processor_seconds();
  }
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
      static_cast<unsigned long long>(device.stats().thread_instructions), seconds,
      processor_seconds, static_cast<unsigned long long>(usage.ru_maxrss) * 1024);
  for (int i = 0; i < 2; ++i) {
    if (!options.levels[i]) continue;
    std::printf(", \"%s\": %s, \"%s_bytes\": %zu", kLevelNames[i],
                findings(device, models[i], base(options.source)).c_str(), kLevelNames[i],
                models[i].metadata_bytes());
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    const std::string name(options.detectors[i]->name);
    std::printf(", \"%s\": %s, \"%s_bytes\": %zu", name.c_str(),
                findings(device, *others[i], base(options.source)).c_str(), name.c_str(),
                others[i]->metadata_bytes());
    std::printf(", \"%s_stats\": {", name.c_str());
    const char* comma = "";
    for (const Counter& counter : others[i]->stats()) {
      std::printf("%s%s: %.0f", comma, quoted(counter.name).c_str(), counter.value);
      comma = ", ";
    }
    std::printf("}");
  }
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
      "[--record=TRACE] [--ptx=FILE] [--lockstep] [--timeout-ms=N] FILE.cu [name=value...]\n",
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
    } else if (key == "--timeout-ms") {
      options.timeout_ms = std::strtoull(value.c_str(), nullptr, 10);
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
  bool good = true;
  for (std::uint64_t i = 0; i < options.seeds; ++i)
    good = run(options, script, ptx, options.first_seed + i) && good;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace redflag

int main(int argc, char** argv) {
  return redflag::main_of({argv + 1, argv + argc});
}
