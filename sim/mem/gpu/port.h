// Port and BoundedQueue: what only one can use at a time, and what only so many can wait for.
//
// Both are asked in the order of time, and answer with a time: the model needs no list of waiting
// requests, since whoever comes knows at once when its turn is. A port knows until when it is in
// use. A queue remembers when each of its last `entries` requests left: who comes when all places
// are taken gets one when the oldest leaves, and whoever sent it waits as long. O(1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/mem/gpu/gpu_machine.h"

namespace redflag::sim {

class Port {
 public:
  // When the use begins.
  Cycle reserve(Cycle at, Cycle cycles) {
    const Cycle begin = std::max(at, free_at_);
    free_at_ = begin + cycles;
    return begin;
  }
  // Nobody uses it before: something behind it is full.
  void block_until(Cycle until) { free_at_ = std::max(free_at_, until); }
  Cycle free_at() const { return free_at_; }
  // When who comes with `room` cycles of work waiting before it may begin to wait.
  Cycle admit(Cycle at, Cycle room) const { return free_at_ > at + room ? free_at_ - room : at; }

 private:
  Cycle free_at_ = 0;
};

class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t entries) : left_(entries, 0) {}

  // When there is a place, from `at` on.
  Cycle admit(Cycle at) const { return std::max(at, left_[next_]); }
  // Who was admitted leaves then; in order, so no earlier than those before.
  void leave(Cycle at) {
    last_ = std::max(last_, at);
    left_[next_] = last_;
    next_ = next_ + 1 == left_.size() ? 0 : next_ + 1;
  }

 private:
  std::vector<Cycle> left_;  // a circle
  std::size_t next_ = 0;     // the oldest
  Cycle last_ = 0;
};

}  // namespace redflag::sim
