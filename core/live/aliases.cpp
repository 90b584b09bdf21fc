#include "core/live/aliases.h"

#include "core/live/linear.h"

namespace redflag::live {

std::uint32_t Aliases::first_after(std::uint64_t addr) const {
  std::uint32_t low = 0;
  std::uint32_t high = count_;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (maps_[middle].begin <= addr) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

const Mapping* Aliases::find(std::uint64_t addr) const {
  const std::uint32_t i = first_after(addr);
  return i != 0 && addr - maps_[i - 1].begin < maps_[i - 1].size ? &maps_[i - 1] : nullptr;
}

std::uint64_t Aliases::home(std::uint64_t addr, std::uint64_t& room) const {
  const std::uint32_t i = first_after(addr);
  const auto cut = [&room](std::uint64_t n) { room = n < room ? n : room; };
  if (i != 0) {
    if (const Mapping& m = maps_[i - 1]; addr - m.begin < m.size) {
      cut(m.end() - addr);
      return m.home == 0 ? addr : m.home + (addr - m.begin);
    }
  }
  if (i < count_) cut(maps_[i].begin - addr);
  return addr;
}

bool Aliases::touches(std::uint64_t addr, std::uint64_t size) const {
  if (count_ == 0) return false;
  const std::uint32_t i = first_after(addr);
  return find(addr) != nullptr || (i < count_ && maps_[i].begin - addr < size);
}

const Mapping* Aliases::first_in(std::uint64_t begin, std::uint64_t end) const {
  if (count_ == 0) return nullptr;
  const std::uint32_t i = first_after(begin);
  if (i != 0 && begin - maps_[i - 1].begin < maps_[i - 1].size) return &maps_[i - 1];
  return i < count_ && maps_[i].begin < end ? &maps_[i] : nullptr;
}

bool Aliases::insert(const Mapping& m) {
  if (count_ == kMost) return false;
  const std::uint32_t at = first_after(m.begin);
  for (std::uint32_t i = count_; i > at; --i) maps_[i] = maps_[i - 1];
  maps_[at] = m;
  ++count_;
  if (m.home != 0) homes_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

Mapping Aliases::cut_out(std::uint32_t i, std::uint64_t begin, std::uint64_t end) {
  const auto piece = [](const Mapping& whole, std::uint64_t from, std::uint64_t to) {
    Mapping m = whole;
    m.begin = from;
    m.size = to - from;
    m.offset += from - whole.begin;
    if (m.home != 0) m.home += from - whole.begin;
    return m;
  };
  const Mapping whole = maps_[i];
  if (begin < whole.begin) begin = whole.begin;
  if (end > whole.end()) end = whole.end();
  if (count_ == kMost) {  // there may be no room for what is left on both sides
    begin = whole.begin;
    end = whole.end();
  }
  for (std::uint32_t k = i + 1; k < count_; ++k) maps_[k - 1] = maps_[k];
  --count_;
  if (whole.home != 0) homes_.fetch_sub(1, std::memory_order_relaxed);
  if (begin != whole.begin) insert(piece(whole, whole.begin, begin));
  if (end != whole.end()) insert(piece(whole, end, whole.end()));
  const Mapping gone = piece(whole, begin, end);
  if (gone.home != 0) gone_[gone_count_++ % kRemembered] = gone;
  return gone;
}

bool Aliases::settle(std::uint32_t i) {
  Mapping& m = maps_[i];
  if (!any()) {  // all that were are empty again
    homes_taken_ = 0;
    for (Mapping& gone : gone_) gone = {};
  }
  constexpr std::uint64_t kBlock = std::uint64_t{1} << kPageShift;  // marks are for pages
  constexpr std::uint64_t kHomeBytes = kHomes.end - kHomes.begin;
  const std::uint64_t wanted = (m.size + kBlock - 1) / kBlock * kBlock;
  if (wanted > kHomeBytes - homes_taken_) return false;
  m.home = kHomes.begin + homes_taken_;
  homes_taken_ += wanted;
  homes_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

}  // namespace redflag::live
