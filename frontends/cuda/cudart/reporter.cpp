#include "frontends/cuda/cudart/reporter.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "core/detect/gpu/gpu_registry.h"
#include "core/trace/gpu_writer.h"
#include "frontends/cuda/report/outlet.h"

namespace redflag::cudart {
namespace {

struct FaultRule {
  cuda::FaultKind kind;
  Rule rule;
};
constexpr std::array<FaultRule, 9> kFaultRules{{
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
  for (const FaultRule& row : kFaultRules) {
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
  explicit Impl(const cuda_report::Settings& given) : settings(given), outlet(given) {
    outlet.set_frames([this](gpu::LaunchId, gpu::SiteId site) {
      return device == nullptr ? std::vector<Frame>() : device->frames(site);
    });
  }

  cuda_report::Settings settings;
  cuda_report::Outlet outlet;
  const cuda::Device* device = nullptr;
  std::unique_ptr<gpu::GpuDetector> detector;  // nullptr: kernels are only recorded
  std::vector<gpu::GpuRace> found;             // since the last collect()
  std::unique_ptr<GpuTraceWriter> record;      // --record
  int record_file = -1;

  void launch_begins(const gpu::Launch& launch) override {
    gpu::Launch named = launch;
    named.kernel = cuda_report::demangled(launch.kernel);
    if (record) record->launch_begins(named);
    if (detector) detector->launch_begins(named);
    outlet.launch_begins(named);
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
    if (step.kind == gpu::HostKind::kAlloc) outlet.take(step);
    if (detector) detector->host(step);
    if (!found.empty()) put_found();
    if (step.kind == gpu::HostKind::kFree) outlet.take(step);
  }

  void put_found() { outlet.put(std::exchange(found, {})); }
};

Reporter::Reporter(const cuda_report::Settings& settings)
    : impl_(std::make_unique<Impl>(settings)) {
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
        for (const CodeFrame& frame : impl->outlet.frames(gpu::LaunchId{0}, site))
          frames.push_back(frame);
        return frames;
      });
}

Reporter::~Reporter() {
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
  side.stack = impl_->outlet.frames(launch.id, fault.site);
  const gpu::Dim block = gpu::place(fault.block, launch.grid);
  const gpu::Dim thread = gpu::place(fault.thread, launch.block);
  side.thread_name = "thread " + coordinates(thread) + " of block " + coordinates(block) + " in " +
                     cuda_report::demangled(launch.kernel);
  GpuPlace place;
  place.kernel = cuda_report::demangled(launch.kernel);
  place.launch = raw(launch.id);
  place.block = as_array(block);
  place.thread = as_array(thread);
  side.gpu = std::move(place);
  impl_->outlet.name_memory(finding, fault.address);
  impl_->outlet.put(std::move(finding));
}

void Reporter::error(const std::string& message) {
  impl_->outlet.error(message);
}

void Reporter::note(const std::string& message) {
  impl_->outlet.note(message);
}

void Reporter::leave_out(Unchecked::Kind kind, const std::string& kernel) {
  impl_->outlet.leave_out(kind, cuda_report::demangled(kernel));
}

int Reporter::finish() {
  collect();
  const int status =
      impl_->outlet.finish(impl_->detector ? impl_->detector->stats() : std::vector<Counter>());
  if (impl_->record) {
    if (Result<void> done = impl_->record->finish(); !done) error(done.error().message);
  }
  return status;
}

}  // namespace redflag::cudart
