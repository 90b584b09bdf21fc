// Launches, as the checker tells them: what a rewritten kernel gets besides what the program gave, and how
// much of what the driver says of it is the program's.
#include <thread>

#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/real.h"
#include "frontends/cuda/inject/shared_memory.h"
#include "frontends/cuda/report/caller.h"

namespace redflag::inject {
namespace {

constexpr std::size_t kLaunchesKept = 1U << 20;  // for findings about long ago

}  // namespace

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

}  // namespace redflag::inject
