// Runs of accesses that wait, and how they are checked together (log.h says why they may).
//
// An instruction's walk through memory is one run. It is checked when it ends, when its place is
// needed, or when the thread synchronises; together with the runs that fill the gaps between its
// accesses, so that an unrolled loop over floats changes whole granules. Instructions whose runs stay
// short are checked at once. Until it is checked an access is not seen by other threads: if the memory
// gets a new life meanwhile, whoever gives it one sees to the waiting runs first (flush_pending, and
// the frontend for those of other threads).
#include "core/live/detector.h"

namespace redflag::live {

// A run begins, or its second access comes, or accesses are too scattered to wait for more.
void Detector::wait_or_check(Thread& t, std::uint64_t addr, unsigned size, bool is_write,
                             std::uint64_t pc) {
  constexpr std::uint8_t kScattered = 8;
  const std::uint32_t i = AccessLog::open_of(pc);
  AccessLog::Open& o = t.log.open(i);
  const LogKind kind = is_write ? LogKind::kWrite : LogKind::kRead;
  const auto small = static_cast<std::uint16_t>(size);
  const std::uint32_t shape = AccessLog::shape_of(small, kind, 0);
  const bool same = o.pc == pc && o.node == t.hot->top[-1].node && o.key == t.log_key &&
                    o.shape == shape && o.node != 0;
  if (same && t.waits(i) && t.log.learn_stride(o, addr)) return;
  if (t.waits(i)) {
    std::uint8_t& scattered = t.scattered[i];
    scattered = !same || o.run.count > 2 ? 0 : static_cast<std::uint8_t>(scattered + 1);
    check_waiting(t, i);
  }
  world.enter(t);
  const std::uint32_t where = context(t, pc);
  const Run run{addr, t.clock.epoch.clock(), where, lockset(t), 0, 1, small, kind, 0, 0};
  if (same && t.scattered[i] >= kScattered) {
    // Comes back here each time; every so often it is tried again whether runs form.
    if (++t.scattered[i] == 255) t.scattered[i] = 0;
    t.log.close(run);
    Access a{addr, size, pc, kind, 0, where};
    stretch(t, a, addr, addr + size);
    flush(t, a);
  } else {
    t.log.begin(o, pc, t.hot->top[-1].node, t.log_key, run);
    t.set_waiting(i);
  }
  world.leave(t);
  sweep_if_due(t);
}

void Detector::flush_all(Thread& t) {
  for (std::uint32_t w = 0; w < AccessLog::kOpen / 64 && t.waiting_count != 0; ++w) {
    while (t.waiting[w] != 0) {
      check_waiting(t, w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(t.waiting[w])));
    }
  }
  sweep_if_due(t);
}

// Checks run i, together with those that fill the gaps between its accesses: an unrolled loop is
// several instructions that take turns. What is checked does not grow any more.
void Detector::check_waiting(Thread& t, std::uint32_t i) {
  const auto taken = [&](std::uint32_t k) -> const Run& {
    t.clear_waiting(k);
    t.log.open(k).key = 0;
    return t.log.open(k).run;
  };
  const std::uint64_t pc = t.log.open(i).pc;
  const Run run = taken(i);
  Access a{run.first, run.size, pc, run.kind, run.flags, run.context};
  auto stride = static_cast<std::int64_t>(run.stride);
  std::uint64_t low = run.first;
  const std::uint32_t count = stride == 0 ? 1 : run.count;
  if (stride < 0 && count > 1) {  // backwards is forwards from the other end
    low += static_cast<std::uint64_t>(stride * (count - 1));
    stride = -stride;
  }
  std::uint64_t high = low + run.size;
  const auto step = static_cast<std::uint64_t>(stride);
  if (run.stride > run.size && count > 1) {
    for (bool grew = true; grew && high - low < step;) {
      grew = false;
      for (std::uint32_t w = 0; w < AccessLog::kOpen / 64; ++w) {
        for (std::uint64_t bits = t.waiting[w]; bits != 0; bits &= bits - 1) {
          const std::uint32_t k = w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
          const Run& other = t.log.open(k).run;
          if (other.stride != run.stride || other.count != run.count || other.kind != run.kind ||
              (other.first != high && other.first + other.size != low)) {
            continue;
          }
          if (other.first == high) {
            high += other.size;
          } else {
            low = other.first;
          }
          taken(k);
          a.context = kInLog;
          grew = true;
        }
      }
    }
  }
  world.enter(t);
  if (count == 1 || high - low >= step) {
    stretch(t, a, low, high + step * (count - 1));
  } else {
    column(t, a, low, high, step, count);
  }
  flush(t, a);
  world.leave(t);
}

// [low, high), and the same every `step` bytes, `count` times in all.
void Detector::column(Thread& t, Access& a, std::uint64_t low, std::uint64_t high,
                      std::uint64_t step, std::uint32_t count) {
  const auto first = static_cast<unsigned>(low % kGranule);
  const auto size = static_cast<unsigned>(high - low);
  if (step % kGranule != 0 || first + size > kGranule) {
    for (std::uint32_t k = 0; k < count; ++k) stretch(t, a, low + k * step, high + k * step);
    return;
  }
  const bool is_write = wrote(a.kind);
  const std::uint32_t shape = shape_of(is_write, first, size);
  std::uint64_t block = 0;  // for which `mine` is right
  bool mine = false;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  bool known = false;  // from -> to
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint64_t g = low - first + k * step;
    Cell& cell = shadow.get(g);
    if (g >> kBlockShift != block) {
      mine = owns(t, g);
      block = g >> kBlockShift;
      known = false;  // it may have stepped out
    }
    const std::uint32_t h = cell.load(std::memory_order_acquire);
    if (known && h == from) [[likely]] {
      if (to == h || change(cell, h, to, mine)) continue;
    } else if (is_write ? h == t.base : h - t.base < t.room) {
      continue;
    } else if (const Memo& m = t.memos[memo_of(h, shape)];
               m.from == h && m.key == (t.key | shape)) {
      from = h;
      to = m.to;
      known = true;
      if (to == h || change(cell, h, to, mine)) continue;
    }
    a.addr = g + first;
    a.size = size;
    granule(t, a, g, first, first + size);
    block = 0;  // the rules may have stepped out
    known = false;
  }
}

// All of [begin, end), accessed alike: neighbours with the same history become the same.
void Detector::stretch(Thread& t, Access& a, std::uint64_t begin, std::uint64_t end) {
  const bool is_write = wrote(a.kind);
  const std::uint32_t shape = shape_of(is_write, 0, kGranule);
  std::uint64_t at = begin;
  while (at < end) {
    const std::uint64_t here = at / kGranule * kGranule;
    if (at != here || end - at < kGranule) {
      const std::uint64_t stop = end < here + kGranule ? end : here + kGranule;
      a.addr = at;
      a.size = stop - at;
      granule(t, a, here, static_cast<unsigned>(at - here), static_cast<unsigned>(stop - here));
      at = stop;
      continue;
    }
    // Whole granules, to the end of the block, as long as it goes on simply.
    const std::uint64_t block_end = (at >> kBlockShift << kBlockShift) + (1U << kBlockShift);
    const std::uint64_t stop =
        end / kGranule * kGranule < block_end ? end / kGranule * kGranule : block_end;
    Cell* cell = &shadow.get(at);
    const bool mine = owns(t, at);
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    bool known = false;  // from -> to
    for (; at < stop; at += kGranule, ++cell) {
      const std::uint32_t h = cell->load(std::memory_order_acquire);
      if (known && h == from) [[likely]] {
        if (to == h || change(*cell, h, to, mine)) continue;
        break;
      }
      if (is_write ? h == t.base : h - t.base < t.room) continue;
      const Memo& m = t.memos[memo_of(h, shape)];
      if (m.from != h || m.key != (t.key | shape)) break;
      from = h;
      to = m.to;
      known = true;
      if (to != h && !change(*cell, h, to, mine)) break;
    }
    if (at < stop) {  // the rules must decide
      a.addr = at;
      a.size = kGranule;
      granule(t, a, at, 0, kGranule);
      at += kGranule;
    }
  }
}

}  // namespace redflag::live
