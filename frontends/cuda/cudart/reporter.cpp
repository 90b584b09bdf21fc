#include "frontends/cuda/cudart/reporter.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "core/detect/gpu/gpu_registry.h"
#include "core/model/gpu_memory.h"
#include "core/report/fold.h"
#include "core/report/json.h"
#include "core/report/text.h"
#include "core/symbolize/symbolizer.h"
#include "core/trace/gpu_writer.h"
#include "frontends/cuda/cudart/stream.h"

namespace redflag::cudart {
namespace {

// Of a template in NVIDIA's header that only calls the API.
bool is_cudas_own(const Frame& frame) {
  return frame.file.ends_with("/cuda_runtime.h") || frame.file.ends_with("/cuda_runtime_api.h");
}

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

// PTX has the names of C++ as the linker knows them.
std::string demangled(const std::string& name) {
  int status = 0;
  char* made = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string text = status == 0 && made != nullptr ? std::string(made) : name;
  std::free(made);
  return text;
}

struct FaultRow {
  cuda::FaultKind kind;
  Rule rule;
};
constexpr std::array<FaultRow, 9> kFaults{{
    {cuda::FaultKind::kOutOfBounds, Rule::kGpuOutOfBounds},
    {cuda::FaultKind::kMisaligned, Rule::kGpuMisaligned},
    {cuda::FaultKind::kUseAfterFree, Rule::kGpuUseAfterFree},
    {cuda::FaultKind::kTrap, Rule::kGpuStopped},
    {cuda::FaultKind::kAssert, Rule::kGpuStopped},
    {cuda::FaultKind::kTimeout, Rule::kGpuStuck},
    {cuda::FaultKind::kDeadlock, Rule::kGpuStuck},
    {cuda::FaultKind::kOutOfMemory, Rule::kGpuStopped},
    {cuda::FaultKind::kStackOverflow, Rule::kGpuStopped},
}};

Rule rule_of(cuda::FaultKind kind) {
  for (const FaultRow& row : kFaults) {
    if (row.kind == kind) return row.rule;
  }
  return Rule::kGpuStopped;
}

std::array<std::uint32_t, 3> as_array(const gpu::Dim& dim) {
  return {dim.x, dim.y, dim.z};
}

std::string coordinates(const gpu::Dim& at) {
  return "(" + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) + ")";
}

}  // namespace

struct Reporter::Impl final : gpu::Sink {
  Settings settings;
  int file = -1;
  const cuda::Device* device = nullptr;
  std::unique_ptr<gpu::GpuDetector> detector;  // nullptr: kernels are only recorded
  std::vector<gpu::GpuRace> found;             // since the last collect()
  std::map<gpu::LaunchId, gpu::Launch> launches;
  gpu::Allocations allocations;
  symbolize::Symbolizer symbolizer;
  Folder folder;
  std::set<std::string> said;
  std::unique_ptr<GpuTraceWriter> record;  // --record
  int record_file = -1;

  void launch_begins(const gpu::Launch& launch) override {
    gpu::Launch named = launch;
    named.kernel = demangled(launch.kernel);
    if (record) record->launch_begins(named);
    if (detector) detector->launch_begins(named);
    launches[launch.id] = std::move(named);
  }
  void step(const gpu::Step& step) override {
    if (record) record->step(step);
    if (detector) detector->step(step);
    // At once: a signal may end the program in the middle of the kernel.
    if (!found.empty()) {
      put_found();
      if (record) (void)record->flush();
    }
  }
  void launch_ends(gpu::LaunchId launch) override {
    if (record) record->launch_ends(launch);
    if (detector) detector->launch_ends(launch);
  }
  void host(const gpu::HostStep& step) override {
    if (record) record->host(step);
    if (step.kind == gpu::HostKind::kAlloc) allocations.take(step);
    if (detector) detector->host(step);
    if (!found.empty()) put_found();
    if (step.kind == gpu::HostKind::kFree) allocations.take(step);
  }

  Stack frames(gpu::SiteId site) {
    Stack stack;
    if (const Caller caller = caller_of(site); caller.at != nullptr) {
      const symbolize::ProcessMap map =
          symbolize::read_maps(static_cast<std::uint32_t>(::getpid()));
      for (const void* pc : {caller.at, caller.above}) {
        if (pc == nullptr) continue;
        stack = symbolizer.frames(map, reinterpret_cast<std::uint64_t>(pc));
        if (stack.empty() || !is_cudas_own(stack.front())) break;
      }
      return stack;
    }
    if (device == nullptr) return stack;
    for (Frame& frame : device->frames(site)) {
      frame.function = demangled(frame.function);
      stack.emplace_back(std::move(frame));
    }
    return stack;
  }

  void name_memory(Finding& finding, std::uint64_t address) {
    const gpu::Allocations::Block block = allocations.holding(address);
    if (block.size != 0) gpu::name_memory(finding, block, frames(block.site));
  }

  void put_found() {
    gpu::SiteFrames sites;
    sites.frames = [&](gpu::LaunchId, gpu::SiteId site) { return frames(site); };
    sites.launch = [&](gpu::LaunchId id) -> const gpu::Launch* {
      const auto at = launches.find(id);
      return at == launches.end() ? nullptr : &at->second;
    };
    for (const gpu::GpuRace& race : std::exchange(found, {})) {
      Finding finding = gpu::to_finding(race, sites);
      if (race.space == gpu::Space::kGlobal) name_memory(finding, race.address);
      put(std::move(finding));
    }
  }

  void put(Finding finding) {
    if (file >= 0) {
      Report report;
      report.detector = settings.detector;
      report.findings.push_back(std::move(finding));
      append("F " + write_json(report, -1));
      return;
    }
    const Folder::Place place = folder.put(std::move(finding));
    if (place.is_new) print(write_text(folder.findings()[place.index]) + "\n");
  }

  // One write for each line: lines of several processes do not mix.
  void append(std::string line) const {
    if (file < 0) return;
    if (line.empty() || line.back() != '\n') line += '\n';
    (void)!::write(file, line.data(), line.size());
  }
};

Reporter::Reporter(const Settings& settings) : impl_(std::make_unique<Impl>()) {
  impl_->settings = settings;
  if (!settings.report.empty()) {
    impl_->file = ::open(settings.report.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  }
  if (!settings.record.empty()) open_record();
  if (!settings.detect) return;
  gpu::GpuDetectorOptions options;
  if (settings.formal) options.strictness = gpu::Strictness::kPtx;
  if (settings.lockstep) options.convergence = gpu::Convergence::kLockstep;
  options.on_race = [impl = impl_.get()](const gpu::GpuRace& race) { impl->found.push_back(race); };
  options.granularity = static_cast<unsigned>(settings.granularity);
  options.metadata_cache = settings.metadata_cache;
  options.eager = settings.eager;
  options.accessors = static_cast<unsigned>(settings.accessors);
  impl_->detector = gpu::find_gpu_detector(settings.detector)->make(options);
}

// One for each process: the command puts them together, and ends those that were not ended (mend_gpu_trace).
void Reporter::open_record() {
  const std::string path = impl_->settings.record + "." + std::to_string(::getpid());
  impl_->record_file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (impl_->record_file < 0) {
    error(path + ": cannot write the trace of the kernels: " + std::strerror(errno));
    return;
  }
  impl_->record = std::make_unique<GpuTraceWriter>(
      ByteSink(impl_->record_file, path), [impl = impl_.get()](gpu::SiteId site) {
        std::vector<Frame> frames;
        for (const CodeFrame& frame : impl->frames(site)) frames.push_back(frame);
        return frames;
      });
}

Reporter::~Reporter() {
  if (impl_->file >= 0) ::close(impl_->file);
  if (impl_->record_file >= 0) ::close(impl_->record_file);
}

gpu::Sink* Reporter::sink() {
  return impl_.get();
}

void Reporter::attach(const cuda::Device& device) {
  impl_->device = &device;
}

void Reporter::collect() {
  impl_->put_found();
  // Whatever ends the program from here on, the trace has what was done so far.
  if (impl_->record) (void)impl_->record->flush();
}

void Reporter::fault(const cuda::Fault& fault, const gpu::Launch& launch) {
  Finding finding;
  finding.rule = rule_of(fault.kind);
  finding.has_first = false;
  finding.addr = Addr{fault.address};
  finding.size = fault.size;
  finding.missing = Missing::kCorrectUse;
  finding.missing_text = fault.text;
  finding.advice = std::string(info(finding.rule).remedy);
  Side& side = finding.second;
  side.access.addr = finding.addr;
  side.access.size = fault.size;
  side.access.kind = fault.wrote ? EventKind::kWrite : EventKind::kRead;
  side.access.thread = kUnknownThread;
  side.stack = impl_->frames(fault.site);
  const gpu::Dim block = gpu::place(fault.block, launch.grid);
  const gpu::Dim thread = gpu::place(fault.thread, launch.block);
  side.thread_name = "thread " + coordinates(thread) + " of block " + coordinates(block) + " in " +
                     demangled(launch.kernel);
  GpuPlace place;
  place.kernel = demangled(launch.kernel);
  place.launch = raw(launch.id);
  place.block = as_array(block);
  place.thread = as_array(thread);
  side.gpu = std::move(place);
  impl_->name_memory(finding, fault.address);
  impl_->put(std::move(finding));
}

void Reporter::error(const std::string& message) {
  if (!impl_->said.insert(message).second) return;
  print("redflag: " + message + "\n");
  impl_->append("E ");
}

void Reporter::note(const std::string& message) {
  if (impl_->said.insert(message).second) print("redflag: " + message + "\n");
}

int Reporter::finish() {
  collect();
  if (impl_->detector && !impl_->launches.empty()) {
    Report figures;
    figures.detector = impl_->settings.detector;
    figures.stats = impl_->detector->stats();
    impl_->append("S " + write_json(figures, -1));
  }
  impl_->append("K " + std::to_string(impl_->launches.size()));
  if (impl_->record) {
    if (Result<void> done = impl_->record->finish(); !done) error(done.error().message);
  }
  if (impl_->file >= 0 || impl_->folder.findings().empty()) return -1;
  return impl_->settings.exit_status;
}

}  // namespace redflag::cudart
