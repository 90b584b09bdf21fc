// Stacks: where the threads' stacks are, as the trace says: the first event of a thread is the
// allocation of its stack (docs/how/trace-format.md).
//
// The paper takes what lies on a stack for its thread's own and does not check it (section 5). A
// thread whose first event is another one has no stack that is known, as in traces that were written
// by hand; its accesses are all checked.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "core/model/event.h"

namespace redflag::sim::parsnip {

class Stacks {
 public:
  // Every event in its order, but for `work`.
  void see(const Event& e) {
    if (e.thread == last_) return;
    last_ = e.thread;
    if (!begun_.insert(raw(e.thread)).second || e.kind != EventKind::kAlloc) return;
    // A new stack may lie where one that has ended did.
    std::erase_if(ranges_,
                  [&](const Range& r) { return r.begin < e.object + e.size && e.object < r.end; });
    const Range made{e.object, e.object + e.size};
    ranges_.insert(std::upper_bound(ranges_.begin(), ranges_.end(), made), made);
    known_.fill({});
    whole_pages_ &= e.object % kPage == 0 && e.size % kPage == 0;
  }
  bool contain(std::uint64_t address) {
    Known& known = known_[address / kPage % known_.size()];
    if (known.page == address / kPage) [[likely]]
      return known.inside;
    const bool inside = is_inside(address);
    if (whole_pages_) known = {address / kPage, inside};
    return inside;
  }

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
    friend bool operator<(const Range& a, const Range& b) { return a.begin < b.begin; }
  };
  static constexpr std::uint64_t kPage = 4096;
  struct Known {
    std::uint64_t page = ~std::uint64_t{0};
    bool inside = false;
  };

  bool is_inside(std::uint64_t address) const {
    const auto above = std::upper_bound(ranges_.begin(), ranges_.end(), Range{address, 0});
    return above != ranges_.begin() && address < (above - 1)->end;
  }

  bool whole_pages_ = true;  // as an operating system makes them: then `known_` is of use
  std::array<Known, 512> known_{};
  std::vector<Range> ranges_;  // by their beginnings, apart from each other
  std::unordered_set<std::uint32_t> begun_;
  ThreadId last_{~std::uint32_t{0}};
};

}  // namespace redflag::sim::parsnip
