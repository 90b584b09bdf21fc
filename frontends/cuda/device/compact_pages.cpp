#include "frontends/cuda/device/compact_pages.h"

#include <algorithm>

namespace redflag::device::compact {

CompactPages::~CompactPages() {
  for (const auto& [region, table] : tables_) memory_.free(table);
  for (const std::uint64_t lines : shared_) memory_.free(lines);
  if (tag_bits_ != 0) return;
  for (const auto& [address, page] : pages_) {
    if (page.lines != 0) memory_.free(page.lines);
  }
}

void CompactPages::begin(std::uint64_t state, std::uint64_t regions) {
  state_ = state;
  regions_ = regions;
}

void CompactPages::point(std::uint64_t slot, std::uint64_t to) {
  memory_.write(slot, std::as_bytes(std::span(&to, 1)));
}

std::uint64_t CompactPages::slot_of(std::uint64_t page) {
  const std::uint64_t region = page >> kRegionBits;
  if (region >= kRegions) return 0;
  std::uint64_t& table = tables_[region];
  if (table == 0) {
    Result<std::uint64_t> made = memory_.allocate(kRegionPages * sizeof(std::uint64_t));
    if (!made) {
      tables_.erase(region);
      return 0;
    }
    table = *made;
    point(regions_ + region * sizeof(table), table);
    if (tables_.size() == 1) {
      const std::uint64_t main[2] = {table, region};
      memory_.write(state_ + offsetof(State, main_pages), std::as_bytes(std::span(main)));
    }
  }
  return table + (page >> kPageBits & (kRegionPages - 1)) * sizeof(table);
}

std::uint64_t CompactPages::lines_for() {
  if (tag_bits_ != 0) {
    if (free_.empty()) return 0;
    const std::uint64_t lines = free_.back();
    free_.pop_back();
    return lines;
  }
  Result<std::uint64_t> made = memory_.allocate(kSpareBytes);
  if (!made) return 0;
  ++made_;
  return *made;
}

void CompactPages::give_back(std::uint64_t lines) {
  if (tag_bits_ != 0) {
    free_.push_back(lines);
    return;
  }
  memory_.free(lines);
  --made_;
}

void CompactPages::use(std::uint64_t address) {
  Page& page = pages_[address];
  if (page.users++ != 0) return;
  const std::uint64_t slot = slot_of(address);
  page.lines = slot == 0 ? 0 : lines_for();
  if (page.lines == 0) {
    ++missing_;
    return;
  }
  point(slot, page.lines);
}

void CompactPages::leave(std::uint64_t address) {
  const auto at = pages_.find(address);
  if (at == pages_.end() || --at->second.users != 0) return;
  if (at->second.lines != 0) {
    point(slot_of(address), 0);
    give_back(at->second.lines);
  } else {
    --missing_;
  }
  pages_.erase(at);
}

void CompactPages::clear() {
  if (tag_bits_ != 0) {
    for (const std::uint64_t lines : shared_) memory_.clear(lines, kSpareBytes);
    return;
  }
  for (const auto& [address, page] : pages_) {
    if (page.lines != 0) memory_.clear(page.lines, kSpareBytes);
  }
}

std::uint64_t CompactPages::lines_of(std::uint64_t page) const {
  const auto at = pages_.find(page);
  return at == pages_.end() || tag_bits_ != 0 ? 0 : at->second.lines;
}

// As few pages for each line as there is room for, and a quarter of the room left to the program.
void CompactPages::share() {
  for (auto& [address, page] : pages_) {
    if (tag_bits_ == 0 && page.lines != 0) memory_.free(page.lines);
    page.lines = 0;
  }
  for (const std::uint64_t lines : shared_) memory_.free(lines);
  shared_.clear();
  free_.clear();
  const std::uint64_t room = std::max<std::uint64_t>(memory_.free_bytes() / 4 * 3 / kSpareBytes, 1);
  std::uint64_t wanted = 0;
  for (tag_bits_ = 1; tag_bits_ <= kMostTagBits; ++tag_bits_) {
    wanted = (pages_.size() + (std::uint64_t{1} << tag_bits_) - 1) >> tag_bits_;
    if (wanted <= room) break;
  }
  is_last_resort_ = tag_bits_ > kMostTagBits;
  tag_bits_ = std::min(tag_bits_, kMostTagBits);
  for (std::uint64_t i = 0; i < std::min(wanted, room); ++i) {
    Result<std::uint64_t> lines = memory_.allocate(kSpareBytes);
    if (!lines) {
      is_last_resort_ = true;
      break;
    }
    shared_.push_back(*lines);
    for (std::uint64_t tag = 0; tag < std::uint64_t{1} << tag_bits_; ++tag) {
      free_.push_back(*lines | tag);
    }
  }
  // Neighbours, which are used together, have lines of their own.
  std::sort(free_.begin(), free_.end(), [](std::uint64_t a, std::uint64_t b) {
    return (a & kTagMask) != (b & kTagMask) ? (a & kTagMask) > (b & kTagMask) : a < b;
  });
  made_ = shared_.size();
  missing_ = 0;
  for (auto& [address, page] : pages_) {
    const std::uint64_t slot = slot_of(address);
    page.lines = slot == 0 ? 0 : lines_for();
    if (page.lines == 0) ++missing_;
    if (slot != 0) point(slot, page.lines);
  }
  const std::uint64_t bits = tag_bits_;
  memory_.write(state_ + offsetof(State, tag_bits), std::as_bytes(std::span(&bits, 1)));
}

void CompactPages::forget(std::uint64_t from, std::uint64_t end) {
  const auto drop = [&](std::uint64_t table, std::uint64_t count) {
    std::vector<std::uint64_t> slots(count);
    memory_.read(table, std::as_writable_bytes(std::span(slots)));
    for (std::uint64_t i = 0; i < count; ++i) {
      if (slots[i] >= from && slots[i] < end) point(table + i * sizeof(slots[i]), 0);
    }
  };
  drop(regions_, kRegions);
  for (const auto& [region, table] : tables_) drop(table, kRegionPages);
}

}  // namespace redflag::device::compact
