// Metadata of device memory: entries by number, and the memory's pages as a device would have them.
//
// MetadataTable makes entries when they are first touched and makes all of them new with one number
// when a launch begins: kernels are checked one by one, as ScoRD and iGUARD do it. Pages of entries
// are kept for the next launch.
//
// DevicePages numbers the pages of an address space in the order of their first use. ScoRD and
// iGUARD index metadata by physical address, of a memory that begins at 0 and has a size; the
// emulator's addresses are pointers all over the host's. O(1); one thread at a time; memory from
// the given resource.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <unordered_map>
#include <vector>

namespace redflag::gpu {

template <typename Entry>
class MetadataTable {
 public:
  explicit MetadataTable(std::pmr::memory_resource* memory) : memory_(memory), pages_(memory) {}
  MetadataTable(const MetadataTable&) = delete;
  MetadataTable& operator=(const MetadataTable&) = delete;
  ~MetadataTable() {
    for (Page* page : pages_) {
      if (page != nullptr) memory_->deallocate(page, sizeof(Page), alignof(Page));
    }
  }

  Entry& at(std::uint64_t index) {
    Page* page = page_of(index >> kBits);
    return page->entries[index & (kEntries - 1)];
  }
  // All entries are as new.
  void restart() { ++launch_; }
  std::size_t bytes() const { return made_ * sizeof(Page) + pages_.capacity() * sizeof(Page*); }

 private:
  static constexpr unsigned kBits = 9;
  static constexpr std::uint64_t kEntries = std::uint64_t{1} << kBits;
  struct Page {
    std::uint64_t launch;
    std::array<Entry, kEntries> entries;
  };

  Page* page_of(std::uint64_t number) {
    if (number >= pages_.size()) pages_.resize(number + 1, nullptr);
    Page*& page = pages_[number];
    if (page == nullptr) {
      page = static_cast<Page*>(memory_->allocate(sizeof(Page), alignof(Page)));
      page->launch = launch_ - 1;
      ++made_;
    }
    if (page->launch != launch_) {
      page->launch = launch_;
      page->entries.fill(Entry{});
    }
    return page;
  }

  std::pmr::memory_resource* memory_;
  std::pmr::vector<Page*> pages_;
  std::uint64_t launch_ = 1;
  std::size_t made_ = 0;
};

class DevicePages {
 public:
  explicit DevicePages(std::pmr::memory_resource* memory) : pages_(memory) {}

  std::uint64_t physical(std::uint64_t address) {
    const std::uint64_t page = address >> kBits;
    Seen& seen = seen_[page % seen_.size()];
    if (seen.page != page || seen.number == kNone) {
      seen = {page, pages_.try_emplace(page, pages_.size()).first->second};
    }
    return seen.number << kBits | (address & ((std::uint64_t{1} << kBits) - 1));
  }

 private:
  static constexpr unsigned kBits = 16;
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  struct Seen {
    std::uint64_t page = 0;
    std::uint64_t number = kNone;
  };
  std::pmr::unordered_map<std::uint64_t, std::uint64_t> pages_;
  std::array<Seen, 64> seen_{};
};

}  // namespace redflag::gpu
