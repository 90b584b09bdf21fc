// Stuck: which launch has not ended for too long.
//
// An event of our own is recorded behind each launch. The time of a launch begins when it was put into
// its stream, or when the one before it there was seen to have ended: a long queue of short kernels is
// not stuck. Only where there is a limit (--timeout). One thread at a time.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>

#include "core/model/gpu.h"
#include "frontends/cuda/inject/driver.h"

namespace redflag::inject {

class Stuck {
 public:
  using Clock = std::chrono::steady_clock;
  using HasEnded = std::function<bool(CUevent)>;

  void add(gpu::StreamId stream, gpu::LaunchId launch, CUevent behind, Clock::time_point now);
  // A launch that has been running for longer than `limit`. Events of those that have ended are
  // handed to `done`.
  std::optional<gpu::LaunchId> look(Clock::time_point now, Clock::duration limit,
                                    const HasEnded& has_ended,
                                    const std::function<void(CUevent)>& done);

 private:
  struct Launched {
    gpu::LaunchId launch{0};
    CUevent behind = nullptr;
  };
  struct Queue {
    std::deque<Launched> launches;
    Clock::time_point since;  // the first of them is at work
  };
  std::map<gpu::StreamId, Queue> queues_;
};

}  // namespace redflag::inject
