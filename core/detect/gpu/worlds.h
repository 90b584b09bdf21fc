// Worlds: the real order, and the orders as they would be with wider scopes or with missing fences.
//
// Only a race asks for the others, and most programs have none. So deeds are applied to the real world and
// written down; the others are brought up to date when a race wants to know what would have been
// enough. What is written down is bounded: beyond that the others begin anew from what the real world
// knows then, so that only changes to the last million deeds are considered.
#pragma once

#include <memory>
#include <vector>

#include "core/detect/gpu/gpu_race.h"
#include "core/detect/gpu/ordering.h"

namespace redflag::gpu {

template <typename Clocks>
class Worlds {
 public:
  // `budget`: runs of clocks that may be joined for explaining, in all.
  Worlds(World real, bool explain, std::uint64_t budget) : real_(real), base_(real) {
    if (!explain) return;
    budget_ = budget;
    const auto add = [&](World world, Enough enough) {
      world.atomics_acquire = real.atomics_acquire;
      world.any_fence_travels = real.any_fence_travels;
      world.implied_volatile |= real.implied_volatile;
      others_.push_back({std::make_unique<Ordering<Clocks>>(world), enough});
    };
    // From the smallest change to the largest: the first world in which a pair is ordered names it.
    add({.wide_fences = true}, Enough::kWiderFence);
    add({.wide_fences = true, .wide_atomics = true}, Enough::kWiderAtomic);
    add({.implied_acquire = true}, Enough::kAcquireFence);
    add({.wide_fences = true, .wide_atomics = true, .implied_release = true},
        Enough::kReleaseFence);
    add({.wide_fences = true,
         .wide_atomics = true,
         .implied_release = true,
         .implied_acquire = true},
        Enough::kReleaseFence);
    if (real.implied_volatile) return;
    add({.wide_fences = true,
         .wide_atomics = true,
         .implied_release = true,
         .implied_acquire = true,
         .implied_volatile = true},
        Enough::kReleaseFence);
    by_volatile_ = others_.size() - 1;
  }

  void begin(const Grid& grid) {
    real_.begin(grid);
    base_.begin(grid);
    restart();
  }
  void end() {
    begin(Grid{});
    for (Other& other : others_) other.order->begin(Grid{});
    written_.shrink_to_fit();
  }

  void does(const Deed& deed) {
    real_.does(deed);
    if (budget_ == 0) return;
    if (written_.size() == kMostWritten) {
      base_.take_over(real_);
      restart();
      return;
    }
    written_.push_back(deed);
  }

  Ordering<Clocks>& real() { return real_; }

  // The smallest change under which `lane` of the warp knows `thread` up to `time`. Volatile data is its
  // own signal: where both are, a signal by volatile accesses tells nothing.
  Enough would_order(const WarpAt& at, unsigned lane, ThreadIndex thread, Time time,
                     bool both_volatile) {
    catch_up();
    if (budget_ == 0) return Enough::kNothingKnown;
    for (std::size_t i = 0; i < others_.size(); ++i) {
      if (both_volatile && i == by_volatile_) continue;
      Clocks& clocks = others_[i].order->clocks;
      if (clocks.knows(clocks.known(at, lane), at, thread, time)) return others_[i].enough;
    }
    return Enough::kNothingKnown;
  }

  std::size_t bytes() const {
    std::size_t sum = real_.bytes() + base_.bytes() + written_.capacity() * sizeof(Deed);
    for (const Other& other : others_) sum += other.order->bytes();
    return sum;
  }

 private:
  static constexpr std::size_t kMostWritten = std::size_t{1} << 20;
  struct Other {
    std::unique_ptr<Ordering<Clocks>> order;
    Enough enough;
  };

  void restart() {
    written_.clear();
    caught_up_ = 0;
    begun_ = false;
  }

  void catch_up() {
    if (budget_ == 0) return;
    const std::uint64_t before = Clocks::Clock::work();
    for (Other& other : others_) {
      if (!begun_) other.order->take_over(base_);
      for (std::size_t i = caught_up_; i < written_.size(); ++i) {
        other.order->does(written_[i]);
        if (Clocks::Clock::work() - before > budget_) return give_up();
      }
    }
    begun_ = true;
    caught_up_ = written_.size();
    budget_ -= Clocks::Clock::work() - before;
  }
  void give_up() {
    budget_ = 0;
    restart();
    for (Other& other : others_) other.order->begin(Grid{});
  }

  Ordering<Clocks> real_;
  Ordering<Clocks> base_;  // what the others begin with
  std::vector<Other> others_;
  std::size_t by_volatile_ = ~std::size_t{0};  // of others_: a volatile access may be the signal
  std::vector<Deed> written_;                  // since `base_`
  std::size_t caught_up_ = 0;                  // of these, the others have done so many
  bool begun_ = false;
  std::uint64_t budget_ = 0;  // 0: nothing is explained (any more)
};

}  // namespace redflag::gpu
