#include "frontends/cuda/device/compact_flat_pages.h"

#include <span>

namespace redflag::device::compact {
namespace {

constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageBits;

}  // namespace

CompactFlatPages::~CompactFlatPages() {
  for (const auto& [address, page] : pages_) memory_.free(page.cells);
  if (table_ != 0) memory_.free(table_);
}

void CompactFlatPages::point(std::uint64_t page, std::uint64_t cells) {
  const std::uint64_t index = page >> kPageBits & (kRegionPages - 1);
  memory_.write(table_ + index * sizeof(cells), std::as_bytes(std::span(&cells, 1)));
}

bool CompactFlatPages::has_table(std::uint64_t region) {
  if (table_ != 0) return region == region_;
  const Result<std::uint64_t> made = memory_.allocate(kRegionPages * sizeof(std::uint64_t));
  if (!made) return false;
  table_ = *made;
  region_ = region;
  const std::uint64_t words[] = {table_, region_};
  memory_.write(state_ + layout_.table_at, std::as_bytes(std::span(words)));
  return true;
}

bool CompactFlatPages::use(std::uint64_t begin, std::uint64_t end, std::uint64_t room) {
  if (used_.contains(begin)) return true;
  if (state_ == 0 || begin >= end) return false;
  const std::uint64_t first = begin / kPageBytes * kPageBytes;
  // The table is of one region.
  if (begin >> kRegionBits != (end - 1) >> kRegionBits) return false;
  std::uint64_t missing = 0;
  for (std::uint64_t page = first; page < end; page += kPageBytes) {
    missing += pages_.contains(page) ? 0 : layout_.page_bytes;
  }
  if (missing > room || missing > memory_.free_bytes() / 2) return false;
  if (!has_table(begin >> kRegionBits)) return false;
  used_[begin] = end;
  for (std::uint64_t page = first; page < end; page += kPageBytes) {
    Page& one = pages_[page];
    ++one.users;
    if (one.cells != 0) continue;
    const Result<std::uint64_t> made = memory_.allocate(layout_.page_bytes);
    if (!made) {
      // What has been made is given back; this one, and those behind it, have no users yet.
      pages_.erase(page);
      used_[begin] = page;
      leave(begin);
      return false;
    }
    one.cells = *made;
    point(page, one.cells);
  }
  return true;
}

void CompactFlatPages::leave(std::uint64_t begin) {
  const auto at = used_.find(begin);
  if (at == used_.end()) return;
  for (std::uint64_t page = begin / kPageBytes * kPageBytes; page < at->second;
       page += kPageBytes) {
    const auto one = pages_.find(page);
    if (one == pages_.end() || --one->second.users != 0) continue;
    point(page, 0);
    memory_.free(one->second.cells);
    pages_.erase(one);
  }
  used_.erase(at);
}

std::uint32_t CompactFlatPages::next_stamp(bool is_idle) {
  if (stamp_ == layout_.last_stamp) {
    if (!is_idle) return 0;
    for (const auto& [address, page] : pages_) memory_.clear(page.cells, layout_.page_bytes);
    stamp_ = 0;
  }
  return ++stamp_;
}

}  // namespace redflag::device::compact
