// Streams of the program: their order as host steps, and which launches are known to have ended.
//
// Work in the legacy default stream comes after all earlier work in blocking streams, and theirs after
// it (CUDA programming guide, "implicit synchronization"); that is told as events of our own. A launch
// is known to have ended when the host has waited for something behind it in its stream. Handles are
// the program's; those seen for the first time are asked for their kind. One thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/model/gpu.h"
#include "frontends/cuda/inject/driver.h"

namespace redflag::inject {

class StreamOrder {
 public:
  using Tell = std::function<void(const gpu::HostStep&)>;
  using IsBlocking = std::function<bool(CUstream)>;
  StreamOrder(Tell tell, IsBlocking is_blocking);

  struct Key {
    CUcontext context = nullptr;
    std::uintptr_t handle = 0;
    std::uint32_t thread = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Pending {
    gpu::LaunchId launch{0};
    std::uint64_t place = 0;  // among the stream's operations
  };
  struct Stream {
    gpu::StreamId id{0};
    Key key;
    bool legacy = false;
    bool blocking = false;             // waits for the legacy stream, and that one for it
    std::uint64_t submitted = 0;       // operations so far
    std::uint64_t seen_legacy = 0;     // of the legacy stream's, those that this one comes after
    std::uint64_t seen_by_legacy = 0;  // of this one's, those that the legacy stream comes after
    gpu::HostEventId mark{0};
    std::deque<Pending> pending;  // launches that may be running, oldest first
  };

  // How it was made, so that nobody need be asked when it is first used: it may be in a capture then.
  void created(CUstream handle, bool blocking) { blocking_[handle] = blocking; }
  // `thread`: whose stream a per-thread default stream is.
  Stream& find(CUcontext context, CUstream handle, bool per_thread, std::uint32_t thread);
  void forget(CUcontext context, CUstream handle);
  void forget(CUcontext context);  // all of its streams and launches

  // For what happens beside the stream of a launch: branches of its graph.
  gpu::StreamId internal_stream();
  gpu::HostEventId internal_event() { return gpu::HostEventId{next_event_++}; }

  // Before an operation is told: the implicit order, and the count.
  void begin_work(Stream& stream);
  void add(Stream& stream, gpu::LaunchId launch);

  void record(Stream& stream, CUevent event);
  void wait(Stream& stream, CUevent event);
  void forget(CUevent event);

  // The host has waited. Returns the launches that have ended by that.
  std::vector<gpu::LaunchId> synchronized(Stream& stream);
  std::vector<gpu::LaunchId> synchronized(CUcontext context);
  std::vector<gpu::LaunchId> synchronized(CUevent event);

  // Launches that may be running, oldest of each stream first.
  std::vector<gpu::LaunchId> pending() const;

 private:
  struct Event {
    gpu::HostEventId id{0};
    bool recorded = false;
    Key stream{};
    std::uint64_t place = 0;
  };

  void join(Stream& from, Stream& to);
  Stream& legacy(CUcontext context);
  static void take(Stream& stream, std::uint64_t place, std::vector<gpu::LaunchId>& ended);
  void take_joined(Stream& stream, std::vector<gpu::LaunchId>& ended);

  Tell tell_;
  IsBlocking is_blocking_;             // of streams that were not seen to be made
  std::map<CUstream, bool> blocking_;  // of those that were
  std::map<Key, std::unique_ptr<Stream>> streams_;
  std::map<CUevent, Event> events_;
  std::uint32_t next_stream_ = 0;  // the first legacy stream is 0
  std::uint32_t next_event_ = 1;
};

}  // namespace redflag::inject
