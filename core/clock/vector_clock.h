// VectorClock: for every slot, how much of its history is known (Fidge, Mattern; FastTrack section
// 3).
//
// A missing entry is 0. join and covers(clock) are O(slots), covers(epoch) is O(1). Memory comes
// from the resource given at construction. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "core/clock/epoch.h"

namespace redflag {

class VectorClock {
 public:
  explicit VectorClock(std::pmr::memory_resource* memory) : clocks_(memory) {}
  // A copy by accident would take memory from the default resource; assign() says which it means.
  VectorClock(const VectorClock&) = delete;
  VectorClock& operator=(const VectorClock&) = delete;
  VectorClock(VectorClock&&) = default;
  VectorClock& operator=(VectorClock&&) = default;

  std::uint64_t operator[](Slot slot) const {
    const auto i = static_cast<std::size_t>(slot);
    return i < clocks_.size() ? clocks_[i] : 0;
  }
  void set(Slot slot, std::uint64_t clock) {
    const auto i = static_cast<std::size_t>(slot);
    if (i >= clocks_.size()) clocks_.resize(i + 1);
    clocks_[i] = clock;
  }

  // Does everything up to `epoch` happen before the moment this clock describes?
  bool covers(Epoch epoch) const { return epoch.clock() <= (*this)[epoch.slot()]; }
  bool covers(const VectorClock& other) const {
    for (std::size_t i = 0; i < other.clocks_.size(); ++i) {
      if (other.clocks_[i] > (i < clocks_.size() ? clocks_[i] : 0)) return false;
    }
    return true;
  }

  void join(const VectorClock& other) {
    if (other.clocks_.size() > clocks_.size()) clocks_.resize(other.clocks_.size());
    const std::uint64_t* from = other.clocks_.data();
    std::uint64_t* to = clocks_.data();
    for (std::size_t i = 0, n = other.clocks_.size(); i < n; ++i) to[i] = std::max(to[i], from[i]);
  }
  void assign(const VectorClock& other) {
    clocks_.assign(other.clocks_.begin(), other.clocks_.end());
  }
  // Keeps, for every slot, the smaller value: what both know.
  void meet(const VectorClock& other) {
    if (clocks_.size() > other.clocks_.size()) clocks_.resize(other.clocks_.size());
    for (std::size_t i = 0; i < clocks_.size(); ++i) {
      clocks_[i] = std::min(clocks_[i], other.clocks_[i]);
    }
  }
  void clear() { clocks_.clear(); }
  bool empty() const { return clocks_.empty(); }
  std::size_t size() const { return clocks_.size(); }

 private:
  std::pmr::vector<std::uint64_t> clocks_;
};

}  // namespace redflag
