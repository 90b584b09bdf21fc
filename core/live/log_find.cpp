// Looking an access up in a log, by any thread, while the log's own goes on.
//
// In the runs that may still grow, then among single accesses, then among closed runs, each from the
// latest back. What is read is taken only if it was not overwritten meanwhile.
#include "core/live/log.h"

namespace redflag::live {

namespace {
bool matches(const Run& r, std::uint64_t clock, bool writes, bool atomics) {
  if (r.clock != clock || r.count == 0) return false;
  const bool atomic = r.kind == LogKind::kAtomicRead || r.kind == LogKind::kAtomicWrite;
  return wrote(r.kind) == writes && atomic == atomics;
}
}  // namespace

// Run::touches, for lists and tiles too.
bool AccessLog::list_touches(const Run& r, std::uint64_t addr, std::uint64_t n,
                             std::uint64_t& at) const {
  if (r.stride == kTiled) {
    const Tile tile = tiles_[r.list % list_count_];
    std::atomic_thread_fence(std::memory_order_acquire);
    if (tiles_begun_.load(std::memory_order_relaxed) - r.list > list_count_) return false;
    Run row = r;
    row.stride = static_cast<std::int32_t>(tile.stride);
    for (std::uint32_t k = 0; k < tile.rows; ++k) {
      row.first = r.first + static_cast<std::uint64_t>(tile.outer) * k;
      row.count = k + 1 == tile.rows ? tile.last : tile.inner;
      if (row.touches(addr, n, at)) return true;
    }
    return false;
  }
  if (r.stride != kGathered) return r.touches(addr, n, at);
  const std::int32_t* offsets = list(r.list);
  bool touched = false;
  for (std::uint32_t k = 0; k < r.count && k < kListRoom && !touched; ++k) {
    at = r.first + static_cast<std::uint64_t>(static_cast<std::int64_t>(offsets[k]));
    touched = at < addr + n && addr < at + r.size;
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  // Its thread may have begun another there.
  return touched && lists_begun() - r.list <= list_count_;
}

bool AccessLog::find_run(std::uint64_t clock, bool writes, bool atomics, std::uint64_t addr,
                         std::uint64_t n, Run& found, std::uint64_t& at) const {
  const std::uint64_t end = written_.load(std::memory_order_acquire);
  const std::uint64_t begin = end > capacity_ ? end - capacity_ : 0;
  for (std::uint64_t i = end; i > begin; --i) {
    const Run r = ring_[(i - 1) & (capacity_ - 1)];
    std::atomic_thread_fence(std::memory_order_acquire);
    // Its thread may have overtaken us and overwritten it.
    if (written_.load(std::memory_order_relaxed) >= i - 1 + capacity_) return false;
    if (matches(r, clock, writes, atomics) && list_touches(r, addr, n, at)) {
      found = r;
      return true;
    }
    if (r.clock != 0 && r.clock + (1U << 20) < clock) return false;  // long before that epoch
  }
  return false;
}

bool AccessLog::find_brief(std::uint64_t clock, bool writes, bool atomics, std::uint64_t addr,
                           std::uint64_t n, Run& found, std::uint64_t& at) const {
  const std::uint64_t end = briefs_written_.load(std::memory_order_acquire);
  const std::uint64_t begin = end > capacity_ ? end - capacity_ : 0;
  for (std::uint64_t i = end; i > begin; --i) {
    const Brief b = briefs_[(i - 1) & (capacity_ - 1)];
    std::atomic_thread_fence(std::memory_order_acquire);
    if (briefs_written_.load(std::memory_order_relaxed) >= i - 1 + capacity_) return false;
    if (b.clock < clock) return false;  // and so are all before it
    const auto size = static_cast<std::uint16_t>((b.what & 63) + 1);
    const auto kind = static_cast<LogKind>(b.what >> 6 & 7);
    const auto flags = static_cast<std::uint8_t>(b.what >> 9 & 127);
    const Run r{b.what >> 16, b.clock, 0, b.locks, 0, 1, size, kind, flags, 0};
    if (matches(r, clock, writes, atomics) && r.touches(addr, n, at)) {
      found = r;
      found.context = contexts_->child(*arena_, b.node, b.pc);
      return true;
    }
  }
  return false;
}

bool AccessLog::find(std::uint64_t clock, bool writes, bool atomics, std::uint64_t addr,
                     std::uint64_t n, Run& found, std::uint64_t& at) const {
  if (ring_ == nullptr) return false;
  for (const Versioned& v : runs_) {
    const std::uint32_t before = v.version.load(std::memory_order_acquire);
    const Run r = v.run;
    std::atomic_thread_fence(std::memory_order_acquire);
    if ((before & 1) != 0 || v.version.load(std::memory_order_relaxed) != before) continue;
    if (matches(r, clock, writes, atomics) && list_touches(r, addr, n, at)) {
      found = r;
      return true;
    }
  }
  return find_brief(clock, writes, atomics, addr, n, found, at) ||
         find_run(clock, writes, atomics, addr, n, found, at);
}

}  // namespace redflag::live
