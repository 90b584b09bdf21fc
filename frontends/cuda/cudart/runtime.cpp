#include "frontends/cuda/cudart/runtime.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "frontends/cuda/report/caller.h"

namespace redflag::cudart {
namespace {

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Between the device and the detector: also tells the watch which pages kernels use.
class Tap final : public gpu::Sink {
 public:
  Tap(gpu::Sink* next, Watch& watch) : next_(next), watch_(watch) {}

  void launch_begins(const gpu::Launch& launch) override {
    stream_ = launch.stream;
    kernel_ = launch.kernel;
    begun_ = std::chrono::steady_clock::now();
    is_slow_ = false;
    next_->launch_begins(launch);
  }
  void step(const gpu::Step& step) override {
    if (++steps_ % kStepsBetweenLooks == 0 && !is_slow_) look_at_clock();
    if (!watch_.empty() && step.space == gpu::Space::kGlobal) note(step);
    next_->step(step);
  }
  void launch_ends(gpu::LaunchId launch) override { next_->launch_ends(launch); }
  void host(const gpu::HostStep& step) override {
    if (step.kind == gpu::HostKind::kRead || step.kind == gpu::HostKind::kWrite) {
      if (watch_.covers(step.address)) {
        watch_.used(step.address, step.size, step.kind == gpu::HostKind::kWrite, step.stream);
      }
    }
    next_->host(step);
  }

 private:
  static constexpr std::uint64_t kStepsBetweenLooks = 1 << 16;
  static constexpr std::chrono::seconds kSlow{60};

  // A kernel that waits for the host runs for ever, since the host waits for the kernel: the user
  // should not have to guess. It may also just be long, so it goes on.
  void look_at_clock() {
    if (std::chrono::steady_clock::now() - begun_ < kSlow) return;
    is_slow_ = true;
    Runtime::get().note(
        "kernel " + kernel_ + " has been running for " + std::to_string(kSlow.count()) +
        " s on the emulated GPU; a kernel that waits for a later action of the host never ends "
        "there: --timeout=SECONDS stops it and reports where its threads are");
  }
  static bool writes(gpu::StepKind kind) {
    return kind == gpu::StepKind::kWrite || kind == gpu::StepKind::kAtomicStore ||
           kind == gpu::StepKind::kAtomicRmw;
  }
  void note(const gpu::Step& step) {
    const std::uint64_t* from = step.kind == gpu::StepKind::kAsyncCopy ? step.source : step.address;
    const bool accesses = step.kind == gpu::StepKind::kRead ||
                          step.kind == gpu::StepKind::kAtomicLoad || writes(step.kind) ||
                          step.kind == gpu::StepKind::kAsyncCopy;
    if (from == nullptr || !accesses) return;
    for (unsigned lane = 0; lane < gpu::kWarp; ++lane) {
      if ((step.lanes >> lane & 1) == 0 || !watch_.covers(from[lane])) continue;
      watch_.used(from[lane], step.size, writes(step.kind), stream_);
    }
  }

  gpu::Sink* next_;
  Watch& watch_;
  gpu::StreamId stream_{0};
  std::string kernel_;
  std::chrono::steady_clock::time_point begun_{};
  std::uint64_t steps_ = 0;
  bool is_slow_ = false;  // and that was said
};

// An access of the host that the watch saw.
void on_host_access(void* context, std::uint64_t address, bool wrote, const void* at) {
  auto* runtime = static_cast<Runtime*>(context);
  const std::lock_guard lock(runtime->mutex);
  cuda_report::set_caller(at, false);
  runtime->streams->tell({.kind = wrote ? gpu::HostKind::kHostWrite : gpu::HostKind::kHostRead,
                          .address = address,
                          .size = 1});
  runtime->reporter->collect();
}

void at_end() {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  const int status = runtime.reporter->finish();
  if (status < 0) return;
  (void)std::fflush(nullptr);
  ::_exit(status);
}

}  // namespace

Runtime& Runtime::get() {
  static auto* const runtime = new Runtime;
  return *runtime;
}

Runtime::Runtime() {
  Result<Settings> read = cuda_report::read_settings(variable(cuda_report::kOptionsVariable),
                                                     variable(cuda_report::kReportVariable),
                                                     variable(cuda_report::kRecordVariable));
  const std::string fault = read ? std::string() : read.error().message;
  if (read) settings = std::move(*read);
  reporter = std::make_unique<Reporter>(settings);
  if (!fault.empty()) reporter->error(fault);
  watch = std::make_unique<Watch>(on_host_access, this);
  gpu::Sink* next = reporter->sink();
  static Tap tap(next, *watch);
  cuda::DeviceOptions options;
  options.seed = settings.seed;
  options.lockstep = settings.lockstep;
  options.timeout_ms = settings.timeout_seconds * 1000;
  options.sink = &tap;
  device = std::make_unique<cuda::Device>(options);
  reporter->attach(*device);
  streams = std::make_unique<StreamTable>(&tap);
  memory = std::make_unique<MemoryTable>(*device);
  modules = std::make_unique<ModuleTable>(*device);
  images = std::make_unique<ImageTable>(*device, *memory);
  // Before the program's own last words: registered at its first call, it runs after most of them.
  (void)std::atexit(at_end);
}

void Runtime::complain(const std::string& message) {
  reporter->error(message);
}

void Runtime::complain(const Kernel& kernel, const std::string& message) {
  reporter->leave_out(
      kernel.binary->has_ptx ? Unchecked::Kind::kUnsupportedKernel : Unchecked::Kind::kKernel,
      kernel.name);
  complain(message);
}

void Runtime::note(const std::string& message) {
  reporter->note(message);
}

Error Runtime::submit(Stream& stream, Operation operation) {
  if (stream.legacy && streams->any_capture()) return Error::kStreamCaptureImplicit;
  if (stream.capture != nullptr) {
    Capture& capture = *stream.capture;
    if (capture.invalidated) return Error::kStreamCaptureInvalidated;
    if (auto* copy = std::get_if<CopyOp>(&operation)) copy->run_later();
    GraphNode* node = capture.graph->add(std::move(operation), capture.last);
    capture.last = {node};
    return Error::kSuccess;
  }
  streams->begin_work(stream);
  const Error done = execute(operation, stream.id);
  reporter->collect();
  return done;
}

Error Runtime::synchronize(Stream& stream) {
  if (stream.capture != nullptr) {
    stream.capture->invalidated = true;
    return Error::kStreamCaptureUnsupported;
  }
  // The legacy stream stands for all blocking ones.
  if (stream.legacy) streams->begin_work(stream);
  streams->tell({.kind = gpu::HostKind::kSyncStream, .waits = true, .stream = stream.id});
  watch->forget(stream.id);
  reporter->collect();
  return sticky;
}

Error Runtime::synchronize_device() {
  streams->tell({.kind = gpu::HostKind::kSyncDevice, .waits = true});
  watch->forget();
  reporter->collect();
  return sticky;
}

}  // namespace redflag::cudart
