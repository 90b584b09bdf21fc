// Launches, as the checker tells them: which version of a rewritten kernel is launched, what it gets besides
// what the program gave, and how much of what the driver says of it is the program's.
#include <thread>

#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/real.h"
#include "frontends/cuda/inject/shared_memory.h"
#include "frontends/cuda/inject/symbols.h"
#include "frontends/cuda/report/caller.h"

namespace redflag::inject {
namespace {

constexpr std::size_t kLaunchesKept = 1U << 20;  // for findings about long ago

}  // namespace

gpu::Launch Checker::launch_of(const Kernel& kernel, CUfunction handle, const Shape& shape) {
  gpu::Launch launch;
  launch.id = gpu::LaunchId{++launches_};
  launched_[launch.id] = kernel.module;
  if (launched_.size() > kLaunchesKept) launched_.erase(launched_.begin());
  launch.kernel = kernel.readable;
  launch.grid = shape.grid;
  launch.block = shape.block;
  launch.cluster = shape.cluster;
  rewrite::settle_clusters(*kernel.code, launch);
  launch.shared_bytes = own_shared(static_shared(handle)) + shape.dynamic_shared;
  launch.cooperative = shape.cooperative;
  launch.sync = kernel.code->sync;
  return launch;
}

Ticket Checker::describe(const Kernel& kernel, CUfunction handle, const Shape& shape) {
  Ticket made{.launch = launch_of(kernel, handle, shape), .is_captured = true};
  made.launch.site = cuda_report::stack_site(2, cuda_report::kFramesKept);
  const auto here = contexts_.find(current_context());
  if (here != contexts_.end()) {
    made.number = here->second->runtime->parameter(made.launch, shape.dynamic_shared);
  }
  equip(made, kernel, handle, shape);
  return made;
}

Ticket Checker::admit(const Kernel& kernel, CUfunction handle, const Shape& shape,
                      const Arguments& given, StreamOrder::Stream& stream) {
  Ticket made{.launch = launch_of(kernel, handle, shape)};
  streams_.begin_work(stream);
  made.number = launch_begins(made.launch, shape.dynamic_shared, stream.id);
  CUcontext const context = current_context();
  if (const auto here = contexts_.find(context); here != contexts_.end()) {
    device::Runtime& runtime = *here->second->runtime;
    if (close_for(made.launch, kernel, given)) {
      made.number = runtime.telling_all(made.number);
    } else {
      made.version = kernel.versions->choose(
          *kernel.code, made.launch, given, context, runtime,
          [&](const std::string& name) { return find_variable(*kernel.module, name).address; });
    }
    made.lean_number =
        made.version == rewrite::Version::kLean ? runtime.with_cells(made.number) : made.number;
  }
  versions_.add(made.version);
  // Of one that cannot race nobody will ask.
  if (made.version != rewrite::Version::kPlain) {
    made.launch.site = cuda_report::stack_site(2, cuda_report::kFramesKept);
    outlet_.launched_at(made.launch.id, made.launch.site);
  }
  equip(made, kernel, handle, shape);
  return made;
}

void Checker::equip(Ticket& ticket, const Kernel& kernel, CUfunction handle, const Shape& shape) {
  ticket.handle = handle;
  ticket.shared = shape.dynamic_shared;
  if (ticket.version != rewrite::Version::kFull) {
    CUfunction const own =
        kernel.versions->handle(*kernel.code, ticket.version,
                                [&](const std::string& name) { return find_beside(kernel, name); });
    if (own == nullptr) {
      versions_.instead(ticket.version, rewrite::Version::kFull);
      ticket.version = rewrite::Version::kFull;
    } else {
      ticket.handle = own;
    }
  }
  if (ticket.is_plain()) return;
  ticket.value = ticket.own_number();
  const auto here = contexts_.find(current_context());
  if (here == contexts_.end()) return;  // there was no memory for a runtime
  const device::Runtime& runtime = *here->second->runtime;
  if (!rewrite::needs_more_shared(*kernel.code, ticket.version)) {
    ticket.value = runtime.without_more_shared(ticket.own_number());
    return;
  }
  const std::uint64_t fixed = static_shared(ticket.handle);
  const std::uint64_t more =
      runtime.more_shared(fixed, shape.dynamic_shared, ticket.launch.block_threads());
  if (more == 0) return;
  if (ticket.handle == handle && kernel.dynamic_limit < 0) {
    modules_.set_dynamic_limit(handle, own_limit(dynamic_shared_limit(handle)));
  }
  if (allow_dynamic_shared(ticket.handle, fixed, shape.dynamic_shared + more)) {
    ticket.shared += more;
  } else {
    ticket.value = runtime.without_more_shared(ticket.own_number());
    // The runtime's static memory may be what is too much for the usual limit.
    (void)allow_dynamic_shared(ticket.handle, fixed, shape.dynamic_shared);
  }
}

bool Checker::try_more(Ticket& ticket, const Kernel& kernel, CUfunction handle,
                       const Shape& shape) {
  // More shared memory may be what it does not have: a cooperative grid must fit as a whole.
  if (ticket.shared != shape.dynamic_shared) {
    const auto here = contexts_.find(current_context());
    if (here == contexts_.end()) return false;
    ticket.value = here->second->runtime->without_more_shared(ticket.own_number());
    ticket.shared = shape.dynamic_shared;
    return true;
  }
  // The program's machine code may have been compiled for less registers than its PTX says, and so for blocks that are too
  // large for the plain version; the full one is for the largest.
  if (ticket.version != rewrite::Version::kFull && !ticket.is_unfit) {
    ticket.was_plain = ticket.is_plain();
    versions_.instead(ticket.version, rewrite::Version::kFull);
    ticket.version = rewrite::Version::kFull;
    equip(ticket, kernel, handle, shape);
    return true;
  }
  // A kernel may use all the shared memory there is. Better not checked than not launched; and if it cannot be
  // launched, the program hears the reason that it would have heard.
  CUfunction const plain = ticket.is_captured || ticket.was_plain ? nullptr : plain_of(kernel);
  if (plain == nullptr) return false;
  versions_.instead(ticket.version, rewrite::Version::kPlain);
  ticket.version = rewrite::Version::kPlain;
  ticket.handle = plain;
  ticket.was_plain = ticket.is_unfit = true;
  return true;
}

CUfunction Checker::plain_of(const Kernel& kernel) {
  if (kernel.versions == nullptr) return nullptr;
  return kernel.versions->handle(
      *kernel.code, rewrite::Version::kPlain,
      [&](const std::string& name) { return find_beside(kernel, name); });
}

void Checker::not_fit(const Kernel& kernel) {
  leave_out(kernel,
            "a launch leaves too little shared memory, or too few registers, for the checks");
}

void Checker::set_on_versions(const Kernel& kernel,
                              const std::function<CUresult(CUfunction)>& set) {
  kernel.versions->set(
      *kernel.code, [&](const std::string& name) { return find_beside(kernel, name); }, set);
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

std::uint64_t Checker::launch_begins(gpu::Launch& launch, std::uint64_t dynamic_shared,
                                     gpu::StreamId stream) {
  launch.stream = stream;
  launch.host_thread = host_thread();
  outlet_.launch_begins(launch);
  CUcontext const handle = current_context();
  const auto at = contexts_.find(handle);
  if (at == contexts_.end()) return 0;
  const std::uint64_t number = at->second->runtime->launch_begins(launch, dynamic_shared);
  running_[launch.id] = handle;
  if (!watching_) {
    watching_ = true;
    std::thread([this] { watch(); }).detach();
  }
  return number;
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
