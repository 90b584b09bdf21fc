// History: who accessed a location besides the two epochs of its entry.
//
// The paper's "unordered map from TIDs to clocks" for locations that were read concurrently. Here an
// element is what one instruction of a warp did, with its lanes, and not only reads are kept:
//   reads           of others than the entry's, ordered with none of them
//   atomic reads    of newer PTX; no plain write may be concurrent with them
//   atomic writes   stores and reductions whose order nobody knows, and lanes of one instruction
//   plain writes    before an atomic one; lanes that wrote the same value together
// An access takes out what it stands for (rules.h). Among few elements it looks at all; in a large
// history only at the last ones, until it has doubled: then all are gone through, and of each warp
// the latest of every kind is kept. So adding is O(1) on average.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "core/detect/gpu/barracuda/rules.h"
#include "core/detect/gpu/sparse_clock.h"

namespace redflag::gpu::barracuda {

struct Touch {
  ThreadIndex warp = 0;  // of lane 0
  Time time = 0;
  Lanes lanes = 0;
  std::uint32_t site : 24 = 0;
  std::uint32_t access : 8 = 0;

  Access kind() const { return static_cast<Access>(access); }
};
static_assert(sizeof(Touch) == 16);

inline Touch touch(ThreadIndex warp, Time time, Lanes lanes, Access access, std::uint32_t site) {
  Touch out;
  out.warp = warp;
  out.time = time;
  out.lanes = lanes;
  out.site = site & 0xFFFFFF;
  out.access = static_cast<std::uint8_t>(access);
  return out;
}

class History {
 public:
  History() { all_.reserve(kNear); }
  bool has(Access access) const { return (kinds_ >> static_cast<unsigned>(access) & 1) != 0; }
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  std::size_t bytes() const { return sizeof(*this) + all_.capacity() * sizeof(Touch); }
  void clear() {
    all_.clear();
    prune_at_ = kFew;
    kinds_ = 0;
  }

  // f(touch) for those that conflict with `now`.
  template <typename F>
  void conflicting(Access now, F f) const {
    if ((kinds_ & conflicts_with(now)) == 0) return;
    for (const Touch& one : all_) {
      if (conflict(one.kind(), now)) f(one);
    }
  }
  void erase(Access access) {
    if (!has(access)) return;
    std::erase_if(all_, [&](const Touch& one) { return one.kind() == access; });
    kinds_ &= ~bit(access);
  }
  // behind(touch): it is ordered before `now`.
  template <typename Behind>
  void add(const Touch& now, Behind behind) {
    const auto taken = [&](Touch& one) {
      if (!stands_for(now.kind(), one.kind())) return false;
      if (one.warp == now.warp && one.kind() == now.kind()) one.lanes &= ~now.lanes;
      return one.lanes == 0 || behind(one);
    };
    if (all_.size() >= prune_at_) {
      std::erase_if(all_, taken);
      if (all_.size() >= kFew) keep_latest();
      prune_at_ = std::max<std::size_t>(kFew, 2 * all_.size());
    } else {
      const std::size_t from = all_.size() > kNear ? all_.size() - kNear : 0;
      for (std::size_t i = all_.size(); i > from; --i) {
        if (!taken(all_[i - 1])) continue;
        all_[i - 1] = all_.back();
        all_.pop_back();
      }
    }
    all_.push_back(now);
    kinds_ |= bit(now.kind());
  }
  // A reader that nothing orders with the one that follows it: the common case of shared data.
  void add_reader(const Touch& now) {
    if (all_.size() >= prune_at_) return add(now, [](const Touch&) { return false; });
    const std::size_t from = all_.size() > kNear ? all_.size() - kNear : 0;
    for (std::size_t i = all_.size(); i > from; --i) {
      Touch& one = all_[i - 1];
      if (one.warp != now.warp || one.kind() != Access::kRead) continue;
      one.lanes &= ~now.lanes;
      if (one.lanes != 0) continue;
      one = now;
      return;
    }
    all_.push_back(now);
    kinds_ |= bit(Access::kRead);
  }
  void copy(const History& other) { *this = other; }

 private:
  static constexpr std::size_t kFew = 16;
  static constexpr std::size_t kNear = 8;

  static constexpr std::uint8_t bit(Access access) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(access));
  }
  static constexpr std::uint8_t conflicts_with(Access now) {
    std::uint8_t all = 0;
    for (const Access one :
         {Access::kRead, Access::kWrite, Access::kAtomicRead, Access::kAtomicWrite}) {
      if (conflict(one, now)) all |= bit(one);
    }
    return all;
  }
  // A lane's later access of a kind stands for its earlier ones.
  void keep_latest() {
    std::sort(all_.begin(), all_.end(), [](const Touch& a, const Touch& b) {
      return std::tuple(a.warp, a.access, b.time) < std::tuple(b.warp, b.access, a.time);
    });
    Lanes seen = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const bool same =
          i > 0 && all_[i - 1].warp == all_[i].warp && all_[i - 1].access == all_[i].access;
      if (!same) seen = 0;
      all_[i].lanes &= ~seen;
      seen |= all_[i].lanes;
    }
    std::erase_if(all_, [](const Touch& one) { return one.lanes == 0; });
  }

  std::vector<Touch> all_;
  std::size_t prune_at_ = kFew;
  std::uint8_t kinds_ = 0;
};

}  // namespace redflag::gpu::barracuda
