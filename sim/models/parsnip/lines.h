// Lines: what PARSNIP and its software layer know of every 64-byte line of the program.
//
// A LineState holds the Primary and Secondary ParsnipLines, meaningful while they are in cache (one
// content for all caches: coherence sees to it), and software's history, FastTrack's cells. Lines are
// found by page: a hash map, and a small direct-mapped cache in front. Memory: about five times the
// bytes of the pages that the program touched; never given back before the end. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <type_traits>

#include "core/base/flat_map.h"
#include "core/detect/fasttrack/cells.h"
#include "sim/models/parsnip/line.h"

namespace redflag::sim::parsnip {

struct LineState {
  TrackedLine primary;
  TrackedLine secondary;
  bool has_primary;  // in some cache
  bool has_secondary;
  std::array<fasttrack::Cell, 8> cells;
};
static_assert(std::is_trivially_copyable_v<LineState>);

class Lines {
 public:
  static constexpr std::uint64_t kLinesPerPage = 64;

  explicit Lines(std::pmr::memory_resource* memory) : memory_(memory), pages_(memory) {}
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() {
    pages_.for_each([this](std::uint64_t, Page*& page) {
      memory_->deallocate(page, sizeof(Page), alignof(Page));
    });
  }

  LineState& at(std::uint64_t line) {
    Recent& recent = recent_[line / kLinesPerPage % recent_.size()];
    if (recent.number != line / kLinesPerPage) [[unlikely]]
      fill(recent, line / kLinesPerPage);
    return recent.page->lines[line % kLinesPerPage];
  }
  // The line's state will be needed soon; nothing is made for it.
  void prefetch(std::uint64_t line) const {
    const Recent& recent = recent_[line / kLinesPerPage % recent_.size()];
    if (recent.number != line / kLinesPerPage) return;
    const auto* state = reinterpret_cast<const char*>(&recent.page->lines[line % kLinesPerPage]);
    for (std::size_t at = 0; at < sizeof(LineState); at += 64) __builtin_prefetch(state + at);
  }
  LineState* find(std::uint64_t line) {
    Page** page = pages_.find(line / kLinesPerPage);
    return page == nullptr ? nullptr : &(*page)->lines[line % kLinesPerPage];
  }
  template <typename Visitor>  // visitor(line, LineState&)
  void for_each(Visitor visitor) {
    pages_.for_each([&](std::uint64_t number, Page*& page) {
      for (std::uint64_t i = 0; i < kLinesPerPage; ++i) {
        visitor(number * kLinesPerPage + i, page->lines[i]);
      }
    });
  }

 private:
  struct Page {
    LineState lines[kLinesPerPage];
  };
  struct Recent {
    std::uint64_t number = ~std::uint64_t{0};
    Page* page = nullptr;
  };

  [[gnu::noinline]] void fill(Recent& recent, std::uint64_t number) {
    Page*& page = pages_[number];
    if (page == nullptr) {
      page = static_cast<Page*>(memory_->allocate(sizeof(Page), alignof(Page)));
      std::memset(static_cast<void*>(page), 0, sizeof(Page));
    }
    recent = {number, page};
  }

  std::pmr::memory_resource* memory_;
  FlatMap<Page*> pages_;
  std::array<Recent, 4096> recent_{};
};

}  // namespace redflag::sim::parsnip
