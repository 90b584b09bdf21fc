// CommonMemory: the pages that other processes reach, as ranges: windows of a job, buffers of operations under way.
//
// Pages that were common once stay so: buffers come and go with every operation, mostly the same
// ones. When there are too many ranges, neighbours become one with what is between them: more is then
// taken to be common than is, which costs time and hides nothing.
//
// One writer at a time, any number of readers, who take no lock and try again when something changed
// under them. Readers use whole numbers only (sampling.cpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace redflag::rt {

class CommonMemory {
 public:
  static constexpr std::size_t kMost = 256;  // ranges
  static constexpr std::uint64_t kPage = 4096;

  // Whether something was added that was not common before.
  bool add(std::uint64_t begin, std::uint64_t end) {
    begin &= ~(kPage - 1);
    end = (end + kPage - 1) & ~(kPage - 1);
    if (begin >= end) return false;
    // The ranges that it touches are [first, last).
    const std::size_t count = get(count_);
    std::size_t first = 0;
    while (first < count && get(ends_[first]) < begin) ++first;
    std::size_t last = first;
    while (last < count && get(begins_[last]) <= end) ++last;
    if (last == first + 1 && get(begins_[first]) <= begin && get(ends_[first]) >= end) return false;
    version_.fetch_add(1, std::memory_order_acq_rel);
    if (first == last) {
      insert(first, begin, end);
    } else {
      if (get(begins_[first]) > begin) put(begins_[first], begin);
      const std::uint64_t far = get(ends_[last - 1]);
      put(ends_[first], far > end ? far : end);
      remove(first + 1, last);
    }
    version_.fetch_add(1, std::memory_order_release);
    return true;
  }

  bool contains(std::uint64_t address) const {
    for (;;) {
      const std::uint64_t version = version_.load(std::memory_order_acquire);
      if (version % 2 != 0) continue;
      const bool found = find(address);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (version_.load(std::memory_order_relaxed) == version) return found;
    }
  }

  bool is_empty() const { return get(count_) == 0; }
  // Grows when something is added.
  std::uint64_t version() const { return version_.load(std::memory_order_relaxed); }

 private:
  using Word = std::atomic<std::uint64_t>;
  static std::uint64_t get(const Word& word) { return word.load(std::memory_order_relaxed); }
  static void put(Word& word, std::uint64_t value) { word.store(value, std::memory_order_relaxed); }

  bool find(std::uint64_t address) const {
    std::size_t low = 0;
    std::size_t high = get(count_);
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (get(ends_[middle]) > address) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low < get(count_) && get(begins_[low]) <= address;
  }

  void insert(std::size_t at, std::uint64_t begin, std::uint64_t end) {
    if (get(count_) == kMost) at -= join_nearest() < at ? 1 : 0;
    for (std::size_t i = get(count_); i > at; --i) {
      put(begins_[i], get(begins_[i - 1]));
      put(ends_[i], get(ends_[i - 1]));
    }
    put(begins_[at], begin);
    put(ends_[at], end);
    put(count_, get(count_) + 1);
    // What was joined may have come to lie around it.
    if (at > 0 && get(ends_[at - 1]) >= begin) {
      if (get(ends_[at - 1]) < end) put(ends_[at - 1], end);
      remove(at, at + 1);
    }
  }

  // The two with the least between them; the number of the one that is gone.
  std::size_t join_nearest() {
    std::size_t best = 1;
    for (std::size_t i = 2; i < get(count_); ++i) {
      const auto gap = [this](std::size_t k) { return get(begins_[k]) - get(ends_[k - 1]); };
      if (gap(i) < gap(best)) best = i;
    }
    put(ends_[best - 1], get(ends_[best]));
    remove(best, best + 1);
    return best;
  }

  void remove(std::size_t first, std::size_t last) {
    const std::size_t count = get(count_);
    for (std::size_t i = last; i < count; ++i) {
      put(begins_[first + i - last], get(begins_[i]));
      put(ends_[first + i - last], get(ends_[i]));
    }
    put(count_, count - (last - first));
  }

  Word version_{0};  // odd: it is being changed
  Word count_{0};
  Word begins_[kMost + 1] = {};
  Word ends_[kMost + 1] = {};
};

}  // namespace redflag::rt
