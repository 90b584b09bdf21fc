// Replacement: which way of a full set has to leave, as a part of a cache of its own.
//
// A cache says filled() when a line comes in and touched() when it is used; victim() names the way to
// give up. The policies differ only in what they remember:
//
//   lru       the time of the last use of every way; the oldest leaves
//   tree-plru one bit per inner node of a binary tree over the ways, pointing away from the last use;
//             ways must be a power of two
//   fifo      the time at which every way was filled
//   random    nothing; a seeded generator, so that a simulation repeats
//
// Free ways are the cache's business: victim() is asked only for full sets. Cost: O(1) to touch,
// O(ways) to choose for lru and fifo, O(log ways) for tree-plru. No allocation after construction.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/check.h"

namespace redflag::sim {

enum class Policy : std::uint8_t { kLru, kTreePlru, kFifo, kRandom };
inline constexpr std::size_t kPolicyCount = 4;
inline constexpr std::array<std::string_view, kPolicyCount> kPolicyNames{"lru", "tree-plru", "fifo",
                                                                         "random"};
constexpr std::span<const std::string_view> choice_words(Policy) {
  return kPolicyNames;
}

class Replacement {
 public:
  Replacement(Policy policy, std::uint32_t sets, std::uint32_t ways, std::uint64_t seed = 1)
      : policy_(policy), ways_(ways), random_(seed) {
    REDFLAG_CHECK(ways >= 1 && sets >= 1);
    if (policy == Policy::kTreePlru) {
      REDFLAG_CHECK(std::has_single_bit(ways) && ways <= 64 && "tree-plru: 1, 2, 4 ... 64 ways");
      trees_.resize(sets);
    } else if (policy != Policy::kRandom) {
      times_.resize(std::size_t{sets} * ways);
    }
  }

  void touched(std::uint32_t set, std::uint32_t way) {
    if (policy_ == Policy::kLru) [[likely]] {
      times_[std::size_t{set} * ways_ + way] = ++now_;
    } else if (policy_ == Policy::kTreePlru) {
      point_away(trees_[set], way);
    }
  }

  void filled(std::uint32_t set, std::uint32_t way) {
    if (policy_ == Policy::kFifo) {
      times_[std::size_t{set} * ways_ + way] = ++now_;
    } else {
      touched(set, way);
    }
  }

  std::uint32_t victim(std::uint32_t set) {
    switch (policy_) {
      case Policy::kLru:
      case Policy::kFifo:
        return oldest(set);
      case Policy::kTreePlru:
        return pointed_to(trees_[set]);
      case Policy::kRandom:
        break;
    }
    // xorshift64 (Marsaglia): all it has to be is the same in every run.
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return static_cast<std::uint32_t>(random_ % ways_);
  }

  Policy policy() const { return policy_; }

 private:
  std::uint32_t oldest(std::uint32_t set) const {
    const std::uint32_t* at = &times_[std::size_t{set} * ways_];
    std::uint32_t best = 0;
    for (std::uint32_t way = 1; way < ways_; ++way) {
      if (now_ - at[way] > now_ - at[best]) best = way;
    }
    return best;
  }
  // Nodes are numbered as in a heap, from 1; bit n of the tree says that node n points to its right
  // half.
  void point_away(std::uint64_t& tree, std::uint32_t way) const {
    std::uint32_t node = 1;
    for (std::uint32_t half = ways_ / 2; half != 0; half /= 2) {
      const bool right = (way & half) != 0;
      const std::uint64_t bit = std::uint64_t{1} << node;
      tree = right ? tree & ~bit : tree | bit;
      node = 2 * node + (right ? 1 : 0);
    }
  }
  std::uint32_t pointed_to(std::uint64_t tree) const {
    std::uint32_t node = 1;
    while (node < ways_) node = 2 * node + static_cast<std::uint32_t>(tree >> node & 1);
    return node - ways_;
  }

  Policy policy_;
  std::uint32_t ways_;
  std::uint32_t now_ =
      0;  // may wrap: ages count, and lines four thousand million uses old are rare
  std::uint64_t random_;
  std::vector<std::uint32_t> times_;  // by set and way
  std::vector<std::uint64_t> trees_;  // by set
};

}  // namespace redflag::sim
