// S_x: what was released at a location, as a map from block to clock (section 5.4.3, figure 5.5).
//
// A release at block scope is seen in its own block, one at global scope in all: those are one clock
// here, for the figure's "for all b in grid". An acquire at block scope sees its block's clock, one at
// global scope all of them. So of two threads in different blocks one global fence is enough: the
// paper's litmus tests (figure 5.6) found no counter-example; the PTX memory model wants both.
// Atomics have no scope.
//
// A parameter of Ordering (core/detect/gpu/ordering.h), which says when; whose clocks are the
// compressed ones. Cost: a join for each block that released at block scope.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "core/detect/gpu/barracuda/operation.h"
#include "core/detect/gpu/barracuda/rules.h"
#include "core/detect/gpu/locations.h"

namespace redflag::gpu::barracuda {

template <typename Clock>
class SyncLocation {
 public:
  // Counts the rules of acquire and release.
  class Rules {
   public:
    void acquires(Level level) {
      last_ = is_global(level) ? Rule::kAcquireGlobal : Rule::kAcquireBlock;
      add(last_);
    }
    // `acquired`: the same operation did both.
    void releases(Level level, bool acquired) {
      const bool global = is_global(level);
      if (acquired) {
        --counts_[static_cast<std::size_t>(last_)];
        last_ = global ? Rule::kAcquireReleaseGlobal : Rule::kAcquireReleaseBlock;
      } else {
        last_ = global ? Rule::kReleaseGlobal : Rule::kReleaseBlock;
      }
      add(last_);
    }
    std::uint64_t of(Rule rule) const { return counts_[static_cast<std::size_t>(rule)]; }
    std::uint64_t events() const { return events_; }  // so far
    Rule last() const { return last_; }

   private:
    void add(Rule rule) {
      ++counts_[static_cast<std::size_t>(rule)];
      ++events_;
    }
    std::uint64_t events_ = 0;
    std::array<std::uint64_t, kRuleCount> counts_{};
    Rule last_ = Rule::kAcquireGlobal;
  };

  void add(std::uint32_t block, Level level, const Clock& clock) {
    if (is_global(level)) {
      all_.join(clock);
    } else {
      by_block_[block].join(clock);
    }
  }
  std::array<Clock, 3> observed(const Grid& /*grid*/, std::uint32_t block, Level level,
                                bool only) const {
    std::array<Clock, 3> by_level;
    if (!only || level == Level::kBlock) by_level[index(Level::kBlock)] = at_block(block);
    if (only && level == Level::kBlock) return by_level;
    Clock& everywhere = by_level[index(Level::kDevice)];
    everywhere = all_;
    for (const auto& [of, clock] : by_block_) everywhere.join(clock);
    by_level[index(Level::kCluster)] = everywhere;
    return by_level;
  }
  Clock at_block(std::uint32_t block) const {
    Clock clock = all_;
    const auto found = by_block_.find(block);
    if (found != by_block_.end()) clock.join(found->second);
    return clock;
  }

  bool links(const Grid& /*grid*/, std::uint32_t /*block*/, Level /*level*/) const { return true; }
  void written(std::uint32_t /*block*/, Level /*level*/) {}
  bool empty() const { return all_.empty() && by_block_.empty(); }
  std::size_t bytes() const { return by_block_.size() * (sizeof(Clock) + 48); }

 private:
  Clock all_;                                // S_x[b] of every b
  std::map<std::uint32_t, Clock> by_block_;  // besides
};

}  // namespace redflag::gpu::barracuda
