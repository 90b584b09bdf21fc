// StreamSource: the host's half of the runtime `stream`: a thread that reads the queue, and a Sink that is
// told one launch at a time.
//
// Kernels may run at the same time, but a Sink wants launches one after the other, in the order in
// which the program put them, each with its steps, and what the host did between them (HostOrder sees
// from streams and events what could have overlapped). So there is a log of what the program did. The
// launch at its head is told as its events come; events of launches behind it are kept, in memory of
// the host, until it has ended. Kernels wait only for the queue, never for the log.
//
// A launch has ended when the host says so and all its threads have told that they end. One that was
// cut off (a fault) never tells: then it has ended when the queue has been silent for a while.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/model/finding.h"
#include "core/model/gpu.h"
#include "frontends/cuda/device/images.h"
#include "frontends/cuda/device/runtime.h"
#include "frontends/cuda/device/stream_reader.h"
#include "frontends/cuda/device/stream_steps.h"

namespace redflag::device {

struct StreamOptions {
  std::uint64_t ring_words = std::uint64_t{1} << 20;  // a power of two
  std::uint32_t silence_ms = 500;                     // of a queue whose launch was cut off
};

class StreamSource {
 public:
  // The sink is called under the source's lock, by its thread and by those who call it.
  StreamSource(DeviceMemory& memory, gpu::Sink& sink, const StreamOptions& options = {});
  ~StreamSource();
  StreamSource(const StreamSource&) = delete;
  StreamSource& operator=(const StreamSource&) = delete;

  Result<std::uint64_t> state();
  void launch_begins(const gpu::Launch& launch);
  void launch_ends(gpu::LaunchId launch);
  void host(const gpu::HostStep& step);
  Images& images() { return images_; }  // for who calls the others above, not under the lock

  // Waits until all that has ended was told. The sink may be asked under the lock that this returns.
  std::unique_lock<std::mutex> settle();
  std::vector<Counter> stats();

 private:
  struct Running {
    gpu::Launch launch;
    bool told = false;   // to the sink that it begins
    bool ended = false;  // the host says so
    std::unique_ptr<StreamSteps> steps;
    std::vector<std::uint64_t>
        kept;  // records that came before its turn, and how many words each has
  };
  using Entry = std::variant<std::unique_ptr<Running>, gpu::HostStep>;

  void read_queue();                                    // the thread
  void deliver(std::span<const std::uint64_t> record);  // under the lock
  void advance();                                       // under the lock: tells what is at the head
  bool settled() const;
  Running* find(std::uint32_t launch);

  DeviceMemory& memory_;
  gpu::Sink& sink_;
  Images images_;
  StreamOptions options_;
  std::optional<StreamReader> reader_;
  std::uint64_t state_ = 0;
  std::thread thread_;
  std::mutex mutex_;  // of everything below, and of the sink
  std::condition_variable changed_;
  std::deque<Entry> log_;
  StreamHeap heap_;
  std::chrono::steady_clock::time_point heard_;  // when something last came, or a launch ended
  bool silent_ = false;                          // that was silence_ms ago
  bool stops_ = false;
  std::uint64_t records_ = 0, strangers_ = 0, cut_off_ = 0, kept_words_ = 0, most_kept_words_ = 0;
};

}  // namespace redflag::device
