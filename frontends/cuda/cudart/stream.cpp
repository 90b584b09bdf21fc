#include "frontends/cuda/cudart/stream.h"

#include <unwind.h>

#include <atomic>
#include <map>
#include <mutex>

namespace redflag::cudart {
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

struct Callers {
  std::mutex mutex;
  std::vector<Caller> by_site;
  std::map<Caller, std::uint32_t> sites;
};
Callers& callers() {
  static auto* const made = new Callers;  // for ever: calls come until the very end
  return *made;
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
  Callers& all = callers();
  const std::lock_guard lock(all.mutex);
  const auto [at, is_new] =
      all.sites.try_emplace(t_caller, static_cast<std::uint32_t>(all.by_site.size()));
  if (is_new) all.by_site.push_back(t_caller);
  return gpu::SiteId{kHostSite | at->second};
}

Caller caller_of(gpu::SiteId site) {
  if ((raw(site) & kHostSite) == 0) return {};
  Callers& all = callers();
  const std::lock_guard lock(all.mutex);
  const std::uint32_t index = raw(site) & ~kHostSite;
  return index < all.by_site.size() ? all.by_site[index] : Caller{};
}

StreamTable::StreamTable(gpu::Sink* sink) : sink_(sink), legacy_(std::make_unique<Stream>()) {
  legacy_->legacy = true;
  legacy_->mark = internal_event();
}

gpu::StreamId StreamTable::internal_stream() {
  const gpu::StreamId id{next_stream_++};
  tell({.kind = gpu::HostKind::kStreamNonBlocking, .stream = id});
  return id;
}

Stream* StreamTable::create(unsigned flags, int priority) {
  auto made = std::make_unique<Stream>();
  made->id = gpu::StreamId{next_stream_++};
  if ((flags & kStreamNonBlocking) != 0) {
    tell({.kind = gpu::HostKind::kStreamNonBlocking, .stream = made->id});
  }
  made->mark = internal_event();
  made->flags = flags;
  made->priority = priority;
  Stream* handle = made.get();
  streams_.emplace(handle, std::move(made));
  return handle;
}

bool StreamTable::destroy(Stream* stream) {
  const auto at = streams_.find(stream);
  if (at == streams_.end()) return false;
  // Later work in the legacy stream comes after what was in it, also when it is gone.
  if (stream->blocking() && stream->seen_by_legacy != stream->submitted) join(*stream, *legacy_);
  streams_.erase(at);
  return true;
}

Stream* StreamTable::resolve(Stream* handle, Default by_default) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number == 1 || (number == 0 && by_default == Default::kLegacy)) return legacy_.get();
  if (number == 0 || number == 2) {
    std::unique_ptr<Stream>& own = per_thread_[std::this_thread::get_id()];
    if (own == nullptr) {
      own = std::make_unique<Stream>();
      own->id = gpu::StreamId{next_stream_++};
      own->mark = internal_event();
    }
    return own.get();
  }
  const auto at = streams_.find(handle);
  return at == streams_.end() ? nullptr : at->second.get();
}

Event* StreamTable::create_event(unsigned flags) {
  auto made = std::make_unique<Event>();
  made->id = internal_event();
  made->flags = flags;
  Event* handle = made.get();
  events_.emplace(handle, std::move(made));
  return handle;
}

bool StreamTable::destroy_event(Event* event) {
  return events_.erase(event) != 0;
}

void StreamTable::tell(gpu::HostStep step) {
  if (sink_ == nullptr) return;
  step.host_thread = this_thread();
  if (raw(step.site) == 0) step.site = call_site();
  sink_->host(step);
}

void StreamTable::join(Stream& from, Stream& to) {
  tell({.kind = gpu::HostKind::kRecordEvent, .stream = from.id, .event = from.mark});
  tell({.kind = gpu::HostKind::kStreamWait, .stream = to.id, .event = from.mark});
}

void StreamTable::begin_work(Stream& stream) {
  if (stream.legacy) {
    for_each([&](Stream& other) {
      if (!other.blocking() || other.seen_by_legacy == other.submitted) return;
      join(other, stream);
      other.seen_by_legacy = other.submitted;
    });
  } else if (stream.blocking() && stream.seen_legacy != legacy_->submitted) {
    join(*legacy_, stream);
    stream.seen_legacy = legacy_->submitted;
  }
  ++stream.submitted;
}

bool StreamTable::any_capture() const {
  const auto captures = [](const auto& entry) {
    return entry.second->capture != nullptr && entry.second->blocking();
  };
  for (const auto& entry : streams_) {
    if (captures(entry)) return true;
  }
  for (const auto& entry : per_thread_) {
    if (captures(entry)) return true;
  }
  return false;
}

}  // namespace redflag::cudart
