#include "core/detect/gpu/barracuda/shadow_memory.h"

#include <memory>

#include "core/model/gpu.h"

namespace redflag::gpu::barracuda {

ShadowMemory::ShadowMemory(std::pmr::memory_resource* memory) : memory_(memory), pages_(memory) {}

ShadowMemory::~ShadowMemory() {
  for (auto& [number, page] : pages_) {
    delete_entries(page.words, kPageSize / kWord);
    delete_entries(page.bytes, kPageSize);
  }
  for (ShadowEntry* words : spare_) delete_entries(words, kPageSize / kWord);
}

ShadowEntry* ShadowMemory::new_entries(unsigned count) {
  entries_ += count;
  return static_cast<ShadowEntry*>(
      memory_->allocate(count * sizeof(ShadowEntry), alignof(ShadowEntry)));
}
void ShadowMemory::delete_entries(ShadowEntry* entries, unsigned count) {
  if (entries == nullptr) return;
  entries_ -= count;
  memory_->deallocate(entries, count * sizeof(ShadowEntry), alignof(ShadowEntry));
}

ShadowMemory::Page* ShadowMemory::find(std::uint64_t number) {
  Page& page = pages_[number];
  if (page.words != nullptr) return &page;
  page.is_shared = is_shared(number << kPageBits);
  if (spare_.empty()) {
    page.words = new_entries(kPageSize / kWord);
  } else {
    page.words = spare_.back();
    spare_.pop_back();
  }
  return &page;
}

// As new, in the present launch. Histories of earlier launches are free already.
void ShadowMemory::renew(Page& page) {
  page.launch = launch_;
  delete_entries(page.bytes, kPageSize);
  page.bytes = nullptr;
  ShadowEntry none;
  none.in_shared_memory = page.is_shared ? 1 : 0;
  std::uninitialized_fill_n(page.words, kPageSize / kWord, none);
}

void ShadowMemory::to_bytes(Page& page) {
  page.bytes = new_entries(kPageSize);
  for (unsigned i = 0; i < kPageSize; ++i) {
    ShadowEntry& byte = *std::construct_at(&page.bytes[i], page.words[i / kWord]);
    if (byte.others == nullptr || i % kWord == 0) continue;
    byte.others = new_history();
    byte.others->copy(*page.words[i / kWord].others);
  }
}

History* ShadowMemory::new_history() {
  if (!free_.empty()) {
    History* history = free_.back();
    free_.pop_back();
    history->clear();
    return history;
  }
  if (used_ == histories_.size()) histories_.push_back(std::make_unique<History>());
  History* history = histories_[used_++].get();
  history->clear();
  return history;
}

void ShadowMemory::restart() {
  ++launch_;
  free_.clear();
  used_ = 0;
}

void ShadowMemory::clear(Page& page) {
  if (page.launch != launch_) return;
  const unsigned count = page.bytes != nullptr ? kPageSize : kPageSize / kWord;
  ShadowEntry* all = page.bytes != nullptr ? page.bytes : page.words;
  for (unsigned i = 0; i < count; ++i) drop_history(all[i]);
  page.launch = 0;
}

void ShadowMemory::forget_in(std::uint64_t number, Page& page, std::uint64_t address,
                             std::uint64_t end) {
  const std::uint64_t begin = number << kPageBits;
  if (begin >= address && begin + kPageSize <= end) return clear(page);
  if (page.launch != launch_) return;
  const unsigned unit = page.bytes != nullptr ? 1 : kWord;
  ShadowEntry* all = page.bytes != nullptr ? page.bytes : page.words;
  for (unsigned offset = 0; offset < kPageSize; offset += unit) {
    if (begin + offset < address || begin + offset >= end) continue;
    ShadowEntry& one = all[offset / unit];
    drop_history(one);
    const std::uint32_t space = one.in_shared_memory;
    one = {};
    one.in_shared_memory = space & 1U;
  }
}

void ShadowMemory::forget(std::uint64_t address, std::uint64_t size) {
  if (size == 0) return;
  const std::uint64_t end = address + size;
  if (size >> kPageBits < pages_.size()) {
    for (std::uint64_t number = address >> kPageBits; number <= (end - 1) >> kPageBits; ++number) {
      const auto found = pages_.find(number);
      if (found != pages_.end()) forget_in(number, found->second, address, end);
    }
    return;
  }
  for (auto& [number, page] : pages_) {
    if (number >= address >> kPageBits && number <= (end - 1) >> kPageBits) {
      forget_in(number, page, address, end);
    }
  }
}

void ShadowMemory::forget_block(std::uint64_t block, std::uint64_t shared_bytes) {
  if (shared_bytes == 0) return;
  const std::uint64_t first = shared_address(block, 0) >> kPageBits;
  const std::uint64_t last = shared_address(block, shared_bytes - 1) >> kPageBits;
  for (std::uint64_t number = first; number <= last; ++number) {
    const auto found = pages_.find(number);
    if (found == pages_.end()) continue;
    clear(found->second);
    spare_.push_back(found->second.words);
    delete_entries(found->second.bytes, kPageSize);
    pages_.erase(found);
    seen_[number % kSeen] = {};
  }
}

std::size_t ShadowMemory::bytes() const {
  std::size_t sum = entries_ * sizeof(ShadowEntry) + pages_.size() * 64;
  for (const auto& history : histories_) sum += history->bytes();
  return sum;
}

}  // namespace redflag::gpu::barracuda
