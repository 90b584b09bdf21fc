#include "frontends/cuda/inject/checker.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "core/model/race.h"
#include "frontends/cuda/inject/real.h"
#include "frontends/cuda/report/caller.h"

namespace redflag::inject {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kEarlyKept = 1U << 16;  // host steps before the first launch
constexpr auto kBetweenLooks = 100ms;
constexpr auto kLastWait = 2s;  // for kernels that run when the program ends

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

cuda_report::Settings settings(std::string& fault) {
  Result<cuda_report::Settings> read = cuda_report::read_settings(
      variable(cuda_report::kOptionsVariable), variable(cuda_report::kReportVariable),
      variable(cuda_report::kRecordVariable));
  if (!read) fault = read.error().message;
  cuda_report::Settings made = read ? std::move(*read) : cuda_report::Settings();
  if (!made.detector_chosen) made.detector = "compact";
  return made;
}

std::string& settings_fault() {
  static auto* const fault = new std::string;
  return *fault;
}

// Asking this of a stream in a capture ends the capture with an error.
bool is_blocking(CUstream stream) {
  unsigned flags = 0;
  if (capture_of(stream) != 0) return true;
  return real(Fn::k_cuStreamGetFlags, stream, &flags) != kSuccess ||
         (flags & kStreamNonBlocking) == 0;
}

}  // namespace

CUcontext current_context() {
  CUcontext current = nullptr;
  (void)real(Fn::k_cuCtxGetCurrent, &current);
  return current;
}

CUstream meant(CUstream stream, bool per_thread) {
  return stream == nullptr && per_thread ? reinterpret_cast<CUstream>(kStreamPerThread) : stream;
}

std::uint64_t capture_of(CUstream stream) {
  int status = kCaptureNone;
  std::uint64_t id = 0;
  const CUresult done = real(Fn::k_cuStreamGetCaptureInfo, stream, &status, &id);
  return done == kSuccess && status != kCaptureNone ? id : 0;
}

CUgraphNode captured_node(CUstream stream) {
  int status = kCaptureNone;
  std::uint64_t id = 0;
  CUgraph graph = nullptr;
  const CUgraphNode* last = nullptr;
  std::size_t count = 0;
  const CUresult found =
      real(Fn::k_cuStreamGetCaptureInfo_v2, stream, &status, &id, &graph, &last, &count);
  return found == kSuccess && count == 1 ? last[0] : nullptr;
}

Checker& Checker::get() {
  static auto* const checker = new Checker;
  return *checker;
}

void Checker::begin() {
  Checker& checker = get();
  const Lock lock = checker.lock();
  if (checker.pid_ != 0) return;
  checker.pid_ = ::getpid();
  // After the driver's own: so it runs before.
  (void)std::atexit([] { get().finish(); });
}

Checker::Checker()
    : settings_(settings(settings_fault())),
      outlet_(settings_),
      engine_(settings_),
      maker_(Cache(Cache::usual_folder()), engine_.version(), engine_.rewriter()),
      streams_([this](const gpu::HostStep& step) { tell(step); }, is_blocking),
      images_(make_images()) {
  if (!settings_fault().empty()) outlet_.error(settings_fault());
  if (!settings_.record.empty()) {
    outlet_.note(
        "--record is for the emulated GPU: this run's kernels are checked and not "
        "recorded (to record them: redflag run --emulate)");
  }
  outlet_.set_frames([this](gpu::LaunchId launch, gpu::SiteId site) -> std::vector<Frame> {
    const auto at = launched_.find(launch);
    if (at == launched_.end() || at->second->code == nullptr) return {};
    const std::vector<rewrite::Site>& sites = at->second->code->sites;
    return raw(site) < sites.size() ? sites[raw(site)].frames : std::vector<Frame>();
  });
}

StreamOrder::Stream& Checker::stream(CUstream handle, bool per_thread) {
  return streams_.find(current_context(), handle, per_thread, raw(cuda_report::this_thread()));
}

ThreadId Checker::host_thread() const {
  return keyed_ != nullptr ? ThreadId{0} : cuda_report::this_thread();
}

void Checker::tell(gpu::HostStep step) {
  step.host_thread = host_thread();
  const bool has_memory = step.size != 0;
  if (has_memory && raw(step.site) == 0)
    step.site = cuda_report::stack_site(2, cuda_report::kFramesKept);
  if (step.kind == gpu::HostKind::kAlloc) {
    outlet_.take(step);
    allocations_[step.address] = step;
  }
  if (launches_ == 0 && early_.size() < kEarlyKept) early_.push_back(step);
  for (auto& [handle, context] : contexts_) {
    if (context->runtime) context->runtime->host(step);
  }
  if (step.kind == gpu::HostKind::kFree) {
    collect();  // while its memory has a name
    outlet_.take(step);
    allocations_.erase(step.address);
  }
}

void Checker::ended(const std::vector<gpu::LaunchId>& launches) {
  for (const gpu::LaunchId launch : launches) {
    open_after(launch);
    const auto at = running_.find(launch);
    if (at == running_.end()) continue;
    const auto context = contexts_.find(at->second);
    if (context != contexts_.end()) context->second->runtime->launch_ends(launch);
    running_.erase(at);
  }
  collect();
}

void Checker::tell_earlier(device::Runtime& runtime) {
  if (!early_.empty() && early_.size() < kEarlyKept) {
    for (const gpu::HostStep& step : early_) runtime.host(step);
  } else {
    for (const auto& [address, step] : allocations_) runtime.host(step);
  }
  early_.clear();
}

Result<Checker::Context*> Checker::context() {
  CUcontext const handle = current_context();
  std::unique_ptr<Context>& place = contexts_[handle];
  if (place) return place.get();
  auto made = std::make_unique<Context>(handle);
  made->runtime = engine_.make_runtime(made->memory);
  const Result<std::uint64_t> state = made->runtime->state();
  if (!state) {
    contexts_.erase(handle);
    return Failure(state.error());
  }
  made->state = *state;
  tell_earlier(*made->runtime);
  tell_images(handle, *made->runtime);
  place = std::move(made);
  return place.get();
}

void Checker::context_gone(CUcontext context) {
  ended(streams_.synchronized(context));
  // It takes its memory with it, and whose it was is not known.
  while (!managed_.empty()) managed_ends(*managed_.begin());
  modules_.forget(context);
  streams_.forget(context);
  images_.forget(context);
  contexts_.erase(context);
}

void Checker::collect() {
  for (auto& [handle, context] : contexts_) {
    if (!context->runtime) continue;
    if (const std::vector<gpu::GpuRace> races = context->runtime->collect(); !races.empty()) {
      outlet_.put(races);
    }
  }
}

void Checker::look_for_stuck() {
  if (settings_.timeout_seconds == 0) return;
  const std::optional<gpu::LaunchId> stuck = stuck_.look(
      Stuck::Clock::now(), std::chrono::seconds(settings_.timeout_seconds),
      [](CUevent event) { return real(Fn::k_cuEventQuery, event) != kErrorNotReady; },
      [](CUevent event) { (void)real(Fn::k_cuEventDestroy_v2, event); });
  if (stuck) end_stuck(*stuck);
}

void Checker::watch() {
  while (true) {
    std::this_thread::sleep_for(kBetweenLooks);
    const Lock held = lock();
    if (over_) return;
    collect();
    look_for_stuck();
  }
}

// Nothing ends a kernel that runs for ever but the end of its process.
void Checker::end_stuck(gpu::LaunchId launch) {
  collect();
  Finding finding;
  finding.rule = Rule::kGpuStuck;
  finding.has_first = false;
  finding.missing = Missing::kCorrectUse;
  finding.advice = std::string(info(finding.rule).remedy);
  finding.second.access.thread = kUnknownThread;
  GpuPlace place;
  place.launch = raw(launch);
  if (const gpu::Launch* known = outlet_.find_launch(launch)) place.kernel = known->kernel;
  finding.missing_text = "kernel " + place.kernel + " had not ended after " +
                         std::to_string(settings_.timeout_seconds) +
                         " s (--timeout); the program was ended";
  finding.second.gpu = std::move(place);
  outlet_.put(std::move(finding));
  if (!unchecked_.empty()) outlet_.note(unchecked_.text());
  tell_limits();
  (void)outlet_.finish(stats());
  (void)std::fflush(nullptr);
  ::_exit(settings_.exit_status);
}

std::vector<Counter> Checker::stats() const {
  std::vector<Counter> all;
  for (const auto& [handle, context] : contexts_) {
    if (!context->runtime) continue;
    for (const Counter& counter : context->runtime->stats()) all.push_back(counter);
  }
  for (const Counter& counter : versions_.all()) all.push_back(counter);
  return all;
}

void Checker::tell_limits() {
  tell_of_managed();
  tell_of_images();
  for (const auto& [handle, context] : contexts_) {
    if (!context->runtime) continue;
    for (const std::string& each : context->runtime->notices()) outlet_.note(each);
  }
}

void Checker::finish() {
  // A fork of the program has nothing to say, and perhaps a lock that nobody gives back.
  if (pid_ != ::getpid()) return;
  const Lock held = lock();
  if (over_) return;
  over_ = true;
  // Kernels that nobody waited for still have something to tell.
  for (auto& [handle, context] : contexts_) {
    const Inside inside(handle);
    CUevent last = nullptr;
    CUstream const legacy = nullptr;
    if (real(Fn::k_cuEventCreate, &last, kEventDisableTiming) != kSuccess ||
        real(Fn::k_cuEventRecord, last, legacy) != kSuccess) {
      continue;
    }
    const auto until = std::chrono::steady_clock::now() + kLastWait;
    while (real(Fn::k_cuEventQuery, last) == kErrorNotReady &&
           std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(1ms);
    }
  }
  ended(streams_.pending());
  if (!unchecked_.empty()) outlet_.note(unchecked_.text());
  tell_limits();
  const int status = outlet_.finish(stats());
  if (status < 0) return;
  (void)std::fflush(nullptr);
  ::_exit(status);
}

}  // namespace redflag::inject
