#include "core/live/log.h"

namespace redflag::live {

bool Run::touches(std::uint64_t addr, std::uint64_t n, std::uint64_t& at) const {
  if (count == 0) return false;
  if (size == 0) {  // a range
    at = first;
    return first < addr + n && addr < first + count;
  }
  if (stride == 0 || count == 1) {
    at = first;
    return first < addr + n && addr < first + size;
  }
  // The access number k is at first + k * stride; which k could reach [addr, addr + n)?
  const auto s = static_cast<std::int64_t>(stride);
  const auto low = static_cast<std::int64_t>(addr - first) - static_cast<std::int64_t>(size) + 1;
  const auto high = static_cast<std::int64_t>(addr - first) + static_cast<std::int64_t>(n) - 1;
  const std::int64_t from = s > 0 ? low : high;
  std::int64_t k = from / s;
  for (k -= 1; k <= from / s + 1; ++k) {
    if (k < 0 || k >= static_cast<std::int64_t>(count)) continue;
    const std::int64_t offset = k * s;
    if (offset >= low && offset <= high) {
      at = first + static_cast<std::uint64_t>(offset);
      return true;
    }
  }
  return false;
}

void AccessLog::init(Arena& arena, std::uint32_t capacity) {
  capacity_ = capacity;
  ring_ = static_cast<Run*>(arena.take(capacity * sizeof(Run)));
}

void AccessLog::free(Arena& arena) {
  if (ring_ != nullptr) arena.give(ring_, capacity_ * sizeof(Run));
  ring_ = nullptr;
}

void AccessLog::close(const Run& run) {
  const std::uint64_t n = written_.load(std::memory_order_relaxed);
  ring_[n & (capacity_ - 1)] = run;
  written_.store(n + 1, std::memory_order_release);
}

bool AccessLog::learn_stride(Open& o, std::uint64_t addr) {
  const auto step = static_cast<std::int64_t>(addr - o.last);
  if (o.run.count != 1 || step != static_cast<std::int32_t>(step)) return false;
  o.run.stride = static_cast<std::int32_t>(step);
  o.stride = step;
  o.last = addr;
  std::atomic_signal_fence(std::memory_order_release);
  o.run.count = 2;
  return true;
}

void AccessLog::begin(Open& o, std::uint64_t pc, std::uint32_t node, std::uint32_t key,
                      const Run& first) {
  const std::uint32_t version = o.version.load(std::memory_order_relaxed);
  // A loop that starts again goes on as it did before, most likely.
  const std::int32_t stride = o.pc == pc && o.run.count > 2 ? o.run.stride : 0;
  if (o.run.count != 0) close(o.run);
  o.version.store(version + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  o.run = first;
  o.run.stride = stride;
  o.pc = pc;
  o.node = node;
  o.key = key;
  o.shape = shape_of(first.size, first.kind, first.flags);
  o.last = first.first;
  o.stride = stride;
  o.version.store(version + 2, std::memory_order_release);
}

void AccessLog::add_range(std::uint64_t addr, std::uint64_t bytes, LogKind kind,
                          std::uint64_t clock, std::uint32_t context, std::uint32_t locks) {
  for (constexpr std::uint64_t kMost = 1U << 31; bytes != 0;) {
    const std::uint64_t n = bytes < kMost ? bytes : kMost;
    close({addr, clock, context, locks, 0, static_cast<std::uint32_t>(n), 0, kind, 0, 0});
    addr += n;
    bytes -= n;
  }
}

namespace {
bool matches(const Run& r, std::uint64_t clock, bool writes, bool atomics) {
  if (r.clock != clock || r.count == 0) return false;
  const bool atomic = r.kind == LogKind::kAtomicRead || r.kind == LogKind::kAtomicWrite;
  return wrote(r.kind) == writes && atomic == atomics;
}
}  // namespace

bool AccessLog::find(std::uint64_t clock, bool writes, bool atomics, std::uint64_t addr,
                     std::uint64_t n, Run& found, std::uint64_t& at) const {
  if (ring_ == nullptr) return false;
  for (const Open& o : open_) {
    const std::uint32_t before = o.version.load(std::memory_order_acquire);
    const Run r = o.run;
    std::atomic_thread_fence(std::memory_order_acquire);
    if ((before & 1) != 0 || o.version.load(std::memory_order_relaxed) != before) continue;
    if (matches(r, clock, writes, atomics) && r.touches(addr, n, at)) {
      found = r;
      return true;
    }
  }
  const std::uint64_t end = written_.load(std::memory_order_acquire);
  const std::uint64_t begin = end > capacity_ ? end - capacity_ : 0;
  for (std::uint64_t i = end; i > begin; --i) {
    const Run r = ring_[(i - 1) & (capacity_ - 1)];
    std::atomic_thread_fence(std::memory_order_acquire);
    // Its thread may have overtaken us and overwritten it.
    if (written_.load(std::memory_order_relaxed) >= i - 1 + capacity_) return false;
    if (matches(r, clock, writes, atomics) && r.touches(addr, n, at)) {
      found = r;
      return true;
    }
    if (r.clock != 0 && r.clock + (1U << 20) < clock) return false;  // long before that epoch
  }
  return false;
}

}  // namespace redflag::live
