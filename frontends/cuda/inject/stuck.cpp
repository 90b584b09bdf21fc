#include "frontends/cuda/inject/stuck.h"

namespace redflag::inject {

void Stuck::add(gpu::StreamId stream, gpu::LaunchId launch, CUevent behind, Clock::time_point now) {
  Queue& queue = queues_[stream];
  if (queue.launches.empty()) queue.since = now;
  queue.launches.push_back({launch, behind});
}

std::optional<gpu::LaunchId> Stuck::look(Clock::time_point now, Clock::duration limit,
                                         const HasEnded& has_ended,
                                         const std::function<void(CUevent)>& done) {
  std::optional<gpu::LaunchId> found;
  for (auto& [stream, queue] : queues_) {
    while (!queue.launches.empty() && has_ended(queue.launches.front().behind)) {
      done(queue.launches.front().behind);
      queue.launches.pop_front();
      queue.since = now;
    }
    if (!queue.launches.empty() && now - queue.since > limit && !found) {
      found = queue.launches.front().launch;
    }
  }
  return found;
}

}  // namespace redflag::inject
