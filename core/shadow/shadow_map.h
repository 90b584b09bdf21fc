// ShadowMap: from an address of the program to its cell, one cell per granule of 8 bytes.
//
// Two levels: a hash map finds the shadow page of a 4 KiB page of the program (512 cells), a small
// direct-mapped cache in front answers nearly always. Pages appear on first touch, zeroed. A page
// whose cells are all equal may be kept as that one cell (collapse), so that large blocks freed or
// filled at once cost little; it becomes a page again when a part of it is touched. No address range
// is reserved, so it works beside anything that does. Cells are trivially copyable and zero means
// "never accessed". Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <type_traits>

#include "core/base/flat_map.h"
#include "core/model/ids.h"

namespace redflag {

inline constexpr std::uint64_t kGranuleBytes = 8;
inline constexpr std::uint64_t kPageBytes = 4096;
inline constexpr std::uint64_t kCellsPerPage = kPageBytes / kGranuleBytes;

constexpr std::uint64_t page_of(Addr addr) {
  return raw(addr) / kPageBytes;
}

// Calls part(page, begin, end) for each page that [addr, addr + size) touches, begin and end being
// byte offsets in it. Findings never cross a page: so a trace sharded by page gives the same
// findings.
template <typename Part>
void for_each_page(Addr addr, std::uint64_t size, Part part) {
  std::uint64_t at = raw(addr);
  const std::uint64_t end = at + size;
  while (at < end) {
    const std::uint64_t page = at / kPageBytes;
    const std::uint64_t page_end = (page + 1) * kPageBytes;
    const std::uint64_t stop = page_end != 0 && page_end < end ? page_end : end;
    part(page, static_cast<std::uint32_t>(at % kPageBytes),
         static_cast<std::uint32_t>(stop - page * kPageBytes));
    at = stop;
  }
}

// Calls part(granule, cell, low, high) for each granule of bytes [begin, end) of a page: its
// address, the number of its cell, and the bytes [low, high) of it.
template <typename Part>
void for_each_granule(std::uint64_t page, std::uint32_t begin, std::uint32_t end, Part part) {
  for (std::uint32_t offset = begin; offset < end;) {
    const auto first = static_cast<std::uint32_t>(offset / kGranuleBytes * kGranuleBytes);
    const std::uint32_t stop = std::min<std::uint32_t>(first + kGranuleBytes, end);
    part(Addr{page * kPageBytes + first}, first / kGranuleBytes, offset - first, stop - first);
    offset = stop;
  }
}

// Which pages this detector watches, when several share the work (threads, MPI ranks): every one
// sees all synchronisation, and only the accesses of its own pages.
struct Shard {
  std::uint32_t index = 0;
  std::uint32_t count = 1;

  bool owns(std::uint64_t page) const { return count == 1 || mix_bits(page) % count == index; }
};

template <typename Cell>
class ShadowMap {
  static_assert(std::is_trivially_copyable_v<Cell>);

 public:
  struct Page {
    Cell cells[kCellsPerPage];
  };

  explicit ShadowMap(std::pmr::memory_resource* memory)
      : memory_(memory), pages_(memory), whole_(memory), empty_(new_page()) {
    drop_cache();
  }
  ShadowMap(const ShadowMap&) = delete;
  ShadowMap& operator=(const ShadowMap&) = delete;
  ~ShadowMap() {
    pages_.for_each([this](std::uint64_t, Page*& page) { release(page); });
    release(empty_);
  }

  Page& page(std::uint64_t number) {
    Entry& entry = cache_[number % cache_.size()];
    if (entry.number == number) [[likely]]
      return *entry.page;
    return fill(entry, number);
  }

  // The cell if its page is in the cache, and otherwise some other cell: for prefetching, where a
  // wrong guess costs nothing and a branch would.
  const Cell* guess(Addr addr) const {
    return &cache_[page_of(addr) % cache_.size()]
                .page->cells[raw(addr) % kPageBytes / kGranuleBytes];
  }

  // The cell if its page is in the cache; nullptr says nothing about whether the page exists.
  Cell* cached(Addr addr) {
    const std::uint64_t number = page_of(addr);
    const Entry& entry = cache_[number % cache_.size()];
    if (entry.number != number) return nullptr;
    return &entry.page->cells[raw(addr) % kPageBytes / kGranuleBytes];
  }

  // The one cell that stands for the whole page: of a page that was collapsed or never touched.
  // nullptr: the page has cells of its own.
  Cell* whole(std::uint64_t number) {
    Page** found = pages_.find(number);
    return found != nullptr && *found != nullptr ? nullptr : &whole_[number];
  }
  // Keeps an existing page as one cell from now on; its cells must all be worth the same.
  void collapse(std::uint64_t number, Cell all) {
    Page*& page = pages_[number];
    release(page);
    page = nullptr;
    whole_[number] = all;
    cache_[number % cache_.size()] = Entry{kNoPage, empty_};
  }

  // The page if it exists already: for operations that need not create history.
  Page* find(std::uint64_t number) {
    if (Page** found = pages_.find(number); found != nullptr && *found != nullptr) return *found;
    const Cell* all = whole_.find(number);
    return all == nullptr || is_zero(*all) ? nullptr : &page(number);
  }

  template <typename Visitor>  // visitor(page number, Page&) -> bool: keep it
  void retain(Visitor visitor) {
    pages_.retain([&](std::uint64_t number, Page*& page) {
      if (page == nullptr) return false;
      if (visitor(number, *page)) return true;
      release(page);
      return false;
    });
    drop_cache();
  }
  template <typename Visitor>  // visitor(Cell&) -> bool: keep it; for pages kept as one cell
  void retain_whole(Visitor visitor) {
    whole_.retain([&](std::uint64_t, Cell& all) { return visitor(all); });
  }

  template <typename Visitor>  // visitor(page number, const Page&)
  void for_each(Visitor visitor) const {
    pages_.for_each([&](std::uint64_t number, const Page* page) {
      if (page != nullptr) visitor(number, *page);
    });
  }
  template <typename Visitor>  // visitor(const Cell&), for pages kept as one cell
  void for_each_whole(Visitor visitor) const {
    whole_.for_each([&](std::uint64_t, const Cell& all) { visitor(all); });
  }

  std::size_t pages() const { return live_pages_ - 1; }  // without empty_
  std::size_t bytes() const { return live_pages_ * sizeof(Page); }

 private:
  static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};  // page numbers have 52 bits
  struct Entry {
    std::uint64_t number = kNoPage;
    Page* page = nullptr;
  };

  [[gnu::noinline]] Page& fill(Entry& entry, std::uint64_t number) {
    Page*& page = pages_[number];
    if (page == nullptr) {
      page = new_page();
      if (Cell* all = whole_.find(number); all != nullptr) {
        std::fill_n(page->cells, kCellsPerPage, *all);
        *all = Cell{};
      }
    }
    entry = {number, page};
    return *page;
  }
  Page* new_page() {
    auto* page = static_cast<Page*>(memory_->allocate(sizeof(Page), alignof(std::max_align_t)));
    std::memset(static_cast<void*>(page), 0, sizeof(Page));
    ++live_pages_;
    return page;
  }
  void drop_cache() { cache_.fill(Entry{kNoPage, empty_}); }
  static bool is_zero(const Cell& cell) {
    static constexpr Cell kZero{};
    return std::memcmp(&cell, &kZero, sizeof(Cell)) == 0;
  }
  void release(Page* page) {
    if (page == nullptr) return;
    --live_pages_;
    memory_->deallocate(page, sizeof(Page), alignof(std::max_align_t));
  }

  std::pmr::memory_resource* memory_;
  std::size_t live_pages_ = 0;
  FlatMap<Page*> pages_;
  FlatMap<Cell> whole_;  // by page number; what stands for a page that has none in pages_
  Page* empty_;          // what cache entries without a page point to
  std::array<Entry, 4096> cache_;
};

}  // namespace redflag
