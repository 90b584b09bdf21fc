// RaceList: distinct races of a detector, in the order of their first appearance, each with its
// count.
//
// Two races are one when class, sites and what would be enough are the same: whoever repeats a racy
// line a million times reads of it once. Beyond `most` only the number is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/detect/gpu/gpu_race.h"

namespace redflag::gpu {

class RaceList {
 public:
  RaceList(std::size_t most, std::function<void(const GpuRace&)> on_race,
           std::pmr::memory_resource* memory)
      : most_(most), on_race_(std::move(on_race)), races_(memory), keys_(memory) {}

  void put(const GpuRace& race) {
    std::uint64_t key = std::uint64_t{raw(race.first.site)} << 32 | raw(race.second.site);
    key = (key ^ static_cast<std::uint64_t>(race.kind) << 8 ^
           static_cast<std::uint64_t>(race.enough)) *
          0x9E3779B97F4A7C15ULL;
    const auto [at, is_new] = keys_.try_emplace(key, races_.size());
    if (!is_new) {
      if (at->second < races_.size()) ++races_[at->second].count;
      return;
    }
    if (races_.size() >= most_) {
      at->second = ~std::size_t{0};
      ++dropped_;
      return;
    }
    races_.push_back(race);
    if (on_race_) on_race_(race);
  }

  std::vector<GpuRace> all() const { return {races_.begin(), races_.end()}; }
  std::size_t size() const { return races_.size(); }
  std::uint64_t dropped() const { return dropped_; }

 private:
  std::size_t most_;
  std::function<void(const GpuRace&)> on_race_;
  std::pmr::vector<GpuRace> races_;
  std::pmr::unordered_map<std::uint64_t, std::size_t> keys_;  // to races_; beyond its end: dropped
  std::uint64_t dropped_ = 0;
};

}  // namespace redflag::gpu
