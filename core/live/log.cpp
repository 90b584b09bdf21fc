#include "core/live/log.h"

namespace redflag::live {

void AccessLog::init(Arena& arena, Contexts& contexts, std::uint32_t capacity) {
  arena_ = &arena;
  contexts_ = &contexts;
  capacity_ = capacity;
  runs_ = static_cast<Run*>(os_map(capacity * sizeof(Run)));
  briefs_ = static_cast<Brief*>(os_map(capacity * sizeof(Brief)));
}

void AccessLog::free(Arena&) {
  if (runs_ == nullptr) return;
  os_unmap(runs_, capacity_ * sizeof(Run));
  os_unmap(briefs_, capacity_ * sizeof(Brief));
  runs_ = nullptr;
  briefs_ = nullptr;
}

bool Run::touches(std::uint64_t addr, std::uint64_t n, std::uint64_t& at) const {
  if (size == 0) {
    at = first;
    return first < addr + n && addr < first + count;
  }
  if (stride == 0 || count == 1) {
    at = first;
    return first < addr + n && addr < first + size;
  }
  // The last access that begins below the end of the bytes, counted from the lowest one.
  const std::uint64_t step =
      stride < 0 ? 0 - static_cast<std::uint64_t>(stride) : static_cast<std::uint64_t>(stride);
  const std::uint64_t low = stride < 0 ? first - step * (count - 1) : first;
  if (addr + n <= low) return false;
  std::uint64_t k = (addr + n - 1 - low) / step;
  if (k >= count) k = count - 1;
  at = low + k * step;
  return addr < at + size;
}

namespace {
bool matches(const Run& r, std::uint64_t clock, bool writes, bool atomics) {
  if (r.clock != clock || r.count == 0) return false;
  const bool atomic = r.kind == LogKind::kAtomicRead || r.kind == LogKind::kAtomicWrite;
  return wrote(r.kind) == writes && atomic == atomics;
}
}  // namespace

bool AccessLog::find_run(std::uint64_t clock, bool writes, bool atomics, std::uint64_t addr,
                         std::uint64_t n, Run& found, std::uint64_t& at) const {
  const std::uint64_t end = runs_written_.load(std::memory_order_acquire);
  const std::uint64_t begin = end > capacity_ ? end - capacity_ : 0;
  for (std::uint64_t i = end; i > begin; --i) {
    const Run r = runs_[(i - 1) & (capacity_ - 1)];
    std::atomic_thread_fence(std::memory_order_acquire);
    // Its thread may have overtaken us and overwritten it.
    if (runs_written_.load(std::memory_order_relaxed) >= i - 1 + capacity_) return false;
    if (r.clock < clock) return false;  // and so are all before it
    if (matches(r, clock, writes, atomics) && r.touches(addr, n, at)) {
      found = r;
      return true;
    }
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
    if (b.clock < clock) return false;
    Run r;
    r.first = b.what >> 16;
    r.clock = b.clock;
    r.locks = b.locks;
    r.count = 1;
    r.size = static_cast<std::uint32_t>(b.what & 63) + 1;
    r.kind = static_cast<LogKind>(b.what >> 6 & 7);
    r.flags = static_cast<std::uint8_t>(b.what >> 9 & 127);
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
  if (runs_ == nullptr) return false;
  return find_brief(clock, writes, atomics, addr, n, found, at) ||
         find_run(clock, writes, atomics, addr, n, found, at);
}

}  // namespace redflag::live
