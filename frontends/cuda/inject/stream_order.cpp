#include "frontends/cuda/inject/stream_order.h"

#include <utility>

namespace redflag::inject {

using gpu::HostKind;

StreamOrder::StreamOrder(Tell tell, IsBlocking is_blocking)
    : tell_(std::move(tell)), is_blocking_(std::move(is_blocking)) {}

StreamOrder::Stream& StreamOrder::find(CUcontext context, CUstream handle, bool per_thread,
                                       std::uint32_t thread) {
  auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number == 0) number = per_thread ? kStreamPerThread : kStreamLegacy;
  if (number == kStreamLegacy) return legacy(context);
  const Key key{context, number, number == kStreamPerThread ? thread : 0};
  std::unique_ptr<Stream>& place = streams_[key];
  if (place) return *place;
  // Program's streams never have the number of the first legacy stream.
  if (next_stream_ == 0) (void)legacy(context);
  place = std::make_unique<Stream>();
  place->id = gpu::StreamId{next_stream_++};
  place->key = key;
  place->mark = gpu::HostEventId{next_event_++};
  const auto seen = blocking_.find(handle);
  place->blocking =
      number == kStreamPerThread || (seen != blocking_.end() ? seen->second : is_blocking_(handle));
  if (!place->blocking) tell_({.kind = HostKind::kStreamNonBlocking, .stream = place->id});
  return *place;
}

StreamOrder::Stream& StreamOrder::legacy(CUcontext context) {
  const Key key{context, kStreamLegacy, 0};
  std::unique_ptr<Stream>& place = streams_[key];
  if (!place) {
    place = std::make_unique<Stream>();
    place->id = gpu::StreamId{next_stream_++};
    place->key = key;
    place->mark = gpu::HostEventId{next_event_++};
    place->legacy = true;
  }
  return *place;
}

void StreamOrder::forget(CUcontext context, CUstream handle) {
  blocking_.erase(handle);
  const auto at = streams_.find(Key{context, reinterpret_cast<std::uintptr_t>(handle), 0});
  if (at == streams_.end()) return;
  Stream& stream = *at->second;
  Stream& all = legacy(context);
  // Later work in the legacy stream comes after what was in it, also when it is gone.
  if (stream.blocking && stream.seen_by_legacy != stream.submitted) join(stream, all);
  for (const Pending& pending : stream.pending) {
    all.pending.push_back({pending.launch, all.submitted + 1});
  }
  streams_.erase(at);
}

void StreamOrder::forget(CUcontext context) {
  std::erase_if(streams_, [&](const auto& row) { return row.first.context == context; });
  std::erase_if(events_, [&](const auto& row) { return row.second.stream.context == context; });
}

void StreamOrder::join(Stream& from, Stream& to) {
  tell_({.kind = HostKind::kRecordEvent, .stream = from.id, .event = from.mark});
  tell_({.kind = HostKind::kStreamWait, .stream = to.id, .event = from.mark});
}

gpu::StreamId StreamOrder::internal_stream() {
  const gpu::StreamId made{next_stream_++};
  tell_({.kind = HostKind::kStreamNonBlocking, .stream = made});
  return made;
}

void StreamOrder::begin_work(Stream& stream) {
  if (stream.legacy) {
    for (auto& [key, other] : streams_) {
      if (key.context != stream.key.context || !other->blocking ||
          other->seen_by_legacy == other->submitted) {
        continue;
      }
      join(*other, stream);
      other->seen_by_legacy = other->submitted;
    }
  } else if (stream.blocking) {
    Stream& all = legacy(stream.key.context);
    if (stream.seen_legacy != all.submitted) {
      join(all, stream);
      stream.seen_legacy = all.submitted;
    }
  }
  ++stream.submitted;
}

void StreamOrder::add(Stream& stream, gpu::LaunchId launch) {
  stream.pending.push_back({launch, stream.submitted});
}

void StreamOrder::record(Stream& stream, CUevent event) {
  begin_work(stream);
  Event& known = events_[event];
  if (raw(known.id) == 0) known.id = gpu::HostEventId{next_event_++};
  known.recorded = true;
  known.place = stream.submitted;
  known.stream = stream.key;
  tell_({.kind = HostKind::kRecordEvent, .stream = stream.id, .event = known.id});
}

void StreamOrder::wait(Stream& stream, CUevent event) {
  const auto at = events_.find(event);
  if (at == events_.end() || !at->second.recorded) return;  // nothing to wait for
  begin_work(stream);
  tell_({.kind = HostKind::kStreamWait, .stream = stream.id, .event = at->second.id});
}

void StreamOrder::forget(CUevent event) {
  events_.erase(event);
}

void StreamOrder::take(Stream& stream, std::uint64_t place, std::vector<gpu::LaunchId>& ended) {
  while (!stream.pending.empty() && stream.pending.front().place <= place) {
    ended.push_back(stream.pending.front().launch);
    stream.pending.pop_front();
  }
}

// What the legacy stream came after has ended with it.
void StreamOrder::take_joined(Stream& stream, std::vector<gpu::LaunchId>& ended) {
  if (!stream.legacy) return;
  for (auto& [key, other] : streams_) {
    if (key.context == stream.key.context && other->blocking)
      take(*other, other->seen_by_legacy, ended);
  }
}

std::vector<gpu::LaunchId> StreamOrder::synchronized(Stream& stream) {
  std::vector<gpu::LaunchId> ended;
  take(stream, stream.submitted + 1, ended);
  take_joined(stream, ended);
  if (stream.legacy) begin_work(stream);
  tell_({.kind = HostKind::kSyncStream, .waits = true, .stream = stream.id});
  return ended;
}

std::vector<gpu::LaunchId> StreamOrder::synchronized(CUcontext context) {
  std::vector<gpu::LaunchId> ended;
  for (auto& [key, stream] : streams_) {
    if (key.context == context) take(*stream, stream->submitted + 1, ended);
  }
  tell_({.kind = HostKind::kSyncDevice, .waits = true});
  return ended;
}

std::vector<gpu::LaunchId> StreamOrder::synchronized(CUevent event) {
  std::vector<gpu::LaunchId> ended;
  const auto at = events_.find(event);
  if (at == events_.end() || !at->second.recorded) return ended;
  if (const auto stream = streams_.find(at->second.stream); stream != streams_.end()) {
    take(*stream->second, at->second.place, ended);
  }
  tell_({.kind = HostKind::kSyncEvent, .waits = true, .event = at->second.id});
  return ended;
}

std::vector<gpu::LaunchId> StreamOrder::pending() const {
  std::vector<gpu::LaunchId> all;
  for (const auto& [key, stream] : streams_) {
    for (const Pending& each : stream->pending) all.push_back(each.launch);
  }
  return all;
}

}  // namespace redflag::inject
