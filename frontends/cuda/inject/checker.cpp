#include "frontends/cuda/inject/checker.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "core/model/race.h"
#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/inject/compile.h"
#include "frontends/cuda/inject/image.h"
#include "frontends/cuda/inject/real.h"
#include "frontends/cuda/inject/relocatable.h"
#include "frontends/cuda/inject/shared_memory.h"
#include "frontends/cuda/report/caller.h"

namespace redflag::inject {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kFramesKept = 16;  // of a host call: CUDA's runtime is below the program
constexpr std::size_t kLaunchesKept = 1U << 20;  // for findings about long ago
constexpr std::size_t kEarlyKept = 1U << 16;     // host steps before the first launch
constexpr gpu::SiteId kNoCall{0x7fffffff};       // neither of the host nor of a kernel
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

bool is_blocking(CUstream stream) {
  unsigned flags = 0;
  return real(Fn::k_cuStreamGetFlags, stream, &flags) != kSuccess ||
         (flags & kStreamNonBlocking) == 0;
}

// A variable of the module in the current context, as memory that has come to be; size 0: there is none.
gpu::HostStep variable_of(const Module& module, const char* name) {
  CUdeviceptr at = 0;
  std::size_t size = 0;
  const CUresult found = module.is_library ? real(Fn::k_cuLibraryGetGlobal, &at, &size,
                                                  static_cast<CUlibrary>(module.handle), name)
                                           : real(Fn::k_cuModuleGetGlobal_v2, &at, &size,
                                                  static_cast<CUmodule>(module.handle), name);
  if (found != kSuccess) return {};
  return {.kind = gpu::HostKind::kAlloc, .site = kNoCall, .address = at, .size = size};
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
  checker.rewrite_registered();
  checker.pid_ = ::getpid();
  // After the driver's own: so it runs before.
  (void)std::atexit([] { get().finish(); });
}

Checker::Checker()
    : settings_(settings(settings_fault())),
      outlet_(settings_),
      engine_(settings_),
      maker_(Cache(Cache::usual_folder()), engine_.version(), engine_.rewriter()),
      streams_([this](const gpu::HostStep& step) { tell(step); }, is_blocking) {
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

Result<Made> Checker::make(const void* image, const std::string& name) {
  const Gpu gpu = current_gpu();
  const Target target{name, gpu.name};
  if (const std::string key = key_of_code(image); !key.empty()) {
    std::shared_ptr<const Link> from;
    {
      const Lock held = lock();
      from = links_.find(key);
    }
    if (from != nullptr && !from->why.empty()) return fail(from->why);
    if (from != nullptr) return maker_.link(opened(from->inputs, gpu.sm), key, target, link);
    if (std::optional<Made> made = maker_.linked_earlier(key, target)) return std::move(*made);
  }
  Result<std::string> ptx = ptx_of_image(image, gpu.sm);
  if (!ptx) {
    const std::vector<Input> objects = objects_of(image, gpu.sm);
    return objects.empty() ? Failure(ptx.error()) : maker_.link(objects, {}, target, link);
  }
  return maker_.make(std::move(*ptx), target, compile);
}

std::shared_ptr<Module> Checker::prepare(const void* image, const std::string& name) {
  auto module = std::make_shared<Module>();
  Result<Made> made = make(image, name);
  if (!made) {
    module->why = made.error().message;
    return module;
  }
  module->code = std::move(made->code);
  module->image = std::move(made->image);
  module->why = module->code->note;
  return module;
}

StreamOrder::Stream& Checker::stream(CUstream handle, bool per_thread) {
  return streams_.find(current_context(), handle, per_thread, raw(cuda_report::this_thread()));
}

void Checker::tell(gpu::HostStep step) {
  step.host_thread = cuda_report::this_thread();
  const bool has_memory = step.size != 0;
  if (has_memory && raw(step.site) == 0) step.site = cuda_report::stack_site(2, kFramesKept);
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
    const auto at = running_.find(launch);
    if (at == running_.end()) continue;
    const auto context = contexts_.find(at->second);
    if (context != contexts_.end()) context->second->runtime->launch_ends(launch);
    running_.erase(at);
  }
  collect();
}

Kernel Checker::kernel(const void* handle) {
  if (const Kernel* known = modules_.find_kernel(handle)) return *known;
  // Listed by the driver, or from before we were there: it knows the module and the name.
  auto* const function = static_cast<CUfunction>(const_cast<void*>(handle));
  auto* const as_kernel = reinterpret_cast<CUkernel>(function);
  const char* name = nullptr;
  CUmodule module = nullptr;
  CUlibrary library = nullptr;
  Kernel made;
  if (real(Fn::k_cuFuncGetModule, &module, function) == kSuccess) {
    made.module = modules_.find(module);
    if (made.module == nullptr) made.module = registered_module(module);
  }
  if (made.module == nullptr && real(Fn::k_cuKernelGetLibrary, &library, as_kernel) == kSuccess) {
    made.module = modules_.find(library);
    made.of_library = made.module != nullptr;
  }
  if (real(Fn::k_cuFuncGetName, &name, function) == kSuccess && name != nullptr) made.name = name;
  made.readable = cuda_report::demangled(made.name);
  if (made.module != nullptr) {
    made.code = made.module->kernel(made.name);
    modules_.add_kernel(handle, made);
  }
  return made;
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
  place = std::move(made);
  return place.get();
}

// Memory that nobody allocates is there as long as its module.
void Checker::tell_variables(Module& module) {
  for (const std::string& name : module.code->variables) {
    const gpu::HostStep step = variable_of(module, name.c_str());
    if (step.size == 0) continue;
    module.variables.push_back(step.address);
    tell(step);
  }
}

void Checker::module_gone(const void* handle) {
  const std::shared_ptr<Module> module = modules_.find(handle);
  if (module == nullptr) return;
  for (const std::uint64_t address : module->variables) {
    const auto at = allocations_.find(address);
    const std::uint64_t size = at == allocations_.end() ? 0 : at->second.size;
    tell({.kind = gpu::HostKind::kFree, .site = kNoCall, .address = address, .size = size});
  }
  modules_.remove(handle);
}

bool Checker::is_ready(const Kernel& kernel) {
  if (!kernel.checked()) {
    unchecked_.add(kernel);
    return false;
  }
  const std::string why = make_ready(kernel);
  if (why.empty()) return true;
  // Hooks of a module without state return at once. The parameter is there all the same.
  unchecked_.add(kernel, why);
  return true;
}

std::string Checker::make_ready(const Kernel& kernel) {
  Module& module = *kernel.module;
  const Result<Context*> where = context();
  if (!where) return where.error().message;
  CUcontext const handle = current_context();
  if (module.ready.contains(handle)) return {};
  const Inside inside(handle);
  const gpu::HostStep state = variable_of(module, device::kStateSymbol);
  if (state.size == sizeof((*where)->state)) {
    (*where)->memory.write(state.address, std::as_bytes(std::span(&(*where)->state, 1)));
  } else if (module.code->counts.hooks != 0) {
    return std::string("its module has no ") + device::kStateSymbol;
  }
  tell_variables(module);
  module.ready.insert(handle);
  return {};
}

Ticket Checker::admit(const Kernel& kernel, CUfunction handle, const Shape& shape,
                      StreamOrder::Stream* stream) {
  const auto here = contexts_.find(current_context());
  Ticket made;
  gpu::Launch& launch = made.launch;
  launch.id = gpu::LaunchId{++launches_};
  launched_[launch.id] = kernel.module;
  if (launched_.size() > kLaunchesKept) launched_.erase(launched_.begin());
  const std::uint64_t fixed = static_shared(handle);
  launch.kernel = kernel.readable;
  launch.grid = shape.grid;
  launch.block = shape.block;
  launch.cluster = shape.cluster;
  launch.shared_bytes = own_shared(fixed) + shape.dynamic_shared;
  launch.cooperative = shape.cooperative;
  launch.sync = kernel.code->sync;
  if (stream != nullptr) {
    streams_.begin_work(*stream);
    launch_begins(launch, shape.dynamic_shared, stream->id);
  }
  made.shared = shape.dynamic_shared;
  if (here == contexts_.end()) return made;  // there was no memory for a runtime
  const device::Runtime& runtime = *here->second->runtime;
  made.value = runtime.parameter(launch, shape.dynamic_shared);
  made.plain = runtime.without_more_shared(made.value);
  const std::uint64_t more =
      runtime.more_shared(fixed, shape.dynamic_shared, launch.block_threads());
  if (more == 0) return made;
  if (kernel.dynamic_limit < 0) {
    modules_.set_dynamic_limit(handle, own_limit(dynamic_shared_limit(handle)));
  }
  if (allow_dynamic_shared(handle, fixed, shape.dynamic_shared + more)) {
    made.shared += more;
  } else {
    made.value = made.plain;
    // The runtime's static memory may be what is too much for the usual limit.
    (void)allow_dynamic_shared(handle, fixed, shape.dynamic_shared);
  }
  return made;
}

std::uint64_t Checker::own_shared(std::uint64_t fixed) const {
  const std::uint64_t runtimes_own = engine_.block_bytes();
  return fixed > runtimes_own ? fixed - runtimes_own : 0;
}

// What static memory leaves of the usual limit, as long as nobody has set another.
int Checker::own_limit(int bytes) const {
  return bytes + static_cast<int>(engine_.block_bytes());
}

std::uint64_t Checker::more_shared(CUfunction handle, std::uint64_t dynamic,
                                   std::uint64_t threads) const {
  return engine_.more_shared(static_shared(handle), dynamic, threads);
}

void Checker::launch_begins(gpu::Launch& launch, std::uint64_t dynamic_shared,
                            gpu::StreamId stream) {
  launch.stream = stream;
  launch.host_thread = cuda_report::this_thread();
  outlet_.launch_begins(launch);
  CUcontext const handle = current_context();
  const auto at = contexts_.find(handle);
  if (at == contexts_.end()) return;
  (void)at->second->runtime->launch_begins(launch, dynamic_shared);
  running_[launch.id] = handle;
  if (!watching_) {
    watching_ = true;
    std::thread([this] { watch(); }).detach();
  }
}

void Checker::launched(gpu::LaunchId launch, StreamOrder::Stream& stream, CUstream handle,
                       bool watched) {
  streams_.add(stream, launch);
  if (settings_.timeout_seconds == 0 || !watched) return;
  const Inside inside(nullptr);
  CUevent behind = nullptr;
  if (real(Fn::k_cuEventCreate, &behind, kEventDisableTiming) != kSuccess) return;
  if (real(Fn::k_cuEventRecord, behind, handle) == kSuccess) {
    stuck_.add(stream.id, launch, behind, Stuck::Clock::now());
  }
}

void Checker::context_gone(CUcontext context) {
  ended(streams_.synchronized(context));
  modules_.forget(context);
  streams_.forget(context);
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
  return all;
}

void Checker::tell_limits() {
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
