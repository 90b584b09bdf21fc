#include "core/clock/atomic_sync.h"

#include <utility>

namespace redflag {

void AtomicSync::cut(std::uint64_t at) {
  auto it = segments_.lower_bound(at);
  if (it == segments_.begin()) return;
  --it;
  Segment& left = it->second;
  if (left.end <= at) return;
  Segment right(at, left.end, memory_);
  right.clock.assign(left.clock);
  left.end = at;
  segments_.emplace(at, std::move(right));
  drop_cache();
}

std::pair<AtomicSync::Map::iterator, AtomicSync::Map::iterator> AtomicSync::exactly(
    Addr addr, std::uint32_t size) {
  const std::uint64_t begin = raw(addr);
  const std::uint64_t end = begin + size;
  cut(begin);
  cut(end);
  std::uint64_t at = begin;
  for (auto it = segments_.lower_bound(begin); at < end;) {
    const std::uint64_t next =
        it == segments_.end() || it->second.begin >= end ? end : it->second.begin;
    if (next > at) segments_.emplace(at, Segment(at, next, memory_));
    if (next == end) break;
    at = it->second.end;
    ++it;
  }
  const auto first = segments_.lower_bound(begin);
  Segment& s = first->second;
  if (s.end == end) cache_[begin / 4 % cache_.size()] = &s;
  return {first, segments_.lower_bound(end)};
}

void AtomicSync::load(Addr addr, std::uint32_t size, VectorClock& into) {
  if (const Segment* s = cached(addr, size); s != nullptr) {
    into.join(s->clock);
    return;
  }
  const std::uint64_t end = raw(addr) + size;
  auto it = segments_.upper_bound(raw(addr));
  if (it != segments_.begin() && std::prev(it)->second.end > raw(addr)) --it;
  for (; it != segments_.end() && it->second.begin < end; ++it) into.join(it->second.clock);
}

void AtomicSync::store(Addr addr, std::uint32_t size, const VectorClock* clock) {
  const auto replace = [clock](Segment& s) {
    s.clock.clear();
    if (clock != nullptr) s.clock.assign(*clock);
  };
  if (Segment* s = cached(addr, size); s != nullptr) return replace(*s);
  const auto [first, last] = exactly(addr, size);
  for (auto it = first; it != last; ++it) replace(it->second);
}

void AtomicSync::modify(Addr addr, std::uint32_t size, const VectorClock* clock) {
  if (clock == nullptr) return;
  if (Segment* s = cached(addr, size); s != nullptr) return s->clock.join(*clock);
  const auto [first, last] = exactly(addr, size);
  for (auto it = first; it != last; ++it) it->second.clock.join(*clock);
}

void AtomicSync::forget(Addr addr, std::uint64_t size) {
  const std::uint64_t begin = raw(addr);
  const std::uint64_t end = begin + size;
  auto it = segments_.upper_bound(begin);
  if (it != segments_.begin() && std::prev(it)->second.end > begin) --it;
  if (it == segments_.end() || it->second.begin >= end) return;
  cut(begin);
  cut(end);
  segments_.erase(segments_.lower_bound(begin), segments_.lower_bound(end));
  drop_cache();
}

}  // namespace redflag
