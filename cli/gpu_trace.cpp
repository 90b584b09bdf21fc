#include "cli/gpu_trace.h"

#include "cli/console.h"
#include "cli/figures.h"
#include "cli/present.h"
#include "core/base/check.h"
#include "core/detect/gpu/gpu_registry.h"
#include "core/model/gpu_memory.h"
#include "core/report/words.h"
#include "core/trace/gpu_reader.h"

namespace redflag::cli {
namespace {

constexpr std::size_t kLabelWidth = 22;

constexpr std::size_t kRuleWidth = 38;

std::string row(std::string_view label, const std::string& value, std::size_t width = kLabelWidth) {
  std::string padded(label);
  padded.resize(std::max(padded.size(), width), ' ');
  return padded + value + "\n";
}

std::string text(const gpu::Dim& dim) {
  return std::to_string(dim.x) + "x" + std::to_string(dim.y) + "x" + std::to_string(dim.z);
}

// Reading is all that is wanted.
class Nobody final : public gpu::Sink {
 public:
  void launch_begins(const gpu::Launch&) override {}
  void step(const gpu::Step&) override {}
  void launch_ends(gpu::LaunchId) override {}
  void host(const gpu::HostStep&) override {}
};

// The detector, and with each race the allocation that it was in then.
class Replayed final : public gpu::Sink {
 public:
  Replayed(const gpu::GpuDetectorInfo& info, gpu::GpuDetectorOptions options) {
    options.on_race = [this](const gpu::GpuRace& race) {
      const bool is_global = race.space == gpu::Space::kGlobal;
      blocks_.push_back(is_global ? allocations_.holding(race.address) : gpu::Allocations::Block{});
    };
    detector_ = info.make(options);
  }

  void launch_begins(const gpu::Launch& launch) override { detector_->launch_begins(launch); }
  void step(const gpu::Step& step) override { detector_->step(step); }
  void launch_ends(gpu::LaunchId launch) override { detector_->launch_ends(launch); }
  void host(const gpu::HostStep& step) override {
    if (step.kind == gpu::HostKind::kAlloc) allocations_.take(step);
    detector_->host(step);
    if (step.kind == gpu::HostKind::kFree) allocations_.take(step);
  }

  const gpu::GpuDetector& detector() const { return *detector_; }
  // In the order of the detector's races.
  const std::vector<gpu::Allocations::Block>& blocks() const { return blocks_; }

 private:
  gpu::Allocations allocations_;
  std::vector<gpu::Allocations::Block> blocks_;
  std::unique_ptr<gpu::GpuDetector> detector_;
};

Result<void> play_all(GpuTraceReader& reader, gpu::Sink& sink) {
  for (;;) {
    const Result<bool> more = reader.play(sink);
    if (!more) return Failure(more.error());
    if (!*more) return {};
  }
}

std::string gpu_detector_names() {
  std::string names;
  for (const gpu::GpuDetectorInfo& one : gpu::kGpuDetectors) {
    names += (names.empty() ? "" : "|") + std::string(one.name);
  }
  return names;
}

std::string gpu_detector_of(const Arguments& arguments) {
  return arguments.is_set("detector") ? arguments.text("detector")
                                      : std::string(gpu::kDefaultGpuDetector);
}

}  // namespace

Status replay_gpu_trace(const Arguments& arguments) {
  const std::string& path = arguments.operands().front();
  const gpu::GpuDetectorInfo* info = gpu::find_gpu_detector(gpu_detector_of(arguments));
  if (info == nullptr) {
    return bad_input(path + " is a trace of GPU kernels, and '" + arguments.text("detector") +
                     "' is for threads of the CPU: --detector=" + gpu_detector_names() +
                     ", or leave it out for " + std::string(gpu::kDefaultGpuDetector));
  }
  Result<Presentation> presentation = Presentation::prepare(arguments);
  if (!presentation) return bad_input(presentation.error().message);
  Result<GpuTraceReader> reader = GpuTraceReader::open(path);
  if (!reader) return bad_input(reader.error().message);
  gpu::GpuDetectorOptions options;
  if (arguments.text("strict") == "ptx") options.strictness = gpu::Strictness::kPtx;
  if (arguments.flag("lockstep")) options.convergence = gpu::Convergence::kLockstep;
  options.granularity = static_cast<unsigned>(std::stoul(arguments.text("granularity")));
  options.accessors = static_cast<unsigned>(std::stoul(arguments.text("accessors")));
  options.metadata_cache = arguments.flag("metadata-cache");
  options.eager = arguments.flag("eager");
  Replayed replayed(*info, std::move(options));
  if (Result<void> done = play_all(*reader, replayed); !done)
    return bad_input(done.error().message);
  const gpu::GpuDetector& detector = replayed.detector();

  gpu::SiteFrames sites;
  sites.frames = [&](gpu::LaunchId, gpu::SiteId site) {
    Stack stack;
    for (const Frame& frame : reader->frames(site)) stack.emplace_back(frame);
    return stack;
  };
  sites.launch = [&](gpu::LaunchId id) -> const gpu::Launch* {
    const auto at = reader->launches().find(id);
    return at == reader->launches().end() ? nullptr : &at->second;
  };
  Report report;
  report.tool_version = REDFLAG_VERSION;
  report.command = arguments.line();
  report.detector = info->name;
  report.input = path;
  report.events = reader->records();
  report.dropped = detector.dropped();
  const std::vector<gpu::GpuRace> races = detector.races();
  REDFLAG_CHECK(races.size() == replayed.blocks().size());
  for (std::size_t i = 0; i < races.size(); ++i) {
    Finding finding = gpu::to_finding(races[i], sites);
    const gpu::Allocations::Block& block = replayed.blocks()[i];
    gpu::name_memory(finding, block, sites.frames(gpu::LaunchId{0}, block.site));
    report.findings.push_back(std::move(finding));
  }
  std::string figures;
  if (arguments.flag("stats")) {
    report.stats = detector.stats();
    for (const Counter& one : report.stats) figures += row(one.name, value_text(one), kRuleWidth);
  }
  return presentation->finish(std::move(report), figures,
                              "redflag replay --html=report.html " + shell_quoted(path));
}

Status describe_gpu_trace(const std::string& path) {
  Result<GpuTraceReader> reader = GpuTraceReader::open(path);
  if (!reader) return bad_input(reader.error().message);
  Nobody nobody;
  if (Result<void> done = play_all(*reader, nobody); !done) return bad_input(done.error().message);
  std::string out = row("format", "rft, GPU kernels");
  out += row("size", bytes(reader->size()));
  out += row("records", with_separators(reader->records()));
  out += row("launches", with_separators(reader->launches().size()));
  for (const auto& [id, launch] : reader->launches()) {
    out += row("  " + std::to_string(redflag::raw(id)),
               launch.kernel + ", grid " + text(launch.grid) + ", block " + text(launch.block) +
                   ", stream " + std::to_string(redflag::raw(launch.stream)));
  }
  for (int kind = 0; kind < kStepKindCount; ++kind) {
    const auto step = static_cast<gpu::StepKind>(kind);
    if (const std::uint64_t count = reader->count(step); count > 0) {
      out += row("  " + std::string(name(step)), with_separators(count));
    }
  }
  for (int kind = 0; kind < kHostKindCount; ++kind) {
    const auto step = static_cast<gpu::HostKind>(kind);
    if (const std::uint64_t count = reader->count(step); count > 0) {
      out += row("  host " + std::string(name(step)), with_separators(count));
    }
  }
  out += row("sites", with_separators(reader->sites().size()));
  return print_and_end(out);
}

}  // namespace redflag::cli
