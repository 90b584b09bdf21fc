// The obvious clocks and shadow: an array of times for every thread, every access of every byte kept.
//
// What WarpClocks and Shadow are tested against, with the same rules on top (model.h). For small
// grids: memory is the square of the number of threads, and nothing is ever forgotten.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "core/detect/gpu/grid.h"
#include "core/detect/gpu/record.h"

namespace redflag::gpu {

class PlainClocks {
 public:
  using Times = std::vector<Time>;  // by ThreadIndex
  class Clock {
   public:
    Clock() = default;
    explicit Clock(Times times) : times_(std::make_shared<const Times>(std::move(times))) {}
    bool empty() const { return times_ == nullptr; }
    Time at(ThreadIndex thread) const {
      return times_ && thread < times_->size() ? (*times_)[thread] : 0;
    }
    static Clock of(ThreadIndex first, Lanes lanes, Time time) {
      Times times(first + kWarp, 0);
      for (unsigned i = 0; i < kWarp; ++i) {
        if ((lanes >> i & 1) != 0) times[first + i] = time;
      }
      return Clock(std::move(times));
    }
    void join(const Clock& other) {
      if (!other.times_) return;
      Times times = times_ ? *times_ : Times{};
      if (times.size() < other.times_->size()) times.resize(other.times_->size(), 0);
      for (std::size_t i = 0; i < other.times_->size(); ++i) {
        times[i] = std::max(times[i], (*other.times_)[i]);
      }
      times_ = std::make_shared<const Times>(std::move(times));
    }
    static std::uint64_t work() { return 0; }
    static void forget_joins() {}

   private:
    std::shared_ptr<const Times> times_;
  };
  using Known = Clock;

  void begin(const Grid& grid) {
    grid_ = grid;
    threads_.assign(std::size_t{grid.blocks} * grid.stride, {});
  }
  void drop_block(std::uint32_t /*block*/) {}
  const Known& known(const WarpAt& at, unsigned lane) { return threads_[at.base + lane]; }
  template <typename F>
  void groups(const WarpAt& at, Lanes lanes, F f) {
    for (unsigned i = 0; i < kWarp; ++i) {
      if ((lanes >> i & 1) != 0) f(Lanes{1} << i, threads_[at.base + i]);
    }
  }
  bool knows(const Known& known, const WarpAt& /*at*/, ThreadIndex thread, Time time) const {
    return known.at(thread) >= time;
  }
  Clock publish(const Known& known, const WarpAt& at, Lanes self, Time now) const {
    Clock clock = known;
    clock.join(Clock::of(at.base, self, now));
    return clock;
  }
  Clock publish(const WarpAt& at, Lanes lanes, Time now) {
    Clock clock = Clock::of(at.base, lanes, now);
    groups(at, lanes, [&](Lanes, const Known& known) { clock.join(known); });
    return clock;
  }
  void learn(const WarpAt& at, Lanes lanes, const Clock& clock) {
    for (unsigned i = 0; i < kWarp; ++i) {
      if ((lanes >> i & 1) != 0) threads_[at.base + i].join(clock);
    }
  }
  void sync_warp(const WarpAt& at, Lanes lanes, Time now) {
    learn(at, lanes, publish(at, lanes, now));
  }
  void together(const WarpAt& at, Lanes lanes, Time now) { sync_warp(at, lanes, now); }
  void sync_block(std::uint32_t block, Time now) {
    Clock all;
    for (std::uint32_t w = 0; w < grid_.block_warps; ++w) {
      all.join(publish(grid_.warp(block, w), grid_.lanes(w), now));
    }
    for (std::uint32_t w = 0; w < grid_.block_warps; ++w) {
      learn(grid_.warp(block, w), grid_.lanes(w), all);
    }
  }
  std::size_t bytes() const { return 0; }

 private:
  Grid grid_;
  std::vector<Clock> threads_;
};

class PlainShadow {
 public:
  struct Past {
    Record record;
    Lanes lanes;
  };

  // race(past, lanes of it, address, bytes) for every earlier access for which conflict(...) says so.
  template <typename Judge, typename Report>
  void access(const Record& record, Lanes lanes, std::uint64_t address, unsigned size, Judge& judge,
              Report report) {
    for (unsigned i = 0; i < size; ++i) {
      std::vector<Past>& all = bytes_[address + i];
      for (const Past& past : all) {
        if (!judge.conflict(past.record, record)) continue;
        const Lanes racing = judge.unordered(past.record, past.lanes, lanes);
        if (racing != 0) report(past.record, past.lanes, racing, address + i, 1U);
      }
    }
    for (unsigned i = 0; i < size; ++i) {
      std::vector<Past>& all = bytes_[address + i];
      for (Past& past : all) {
        if (judge.observes(record, past.record)) past.record.observed = 1;
      }
      all.push_back({record, lanes});
    }
  }
  template <typename F>
  void in_range(std::uint64_t address, std::uint64_t size, F f) {
    for (auto at = bytes_.lower_bound(address); at != bytes_.end() && at->first - address < size;
         ++at) {
      for (const Past& past : at->second) f(past.record, past.lanes, at->first, 1U);
    }
  }
  void forget(std::uint64_t address, std::uint64_t size) {
    bytes_.erase(bytes_.lower_bound(address), bytes_.lower_bound(address + size));
  }
  void forget_shared() { forget(kSharedTag, kSharedTag); }
  void clear() { bytes_.clear(); }
  std::size_t bytes() const { return 0; }

 private:
  std::map<std::uint64_t, std::vector<Past>> bytes_;
};

}  // namespace redflag::gpu
