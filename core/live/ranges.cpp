// A loop's accesses that come as one: known before it ran, or when it had run.
//
// Our own pass finds them at compile time (frontends/cpu/pass/loops.cpp); they are one run of the log,
// and one walk. So is memory that is freed, which is mostly touched in long pieces.
#include "core/live/detector.h"

namespace redflag::live {

void Detector::strided(Thread& t, std::uint64_t addr, std::int64_t step, std::uint64_t count,
                       unsigned size, bool is_write, std::uint64_t pc) {
  constexpr std::uint64_t kMostCount = ~std::uint32_t{0};
  const LogKind kind = is_write ? LogKind::kWrite : LogKind::kRead;
  if (step < 0) {  // backwards is forwards from the other end
    addr += static_cast<std::uint64_t>(step) * (count - 1);
    step = -step;
  }
  const auto apart = static_cast<std::uint64_t>(step);
  if (!listener.needs(addr, addr + apart * (count - 1) + size)) return;
  if (count == 1 || apart <= size) return range(t, addr, apart * (count - 1) + size, kind, pc);
  if (apart > static_cast<std::uint64_t>(INT32_MAX) || count > kMostCount) {
    for (std::uint64_t k = 0; k < count; ++k) range(t, addr + k * apart, size, kind, pc);
    return;
  }
  world.enter(t);
  Access a{addr, size, pc, kind};
  a.context = context(t, pc);
  if (keeps_log()) {
    t.log.close({addr, t.clock.epoch.clock(), a.context, lockset(t),
                 static_cast<std::int32_t>(step), static_cast<std::uint32_t>(count),
                 static_cast<std::uint16_t>(size), kind, 0, 0});
  }
  a.leaves_mark = listener.needs_cells(count * size);
  tell(t, a, {addr, addr + size, apart, count});
  if (a.leaves_mark) {
    Walk walk(t, is_write);
    column(t, a, walk, addr, addr + size, apart, static_cast<std::uint32_t>(count));
    flush(t, a);
  }
  world.leave(t);
  sweep_if_due(t);
}

// A large block's untouched parts stay without shadow: it is mostly never used again.
void Detector::touched_only(Thread& t, Access& a, std::uint64_t addr, std::uint64_t end) {
  constexpr std::uint64_t kRegion = std::uint64_t{1} << kRegionShift;
  Walk walk(t, wrote(a.kind));
  for (std::uint64_t at = addr; at < end;) {
    std::uint64_t room = end - at;
    const std::uint64_t home = shadow.home(at, room);
    const std::uint64_t left = kRegion - home % kRegion;
    const std::uint64_t stop = at + (left < room ? left : room);
    const Cell* cell = shadow.find(home);
    if (cell == nullptr) {
      at = stop;
      continue;
    }
    const auto skip = [&](bool touched) {
      for (; at < stop; at = at / kGranule * kGranule + kGranule, ++cell) {
        const std::uint32_t h = cell->load(std::memory_order_relaxed);
        if ((h != 0 && h != t.base) != touched) break;
      }
      if (at > stop) at = stop;
    };
    skip(false);
    const std::uint64_t begin = at;
    skip(true);
    if (begin != at) stretch(t, a, walk, begin, at);
  }
}

}  // namespace redflag::live
