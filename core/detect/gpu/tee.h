// Tee: tells several sinks the same steps, and knows what each of them took.
//
// Steps are handed on in batches, so that the clock is asked twice for many of them and each sink
// works while its own data is near. Whatever else is told comes behind the steps before it. Time is
// the thread's processor time: what a sink would need on a machine of its own. Holds one batch,
// about 250 KiB.
#pragma once

#include <array>
#include <cstddef>
#include <ctime>
#include <vector>

#include "core/model/gpu.h"

namespace redflag::gpu {

class Tee final : public Sink {
 public:
  Tee() { batch_.reserve(kBatch); }
  Tee(const Tee&) = delete;
  Tee& operator=(const Tee&) = delete;

  void add(Sink& sink) { sinks_.push_back({&sink, 0}); }
  std::size_t size() const { return sinks_.size(); }
  double seconds(std::size_t sink) const { return sinks_[sink].seconds; }
  std::uint64_t steps() const { return steps_; }

  void launch_begins(const Launch& launch) override {
    tell([&](Sink& sink) { sink.launch_begins(launch); });
  }
  void step(const Step& step) override {
    ++steps_;
    Kept& kept = batch_.emplace_back();
    kept.step = step;
    kept.step.address = copied(step.address, kept.address);
    kept.step.source = copied(step.source, kept.source);
    kept.step.value = copied(step.value, kept.value);
    if (batch_.size() == kBatch) flush();
  }
  void launch_ends(LaunchId launch) override {
    tell([&](Sink& sink) { sink.launch_ends(launch); });
  }
  void host(const HostStep& step) override {
    tell([&](Sink& sink) { sink.host(step); });
  }

 private:
  static constexpr std::size_t kBatch = 256;
  using Addresses = std::array<std::uint64_t, kWarp>;
  struct Kept {
    Step step;
    Addresses address, source, value;  // set where the step has them
  };
  struct Told {
    Sink* sink;
    double seconds;
  };

  static const std::uint64_t* copied(const std::uint64_t* from, Addresses& to) {
    if (from == nullptr) return nullptr;
    for (unsigned i = 0; i < kWarp; ++i) to[i] = from[i];
    return to.data();
  }
  static double now() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  template <typename F>
  void timed(F what) {
    double before = now();
    for (Told& one : sinks_) {
      what(*one.sink);
      const double after = now();
      one.seconds += after - before;
      before = after;
    }
  }
  void flush() {
    if (batch_.empty()) return;
    timed([&](Sink& sink) {
      for (const Kept& kept : batch_) sink.step(kept.step);
    });
    batch_.clear();
  }
  template <typename F>
  void tell(F what) {
    flush();
    timed(what);
  }

  std::vector<Told> sinks_;
  std::vector<Kept> batch_;  // never grows beyond what was reserved: steps point into it
  std::uint64_t steps_ = 0;
};

}  // namespace redflag::gpu
