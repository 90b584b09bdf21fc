// Streams, events, host functions and captures.
#include <algorithm>
#include <chrono>

#include "frontends/cuda/cudart/api.h"

namespace redflag::cudart {
namespace {

constexpr int kGreatestPriority = -5;

Error create_stream(const void* caller, Stream** stream, unsigned flags, int priority) {
  return call(caller, [&](Runtime& runtime) {
    if (stream == nullptr || flags > kStreamNonBlocking) return Error::kInvalidValue;
    *stream = runtime.streams->create(flags, std::clamp(priority, kGreatestPriority, 0));
    return Error::kSuccess;
  });
}

// In a captured stream an event stands for the nodes before it.
Error record(Runtime& runtime, Stream& stream, Event* event) {
  if (!runtime.streams->is_event(event)) return Error::kInvalidResourceHandle;
  if (stream.capture != nullptr) {
    event->capture_id = stream.capture->id;
    event->capture_graph = stream.capture->graph;
    event->captured = stream.capture->last;
    return Error::kSuccess;
  }
  event->capture_graph = nullptr;
  return runtime.submit(stream, RecordOp{event});
}

Error wait(Runtime& runtime, Stream& stream, Event* event) {
  if (!runtime.streams->is_event(event)) return Error::kInvalidResourceHandle;
  if (event->capture_graph == nullptr) {
    if (stream.capture != nullptr) return Error::kStreamCaptureIsolation;
    return runtime.submit(stream, WaitOp{event});
  }
  if (stream.legacy) return Error::kStreamCaptureImplicit;
  if (stream.capture == nullptr) {
    stream.capture = std::make_unique<Capture>();
    stream.capture->graph = event->capture_graph;
    stream.capture->id = event->capture_id;
  } else if (stream.capture->graph != event->capture_graph) {
    return Error::kStreamCaptureMerge;
  }
  for (GraphNode* node : event->captured) {
    auto& last = stream.capture->last;
    if (std::find(last.begin(), last.end(), node) == last.end()) last.push_back(node);
  }
  return Error::kSuccess;
}

Error end_capture(Runtime& runtime, Stream& stream, Graph** graph) {
  if (stream.capture == nullptr) return Error::kIllegalState;
  if (!stream.capture->origin) return Error::kStreamCaptureUnmatched;
  const std::unique_ptr<Capture> capture = std::move(stream.capture);
  bool unjoined = false;
  runtime.streams->for_each([&](Stream& other) {
    if (other.capture == nullptr || other.capture->id != capture->id) return;
    for (const GraphNode* node : other.capture->last) unjoined |= !leads_to(node, capture->last);
    other.capture.reset();
  });
  *graph = nullptr;
  const Error fault = capture->invalidated ? Error::kStreamCaptureInvalidated
                      : unjoined           ? Error::kStreamCaptureUnjoined
                                           : Error::kSuccess;
  if (fault != Error::kSuccess) {
    runtime.graphs.erase(capture->graph);
  } else {
    *graph = capture->graph;
  }
  return fault;
}

Error begin_capture(Runtime& runtime, Stream& stream, Graph* graph, std::vector<GraphNode*> after) {
  if (stream.legacy) return Error::kStreamCaptureUnsupported;
  if (stream.capture != nullptr) return Error::kIllegalState;
  if (graph == nullptr) {
    auto made = std::make_unique<Graph>();
    graph = made.get();
    runtime.graphs.emplace(graph, std::move(made));
  }
  stream.capture = std::make_unique<Capture>();
  stream.capture->graph = graph;
  stream.capture->origin = true;
  stream.capture->id = runtime.next_capture++;
  stream.capture->last = std::move(after);
  return Error::kSuccess;
}

}  // namespace
}  // namespace redflag::cudart

using namespace redflag::cudart;

#define ON_STREAM(...) return call_stream(caller, handle, by_default, __VA_ARGS__)

CUDART_API(cudaStreamCreate, (Stream * *stream)) {
  return create_stream(CUDART_CALLER, stream, 0, 0);
}

CUDART_API(cudaStreamCreateWithFlags, (Stream * *stream, unsigned flags)) {
  return create_stream(CUDART_CALLER, stream, flags, 0);
}

CUDART_API(cudaStreamCreateWithPriority, (Stream * *stream, unsigned flags, int priority)) {
  return create_stream(CUDART_CALLER, stream, flags, priority);
}

CUDART_API(cudaStreamDestroy, (Stream * stream)) {
  return call_always(CUDART_CALLER, [&](Runtime& runtime) {
    return runtime.streams->destroy(stream) ? Error::kSuccess : Error::kInvalidResourceHandle;
  });
}

CUDART_STREAM_API(cudaStreamSynchronize, _ptsz, (Stream * handle), (handle)) {
  ON_STREAM([](Runtime& runtime, Stream& stream) { return runtime.synchronize(stream); });
}

// Everything has run when it is asked: yes, and who asks until it hears so has waited.
CUDART_STREAM_API(cudaStreamQuery, _ptsz, (Stream * handle), (handle)) {
  ON_STREAM([](Runtime& runtime, Stream& stream) { return runtime.synchronize(stream); });
}

CUDART_STREAM_API(cudaStreamWaitEvent, _ptsz, (Stream * handle, Event* event, unsigned flags),
                  (handle, event, flags)) {
  (void)flags;
  ON_STREAM([&](Runtime& runtime, Stream& stream) { return wait(runtime, stream, event); });
}

CUDART_STREAM_API(cudaLaunchHostFunc, _ptsz, (Stream * handle, HostFunction function, void* data),
                  (handle, function, data)) {
  if (function == nullptr) return keep(Error::kInvalidValue);
  ON_STREAM([&](Runtime& runtime, Stream& stream) {
    return runtime.submit(stream, HostOp{function, nullptr, handle, data});
  });
}

CUDART_STREAM_API(cudaStreamAddCallback, _ptsz,
                  (Stream * handle, StreamCallback function, void* data, unsigned flags),
                  (handle, function, data, flags)) {
  (void)flags;
  if (function == nullptr) return keep(Error::kInvalidValue);
  ON_STREAM([&](Runtime& runtime, Stream& stream) {
    if (stream.capture != nullptr) return Error::kStreamCaptureUnsupported;
    return runtime.submit(stream, HostOp{nullptr, function, handle, data});
  });
}

CUDART_STREAM_API(cudaStreamGetPriority, _ptsz, (Stream * handle, int* priority),
                  (handle, priority)) {
  ON_STREAM([&](Runtime&, Stream& stream) {
    *priority = stream.priority;
    return Error::kSuccess;
  });
}

CUDART_STREAM_API(cudaStreamGetFlags, _ptsz, (Stream * handle, unsigned* flags), (handle, flags)) {
  ON_STREAM([&](Runtime&, Stream& stream) {
    *flags = stream.flags;
    return Error::kSuccess;
  });
}

CUDART_STREAM_API(cudaStreamGetId, _ptsz, (Stream * handle, unsigned long long* id), (handle, id)) {
  ON_STREAM([&](Runtime&, Stream& stream) {
    *id = redflag::raw(stream.id);
    return Error::kSuccess;
  });
}

CUDART_STREAM_API(cudaStreamGetDevice, _ptsz, (Stream * handle, int* device), (handle, device)) {
  ON_STREAM([&](Runtime&, Stream&) {
    *device = 0;
    return Error::kSuccess;
  });
}

CUDART_STREAM_API(cudaStreamCopyAttributes, _ptsz, (Stream * handle, Stream* from),
                  (handle, from)) {
  ON_STREAM([&](Runtime& runtime, Stream& stream) {
    const Stream* other = runtime.streams->resolve(from, by_default);
    if (other == nullptr) return Error::kInvalidResourceHandle;
    stream.priority = other->priority;
    return Error::kSuccess;
  });
}

// Attributes of streams are hints about caches and scheduling.
CUDART_STREAM_API(cudaStreamSetAttribute, _ptsz, (Stream * handle, int id, const void* value),
                  (handle, id, value)) {
  (void)id;
  (void)value;
  ON_STREAM([](Runtime&, Stream&) { return Error::kSuccess; });
}

CUDART_STREAM_API(cudaStreamBeginCapture, _ptsz, (Stream * handle, int mode), (handle, mode)) {
  (void)mode;
  ON_STREAM(
      [](Runtime& runtime, Stream& stream) { return begin_capture(runtime, stream, nullptr, {}); });
}

CUDART_STREAM_API(cudaStreamBeginCaptureToGraph, _ptsz,
                  (Stream * handle, Graph* graph, GraphNode* const* after,
                   const GraphEdgeData* edges, std::size_t count, int mode),
                  (handle, graph, after, edges, count, mode)) {
  (void)edges;
  (void)mode;
  ON_STREAM([&](Runtime& runtime, Stream& stream) {
    if (!runtime.graphs.contains(graph)) return Error::kInvalidValue;
    return begin_capture(runtime, stream, graph, {after, after + count});
  });
}

CUDART_STREAM_API(cudaStreamEndCapture, _ptsz, (Stream * handle, Graph** graph), (handle, graph)) {
  ON_STREAM([&](Runtime& runtime, Stream& stream) { return end_capture(runtime, stream, graph); });
}

namespace {

CaptureStatus status_of(const Stream& stream) {
  if (stream.capture == nullptr) return CaptureStatus::kNone;
  return stream.capture->invalidated ? CaptureStatus::kInvalidated : CaptureStatus::kActive;
}

}  // namespace

CUDART_STREAM_API(cudaStreamIsCapturing, _ptsz, (Stream * handle, CaptureStatus* status),
                  (handle, status)) {
  ON_STREAM([&](Runtime&, Stream& stream) {
    *status = status_of(stream);
    return Error::kSuccess;
  });
}

CUDART_STREAM_API(cudaStreamGetCaptureInfo, _ptsz,
                  (Stream * handle, CaptureStatus* status, unsigned long long* id, Graph** graph,
                   GraphNode* const** last, const GraphEdgeData** edges, std::size_t* count),
                  (handle, status, id, graph, last, edges, count)) {
  ON_STREAM([&](Runtime&, Stream& stream) {
    *status = status_of(stream);
    if (stream.capture == nullptr) return Error::kSuccess;
    if (id != nullptr) *id = stream.capture->id;
    if (graph != nullptr) *graph = stream.capture->graph;
    if (last != nullptr) *last = stream.capture->last.data();
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = stream.capture->last.size();
    return Error::kSuccess;
  });
}

CUDART_STREAM_API(cudaStreamUpdateCaptureDependencies, _ptsz,
                  (Stream * handle, GraphNode** nodes, const GraphEdgeData* edges,
                   std::size_t count, unsigned flags),
                  (handle, nodes, edges, count, flags)) {
  (void)edges;
  ON_STREAM([&](Runtime&, Stream& stream) {
    if (stream.capture == nullptr) return Error::kIllegalState;
    auto& last = stream.capture->last;
    if (flags == 1) last.clear();  // set, not add
    last.insert(last.end(), nodes, nodes + count);
    return Error::kSuccess;
  });
}

CUDART_API(cudaThreadExchangeStreamCaptureMode, (int* mode)) {
  thread_local int current = 0;
  std::swap(*mode, current);
  return Error::kSuccess;
}

CUDART_API(cudaEventCreateWithFlags, (Event * *event, unsigned flags)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    if (event == nullptr) return Error::kInvalidValue;
    *event = runtime.streams->create_event(flags);
    return Error::kSuccess;
  });
}

CUDART_API(cudaEventCreate, (Event * *event)) {
  return cudaEventCreateWithFlags(event, 0);
}

CUDART_API(cudaEventDestroy, (Event * event)) {
  return call_always(CUDART_CALLER, [&](Runtime& runtime) {
    return runtime.streams->destroy_event(event) ? Error::kSuccess : Error::kInvalidResourceHandle;
  });
}

CUDART_STREAM_API(cudaEventRecord, _ptsz, (Event * event, Stream* handle), (event, handle)) {
  ON_STREAM([&](Runtime& runtime, Stream& stream) { return record(runtime, stream, event); });
}

CUDART_STREAM_API(cudaEventRecordWithFlags, _ptsz, (Event * event, Stream* handle, unsigned flags),
                  (event, handle, flags)) {
  (void)flags;
  ON_STREAM([&](Runtime& runtime, Stream& stream) { return record(runtime, stream, event); });
}

namespace {

Error wait_for(const void* caller, Event* event) {
  return call(caller, [&](Runtime& runtime) {
    if (!runtime.streams->is_event(event)) return Error::kInvalidResourceHandle;
    if (event->capture_graph != nullptr) return Error::kCapturedEvent;
    if (event->recorded) {
      runtime.streams->tell(
          {.kind = redflag::gpu::HostKind::kSyncEvent, .waits = true, .event = event->id});
    }
    return runtime.sticky;
  });
}

}  // namespace

CUDART_API(cudaEventSynchronize, (Event * event)) {
  return wait_for(CUDART_CALLER, event);
}

CUDART_API(cudaEventQuery, (Event * event)) {
  return wait_for(CUDART_CALLER, event);
}

CUDART_API(cudaEventElapsedTime, (float* milliseconds, Event* start, Event* end)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    if (!runtime.streams->is_event(start) || !runtime.streams->is_event(end)) {
      return Error::kInvalidResourceHandle;
    }
    if (!start->recorded || !end->recorded || ((start->flags | end->flags) & kEventDisableTiming)) {
      return Error::kInvalidResourceHandle;
    }
    *milliseconds = std::chrono::duration<float, std::milli>(end->when - start->when).count();
    return Error::kSuccess;
  });
}
