// PhysicalMemory: where the program's memory is in the device's, page by page.
//
// Allocations get pages in the order in which they are made, one behind the other, as the paper's
// simulator gives them; memory that nobody told of gets its pages when it is first used. So the
// device's memory begins at 0 and is as large as what the program has of it: caches, channels and
// metadata are indexed by it. Freed pages are given to the next allocation of the same address only.
// O(1) for pages used lately.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

namespace redflag::sim {

class PhysicalMemory {
 public:
  void allocate(std::uint64_t address, std::uint64_t bytes) {
    if (bytes == 0) return;
    for (std::uint64_t page = address >> kPageBits; page <= (address + bytes - 1) >> kPageBits;
         ++page) {
      pages_.try_emplace(page, pages_.size());
    }
  }
  std::uint64_t physical(std::uint64_t address) {
    const std::uint64_t page = address >> kPageBits;
    Seen& seen = seen_[page % seen_.size()];
    if (seen.page != page) seen = {page, pages_.try_emplace(page, pages_.size()).first->second};
    return seen.number << kPageBits | (address & (kPageBytes - 1));
  }
  std::uint64_t bytes() const { return pages_.size() << kPageBits; }  // so far

 private:
  static constexpr unsigned kPageBits = 12;
  static constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageBits;
  struct Seen {
    std::uint64_t page = ~std::uint64_t{0};
    std::uint64_t number = 0;
  };
  std::unordered_map<std::uint64_t, std::uint64_t> pages_;
  std::array<Seen, 1024> seen_{};
};

}  // namespace redflag::sim
