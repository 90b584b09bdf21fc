// Streams and events, as the order that they promise.
//
// Nothing here runs later: an operation is executed when it is put into its stream. What remains of
// a stream is what it orders, and that is told to the detector as host steps. Two rules are not
// calls of the program and are told as events of our own: work in the legacy default stream comes
// after all earlier work in blocking streams, and theirs after it (CUDA programming guide, "implicit
// synchronization"). The default stream of a thread is a blocking stream in this sense.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/model/gpu.h"
#include "frontends/cuda/cudart/abi.h"

namespace redflag::cudart {

// A stream that is being captured: its operations become nodes that follow `last`.
struct Capture {
  Graph* graph = nullptr;
  bool origin = false;  // where the capture began, and must end
  bool invalidated = false;
  unsigned long long id = 0;
  std::vector<GraphNode*> last;
};

struct Stream {
  gpu::StreamId id{0};
  unsigned flags = 0;
  int priority = 0;
  bool legacy = false;
  std::uint64_t submitted = 0;       // operations so far
  std::uint64_t seen_legacy = 0;     // of the legacy stream's, those that this one comes after
  std::uint64_t seen_by_legacy = 0;  // of this one's, those that the legacy stream comes after
  gpu::HostEventId mark{0};          // for the implicit order
  std::unique_ptr<Capture> capture;

  bool blocking() const { return !legacy && (flags & kStreamNonBlocking) == 0; }
};

struct Event {
  gpu::HostEventId id{0};
  unsigned flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point when;
  // Recorded in a captured stream: what it stands for there.
  unsigned long long capture_id = 0;
  Graph* capture_graph = nullptr;
  std::vector<GraphNode*> captured;
};

// Which stream a nullptr is: that depends on how the program was compiled.
enum class Default : std::uint8_t { kLegacy, kPerThread };

class StreamTable {
 public:
  explicit StreamTable(gpu::Sink* sink);

  Stream* create(unsigned flags, int priority);
  bool destroy(Stream* stream);
  // The stream behind a handle, special handles included; nullptr: there is no such.
  Stream* resolve(Stream* handle, Default by_default);
  Stream& legacy() { return *legacy_; }

  Event* create_event(unsigned flags);
  bool destroy_event(Event* event);
  bool is_event(const Event* event) const { return events_.contains(event); }

  // A stream for one branch of a graph; never handed to the program.
  gpu::StreamId internal_stream();
  gpu::HostEventId internal_event() { return gpu::HostEventId{next_event_++}; }

  // To be called before an operation is told: the implicit order, and the count.
  void begin_work(Stream& stream);
  // Host steps with thread and call site filled in.
  void tell(gpu::HostStep step);

  bool any_capture() const;  // in a blocking stream
  template <typename Body>
  void for_each(Body body) {
    for (auto& [handle, stream] : streams_) body(*stream);
    for (auto& [thread, stream] : per_thread_) body(*stream);
  }

 private:
  void join(Stream& from, Stream& to);

  gpu::Sink* sink_;  // may be nullptr
  std::unordered_map<const Stream*, std::unique_ptr<Stream>> streams_;
  std::unordered_map<std::thread::id, std::unique_ptr<Stream>> per_thread_;
  std::unordered_map<const Event*, std::unique_ptr<Event>> events_;
  std::unique_ptr<Stream> legacy_;
  std::uint32_t next_stream_ = 1;
  std::uint32_t next_event_ = 1;
};

}  // namespace redflag::cudart
