#include "frontends/cuda/report/caller.h"

#include <unwind.h>

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

namespace redflag::cuda_report {
namespace {

// Sites of the host are told from the device's by their upper half.
constexpr std::uint32_t kHostSite = 0x80000000;

std::atomic<std::uint32_t> g_threads{0};
thread_local const std::uint32_t t_thread = g_threads.fetch_add(1);
thread_local bool t_calls_back = false;
thread_local Caller t_caller;
thread_local bool t_looks_above = false;

// Finds the frame above the one that has `below`.
struct Above {
  std::uintptr_t below = 0;
  bool reached = false;
  std::uintptr_t found = 0;
};
_Unwind_Reason_Code look_above(_Unwind_Context* frame, void* argument) {
  auto* search = static_cast<Above*>(argument);
  const std::uintptr_t at = _Unwind_GetIP(frame);
  if (search->reached) {
    search->found = at;
    return _URC_END_OF_STACK;
  }
  search->reached = at == search->below;
  return _URC_NO_REASON;
}

struct Walk {
  unsigned skip = 0;
  unsigned depth = 0;
  std::vector<const void*> pcs;
};
_Unwind_Reason_Code note_frame(_Unwind_Context* frame, void* argument) {
  auto* walk = static_cast<Walk*>(argument);
  const std::uintptr_t at = _Unwind_GetIP(frame);
  if (at == 0 || walk->pcs.size() == walk->depth) return _URC_END_OF_STACK;
  if (walk->skip > 0) {
    --walk->skip;
  } else {
    walk->pcs.push_back(reinterpret_cast<const void*>(at - 1));
  }
  return _URC_NO_REASON;
}

struct Callers {
  std::mutex mutex;
  std::vector<Caller> by_site;
  std::map<Caller, std::uint32_t> sites;
};
Callers& callers() {
  static auto* const made = new Callers;  // for ever: calls come until the very end
  return *made;
}

gpu::SiteId site_of(const Caller& caller) {
  Callers& all = callers();
  const std::lock_guard lock(all.mutex);
  const auto [at, is_new] =
      all.sites.try_emplace(caller, static_cast<std::uint32_t>(all.by_site.size()));
  if (is_new) all.by_site.push_back(caller);
  return gpu::SiteId{kHostSite | at->second};
}

}  // namespace

ThreadId this_thread() {
  const std::uint32_t own = t_thread;  // first: the program's first thread is T0
  static const std::uint32_t callback_thread = g_threads.fetch_add(1);
  return ThreadId{t_calls_back ? callback_thread : own};
}

AsCallbackThread::AsCallbackThread() {
  t_calls_back = true;
}

AsCallbackThread::~AsCallbackThread() {
  t_calls_back = false;
}

void set_caller(const void* at, bool looks_above) {
  t_caller = {at, nullptr};
  t_looks_above = looks_above;
}

gpu::SiteId call_site() {
  if (t_caller.at == nullptr) return gpu::SiteId{0};
  if (t_looks_above) {
    t_looks_above = false;
    Above search{.below = reinterpret_cast<std::uintptr_t>(t_caller.at) + 1};
    _Unwind_Backtrace(&look_above, &search);
    if (search.found != 0) t_caller.above = reinterpret_cast<const void*>(search.found - 1);
  }
  return site_of(t_caller);
}

gpu::SiteId stack_site(unsigned skip, unsigned depth) {
  Walk walk{.skip = skip + 1, .depth = depth, .pcs = {}};
  _Unwind_Backtrace(&note_frame, &walk);
  Caller caller;
  if (!walk.pcs.empty()) caller.at = walk.pcs[0];
  if (walk.pcs.size() > 1) caller.above = walk.pcs[1];
  if (walk.pcs.size() > 2) caller.outer.assign(walk.pcs.begin() + 2, walk.pcs.end());
  return caller.at == nullptr ? gpu::SiteId{0} : site_of(caller);
}

Caller caller_of(gpu::SiteId site) {
  if ((raw(site) & kHostSite) == 0) return {};
  Callers& all = callers();
  const std::lock_guard lock(all.mutex);
  const std::uint32_t index = raw(site) & ~kHostSite;
  return index < all.by_site.size() ? all.by_site[index] : Caller{};
}

}  // namespace redflag::cuda_report
