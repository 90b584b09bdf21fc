// EventQueue: what happens when, next first; at one time in the order in which it was put.
//
// A circle of lists, one for each of the next kSpan cycles; what is farther away waits in a heap
// until the circle reaches it. Putting and taking are O(1) for near events, which all but refused
// ones are. The lists' nodes come from one pool, the one that was freed last first: those in use are
// few, and stay in the host's caches. Nothing may be put before the time of the last that was taken.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/check.h"
#include "sim/mem/gpu/gpu_machine.h"

namespace redflag::sim {

template <typename Event>
class EventQueue {
 public:
  EventQueue() { lists_.fill({kNone, kNone}); }

  void put(Cycle at, const Event& event) {
    REDFLAG_CHECK(at >= now_);
    ++size_;
    if (at - now_ < kSpan) return put_near(at, event);
    far_.push_back({at, order_++, event});
    std::push_heap(far_.begin(), far_.end(), later);
  }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  Cycle now() const { return now_; }

  // The next event; now() is its time.
  Event take() {
    List* list = &lists_[now_ % kSpan];
    while (list->first == kNone) {
      used_[now_ % kSpan / 64] &= ~(std::uint64_t{1} << now_ % 64);
      advance();
      list = &lists_[now_ % kSpan];
    }
    const std::uint32_t taken = list->first;
    Node& node = nodes_[taken];
    list->first = node.next;
    node.next = free_;
    free_ = taken;
    --size_;
    return node.event;
  }

 private:
  static constexpr std::size_t kSpan = 4096;
  struct Far {
    Cycle at;
    std::uint64_t order;
    Event event;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Node {
    Event event;
    std::uint32_t next = kNone;
  };
  struct List {
    std::uint32_t first, last;
  };
  static bool later(const Far& a, const Far& b) {
    return a.at != b.at ? a.at > b.at : a.order > b.order;
  }

  void put_near(Cycle at, const Event& event) {
    std::uint32_t node = free_;
    if (node == kNone) {
      node = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
    } else {
      free_ = nodes_[node].next;
    }
    nodes_[node] = {event, kNone};
    List& list = lists_[at % kSpan];
    (list.first == kNone ? list.first : nodes_[list.last].next) = node;
    list.last = node;
    used_[at % kSpan / 64] |= std::uint64_t{1} << at % 64;
  }
  // To the next list in use; what is now near enough comes in from the heap.
  void advance() {
    Cycle next = now_ + kSpan;  // nothing near
    for (std::size_t step = 0; step <= used_.size(); ++step) {
      const std::size_t word = (now_ / 64 + step) % used_.size();
      std::uint64_t bits = used_[word];
      if (step == 0) bits &= ~std::uint64_t{0} << now_ % 64;
      if (step == used_.size()) bits &= ~(~std::uint64_t{0} << now_ % 64);
      if (bits == 0) continue;
      next = now_ / 64 * 64 + step * 64 + static_cast<unsigned>(std::countr_zero(bits));
      break;
    }
    if (!far_.empty() && next == now_ + kSpan) next = far_.front().at;
    now_ = next;
    while (!far_.empty() && far_.front().at - now_ < kSpan) {
      put_near(far_.front().at, far_.front().event);
      std::pop_heap(far_.begin(), far_.end(), later);
      far_.pop_back();
    }
  }

  std::array<List, kSpan> lists_;  // the first of now_'s is the next event
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNone;
  std::array<std::uint64_t, kSpan / 64> used_{};
  std::vector<Far> far_;
  std::size_t size_ = 0;
  std::uint64_t order_ = 0;
  Cycle now_ = 0;
};

}  // namespace redflag::sim
