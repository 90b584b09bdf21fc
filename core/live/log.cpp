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

void AccessLog::init(Arena& arena, Contexts& contexts, std::uint32_t capacity) {
  arena_ = &arena;
  contexts_ = &contexts;
  capacity_ = capacity;
  list_count_ = capacity / 16 < 4 ? 4 : capacity / 16;
  ring_ = static_cast<Run*>(arena.take(capacity * sizeof(Run)));
  briefs_ = static_cast<Brief*>(arena.take(capacity * sizeof(Brief)));
  lists_ = static_cast<std::int32_t*>(
      arena.take(std::size_t{list_count_} * kListRoom * sizeof(std::int32_t)));
  tiles_ = static_cast<Tile*>(arena.take(list_count_ * sizeof(Tile)));
  list_user_ = static_cast<std::uint16_t*>(arena.take(list_count_ * sizeof(std::uint16_t)));
  os_zero(list_user_, list_count_ * sizeof(std::uint16_t));
}

void AccessLog::free(Arena& arena) {
  if (ring_ == nullptr) return;
  arena.give(ring_, capacity_ * sizeof(Run));
  arena.give(briefs_, capacity_ * sizeof(Brief));
  arena.give(lists_, std::size_t{list_count_} * kListRoom * sizeof(std::int32_t));
  arena.give(tiles_, list_count_ * sizeof(Tile));
  arena.give(list_user_, list_count_ * sizeof(std::uint16_t));
  ring_ = nullptr;
}

void AccessLog::replace(std::uint32_t i, std::uint64_t pc, std::uint32_t node, const Run& first) {
  Versioned& v = runs_[i];
  if (v.run.count != 0) close(v.run);
  const std::uint32_t version = v.version.load(std::memory_order_relaxed);
  v.version.store(version + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  v.run = first;
  v.version.store(version + 2, std::memory_order_release);
  Open& o = open_[i];
  o.pc = pc;
  o.node = node;
  o.shape = shape_of(first.size, first.kind, first.flags);
}

void AccessLog::begin(std::uint32_t i, std::uint64_t pc, std::uint32_t node, const Run& first) {
  Open& o = open_[i];
  // A loop that starts again goes on as it did before, most likely.
  const bool again = o.pc == pc && runs_[i].run.count > 2 && runs_[i].run.stride != kGathered;
  if (!again) o.stride = 0;
  replace(i, pc, node, first);
  runs_[i].rows = 1;
  runs_[i].row = first.first;
  o.first = first.first;
  o.next = first.first + static_cast<std::uint64_t>(o.stride);
}

void AccessLog::begin_list(std::uint32_t i, std::uint64_t pc, std::uint32_t node,
                           const Run& first) {
  Open& o = open_[i];
  const std::uint32_t number = lists_begun();
  lists_begun_.store(number + 1, std::memory_order_release);
  list_user_[number % list_count_] = static_cast<std::uint16_t>(i + 1);
  Run run = first;
  run.stride = kGathered;
  run.list = number;
  replace(i, pc, node, run);
  o.next = 0;
  o.first = first.first;
  o.list = lists_ + std::size_t{number % list_count_} * kListRoom;
  o.list[0] = 0;
  o.gathered = 1;
}

bool AccessLog::learn_stride(std::uint32_t i, std::uint64_t addr) {
  Open& o = open_[i];
  if (!single(i)) return false;
  const auto step = static_cast<std::int64_t>(addr - o.first);
  if (step != static_cast<std::int32_t>(step) || step <= kTiled) return false;
  o.stride = step;
  o.next = addr + static_cast<std::uint64_t>(step);
  return true;
}

bool AccessLog::next_row(std::uint32_t i, std::uint64_t addr) {
  Open& o = open_[i];
  Versioned& v = runs_[i];
  if (o.list != nullptr || o.stride == 0) return false;
  const std::uint64_t length = o.next - v.row;
  const auto outer = static_cast<std::int64_t>(addr - v.row);
  if (v.rows == 1) {
    const std::int64_t n = static_cast<std::int64_t>(length) / o.stride;
    if (n < 2 || n > (1 << 30) || outer != static_cast<std::int32_t>(outer)) return false;
    v.inner = static_cast<std::uint32_t>(n);
    v.outer = outer;
    v.rows = 2;
  } else {
    if (outer != v.outer || v.rows == ~0U ||
        length != static_cast<std::uint64_t>(o.stride) * v.inner) {
      return false;
    }
    if (outer != 0) ++v.rows;  // else it is the same row again
  }
  v.row = addr;
  o.next = addr + static_cast<std::uint64_t>(o.stride);
  return true;
}

Tile AccessLog::tile(std::uint32_t i) const {
  const Open& o = open_[i];
  const Versioned& v = runs_[i];
  Tile tile;
  tile.stride = o.stride;
  if (o.stride != 0) {
    // More than the count can say would take hours; then the rest is not known.
    const std::int64_t n = static_cast<std::int64_t>(o.next - v.row) / o.stride;
    tile.last = static_cast<std::uint32_t>(n < ~0U ? n : ~0U);
  }
  tile.inner = tile.last;
  if (v.rows > 1) {
    tile.rows = v.rows;
    tile.inner = v.inner;
    tile.outer = v.outer;
  }
  return tile;
}

bool AccessLog::may_touch(std::uint32_t i, std::uint64_t addr, std::uint64_t n) const {
  const Open& o = open_[i];
  const std::uint32_t size = o.shape & 0xffff;
  if (o.list != nullptr) {
    // at < addr + n && addr < at + size, for four at a time; what is left in the list from before
    // may be among the last four.
    using Four = std::int32_t __attribute__((vector_size(16)));
    const auto low = static_cast<std::int64_t>(addr - o.first) - size + 1;
    const auto high = static_cast<std::int64_t>(addr - o.first + n) - 1;
    constexpr std::int64_t kLeast = std::int64_t{-1} << 31;
    constexpr std::int64_t kMost = -kLeast - 1;
    if (low > kMost || high < kLeast) return false;
    const auto from = static_cast<std::int32_t>(low < kLeast ? kLeast : low);
    const auto to = static_cast<std::int32_t>(high > kMost ? kMost : high);
    Four found = {};
    for (std::uint32_t k = 0; k < o.gathered; k += 4) {
      Four four;
      __builtin_memcpy(&four, o.list + k, sizeof(four));
      found |= (four >= Four{from, from, from, from}) & (four <= Four{to, to, to, to});
    }
    return (found[0] | found[1] | found[2] | found[3]) != 0;
  }
  if (runs_[i].rows > 1) return true;
  const std::uint64_t low = o.stride < 0 ? o.next : o.first;
  const std::uint64_t high = (o.stride < 0 ? o.first : o.next) + size;
  return low < addr + n && addr < high;
}

const Run& AccessLog::end(std::uint32_t i) {
  Open& o = open_[i];
  Versioned& v = runs_[i];
  const std::uint32_t version = v.version.load(std::memory_order_relaxed);
  v.version.store(version + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  if (o.list != nullptr) {
    v.run.count = o.gathered;
    list_user_[v.run.list % list_count_] = 0;
    o.list = nullptr;
    o.blind = 0;
  } else {
    const Tile t = tile(i);
    v.run.stride = static_cast<std::int32_t>(t.stride);
    v.run.count = t.inner;
    if (t.rows > 1) {
      const std::uint32_t number = tiles_begun_.load(std::memory_order_relaxed);
      tiles_begun_.store(number + 1, std::memory_order_release);
      std::atomic_thread_fence(std::memory_order_release);
      tiles_[number % list_count_] = t;
      v.run.stride = kTiled;
      v.run.list = number;
    }
  }
  v.version.store(version + 2, std::memory_order_release);
  o.next = 0;
  o.key = 0;
  return v.run;
}

void AccessLog::note(std::uint32_t i, std::uint64_t pc, std::uint32_t node, std::uint32_t key,
                     const Run& access) {
  Open& o = open_[i];
  Versioned& v = runs_[i];
  if (o.key == key && o.pc == pc && o.node == node &&
      o.shape == shape_of(access.size, access.kind, access.flags)) {
    if (access.first == o.first) {
      o.first += static_cast<std::uint64_t>(o.stride);
      v.run.count += o.stride != 0 ? 1 : 0;
      return;
    }
    const auto step = static_cast<std::int64_t>(access.first - v.run.first);
    if (v.run.count == 1 && step == static_cast<std::int32_t>(step) && step > kTiled) {
      o.stride = step;
      o.first = access.first + static_cast<std::uint64_t>(step);
      v.run.stride = static_cast<std::int32_t>(step);
      std::atomic_signal_fence(std::memory_order_release);
      v.run.count = 2;
      return;
    }
  }
  replace(i, pc, node, access);
  o.stride = 0;
  o.key = key;
  o.first = access.first;
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

}  // namespace redflag::live
