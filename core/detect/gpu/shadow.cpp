#include "core/detect/gpu/shadow.h"

#include <utility>

namespace redflag::gpu {

std::unique_ptr<Shadow::Cell[]> Shadow::new_cells(unsigned count) {
  cells_ += count;
  return std::make_unique<Cell[]>(count);
}

void Shadow::to_bytes(Page& page) {
  std::unique_ptr<Cell[]> cells = new_cells(kPageSize);
  for (unsigned i = 0; i < kPageSize; ++i) {
    cells[i] = page.cells[i / kWordSize];
    if (cells[i].set == 0 || i % kWordSize == 0) continue;
    const std::uint32_t copy = new_set();
    sets_[copy] = sets_[cells[i].set];
    cells[i].set = copy;
  }
  cells_ -= kPageSize / kWordSize;
  page.cells = std::move(cells);
  page.unit = 1;
}

std::uint32_t Shadow::new_set() {
  if (free_.empty()) {
    sets_.emplace_back();
    return static_cast<std::uint32_t>(sets_.size() - 1);
  }
  const std::uint32_t set = free_.back();
  free_.pop_back();
  return set;
}

void Shadow::free_set(Cell& c) {
  sets_[c.set] = {};
  free_.push_back(c.set);
  c.set = 0;
}

void Shadow::drop(Page& page) {
  const unsigned count = kPageSize / page.unit;
  for (unsigned i = 0; i < count; ++i) {
    if (page.cells[i].set != 0) free_set(page.cells[i]);
  }
  cells_ -= count;
}

void Shadow::forget(std::uint64_t address, std::uint64_t size) {
  if (size == 0) return;
  last_ = nullptr;
  const std::uint64_t end = address + size;
  if (size >> kPageBits < pages_.size() / 4) {
    for (std::uint64_t number = address >> kPageBits; number <= (end - 1) >> kPageBits; ++number) {
      const auto found = pages_.find(number);
      if (found != pages_.end()) forget_in(found, address, end);
    }
    return;
  }
  for (auto at = pages_.begin(); at != pages_.end();) at = forget_in(at, address, end);
}

Shadow::Pages::iterator Shadow::forget_in(Pages::iterator at, std::uint64_t address,
                                          std::uint64_t end) {
  const std::uint64_t begin = at->first << kPageBits;
  Page& page = at->second;
  if (begin >= address && begin + kPageSize <= end) {
    drop(page);
    return pages_.erase(at);
  }
  for (unsigned offset = 0; offset < kPageSize; offset += page.unit) {
    if (begin + offset < address || begin + offset >= end) continue;
    Cell& one = page.cells[offset / page.unit];
    if (one.set != 0) free_set(one);
    one = {};
  }
  return ++at;
}

void Shadow::forget_shared() {
  last_ = nullptr;
  for (auto at = pages_.begin(); at != pages_.end();) {
    if (!is_shared(at->first << kPageBits)) {
      ++at;
      continue;
    }
    drop(at->second);
    at = pages_.erase(at);
  }
}

void Shadow::clear() {
  last_ = nullptr;
  pages_.clear();
  sets_.assign(1, {});
  free_.clear();
  cells_ = 0;
}

std::size_t Shadow::bytes() const {
  std::size_t sum = cells_ * sizeof(Cell) + pages_.size() * 64 + sets_.capacity() * sizeof(Set);
  for (const Set& set : sets_) sum += set.entries.capacity() * sizeof(Entry);
  return sum;
}

}  // namespace redflag::gpu
