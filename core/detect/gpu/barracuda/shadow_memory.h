// ShadowMemory: the entries of global and shared memory, in a table of pages (section 5.5.3).
//
// The paper has an entry for every byte. Here a page begins with one for every four bytes, and gets
// one for each byte with the first access that is not of whole words; so most accesses cost one entry,
// and none is imprecise. Pages are made on demand, of 1 KiB of memory each (the paper's are of 1 MiB,
// for a device). A launch finds all of them new: kernels are checked one by one. Shared memory has
// its pages by block; they go when the block ends.
//
// O(1); one thread at a time; pages come from the given resource.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "core/detect/gpu/barracuda/history.h"
#include "core/detect/gpu/barracuda/shadow_entry.h"

namespace redflag::gpu::barracuda {

class ShadowMemory {
 public:
  static constexpr unsigned kPageBits = 10;
  static constexpr unsigned kPageSize = 1U << kPageBits;
  static constexpr unsigned kWord = 4;

  explicit ShadowMemory(std::pmr::memory_resource* memory);
  ShadowMemory(const ShadowMemory&) = delete;
  ShadowMemory& operator=(const ShadowMemory&) = delete;
  ~ShadowMemory();

  // f(entry, address, bytes) for all entries of [address, address + size).
  template <typename F>
  void entries(std::uint64_t address, unsigned size, F f) {
    while (size > 0) {
      const auto offset = static_cast<unsigned>(address & (kPageSize - 1));
      const unsigned here = std::min(size, kPageSize - offset);
      Page& page = page_at(address >> kPageBits);
      if (page.bytes == nullptr && (offset | here) % kWord == 0) {
        for (unsigned at = offset; at < offset + here; at += kWord) {
          f(page.words[at / kWord], address - offset + at, kWord);
        }
      } else {
        if (page.bytes == nullptr) to_bytes(page);
        for (unsigned at = offset; at < offset + here; ++at) {
          f(page.bytes[at], address - offset + at, 1U);
        }
      }
      address += here;
      size -= here;
    }
  }

  History& history(ShadowEntry& entry) {
    if (entry.others == nullptr) entry.others = new_history();
    return *entry.others;
  }
  void drop_history(ShadowEntry& entry) {
    if (entry.others == nullptr) return;
    free_.push_back(entry.others);
    entry.others = nullptr;
  }

  void restart();  // all entries are as new
  void forget(std::uint64_t address, std::uint64_t size);
  void forget_block(std::uint64_t block, std::uint64_t shared_bytes);
  std::size_t bytes() const;

 private:
  struct Page {
    std::uint64_t launch = 0;
    ShadowEntry* words = nullptr;
    ShadowEntry* bytes = nullptr;  // instead, where there is one for each byte
    bool is_shared = false;
  };
  struct Seen {
    std::uint64_t number = 0;
    Page* page = nullptr;
  };
  static constexpr std::size_t kSeen = 256;

  Page& page_at(std::uint64_t number) {
    Seen& seen = seen_[number % kSeen];
    if (seen.page == nullptr || seen.number != number) seen = {number, find(number)};
    if (seen.page->launch != launch_) renew(*seen.page);
    return *seen.page;
  }
  Page* find(std::uint64_t number);
  void renew(Page& page);
  void clear(Page& page);
  void to_bytes(Page& page);
  void forget_in(std::uint64_t number, Page& page, std::uint64_t address, std::uint64_t end);
  History* new_history();
  ShadowEntry* new_entries(unsigned count);
  void delete_entries(ShadowEntry* entries, unsigned count);

  std::pmr::memory_resource* memory_;
  std::pmr::unordered_map<std::uint64_t, Page> pages_;
  std::array<Seen, kSeen> seen_{};
  std::vector<ShadowEntry*> spare_;  // words of pages that went
  std::vector<std::unique_ptr<History>> histories_;
  std::size_t used_ = 0;        // of these, in the present launch
  std::vector<History*> free_;  // again
  std::uint64_t launch_ = 1;
  std::size_t entries_ = 0;
};

}  // namespace redflag::gpu::barracuda
