#include "frontends/cuda/cudart/stream.h"

#include "frontends/cuda/report/caller.h"

namespace redflag::cudart {

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
  step.host_thread = cuda_report::this_thread();
  if (raw(step.site) == 0) step.site = cuda_report::call_site();
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
