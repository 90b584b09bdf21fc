// Who called: this thread's number, and where in the host program a call of CUDA's API was made.
//
// A call site becomes a SiteId of the upper half, so that it can stand where sites of kernels do.
// CUDA's header has templates that call the API: without optimisation the program's own line is the
// one above. A library below CUDA's runtime is further away still, and keeps the calls above as well.
#pragma once

#include <span>
#include <vector>

#include "core/model/gpu.h"

namespace redflag::cuda_report {

ThreadId this_thread();
// While this lives the thread counts as that which CUDA calls host functions on.
class AsCallbackThread {
 public:
  AsCallbackThread();
  ~AsCallbackThread();
  AsCallbackThread(const AsCallbackThread&) = delete;
  AsCallbackThread& operator=(const AsCallbackThread&) = delete;
};

// Program counters of a call, innermost first: its own, that of the call above it, and further ones.
struct Caller {
  const void* at = nullptr;  // nullptr: none
  const void* above = nullptr;
  std::vector<const void*> outer{};
  friend auto operator<=>(const Caller&, const Caller&) = default;
};
gpu::SiteId call_site();
// `looks_above`: the stack may be walked, when a site is asked for. Not in handlers of signals.
void set_caller(const void* at, bool looks_above);
// The site of the whole stack above this call, `depth` frames of it at most, the first `skip` left out.
gpu::SiteId stack_site(unsigned skip, unsigned depth);
inline constexpr unsigned kFramesKept = 16;  // CUDA's runtime is below the program
Caller caller_of(gpu::SiteId site);          // none: the site is the device's

}  // namespace redflag::cuda_report
