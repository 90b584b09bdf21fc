// How accesses to parts of granules wait, and are checked (parts.h says why).
#include "core/live/parts.h"

#include "core/live/detector.h"

namespace redflag::live {

namespace {
constexpr std::int32_t kWorthless = -256;
constexpr std::uint32_t kPause = 4096;  // accesses that do not wait, before it is tried again
}  // namespace

// Takes entry i, and checks what it has. The thread is inside.
void Detector::check_part(Thread& t, unsigned i) {
  const std::uint64_t e = t.parts.entry[i];
  t.parts.entry[i] = 0;
  t.parts.worth += (e & Parts::kAgain) != 0 ? (t.parts.worth < 0 ? 1 : 0) : -1;
  const std::uint64_t g = (e >> Parts::kGranuleShift) * kGranule;
  const auto written = static_cast<unsigned>(e & Parts::kAll);
  const auto read = static_cast<unsigned>(e >> Parts::kReadShift & Parts::kAll) & ~written;
  check_bytes<true>(t, g, written);
  check_bytes<false>(t, g, read);
}

template <bool is_write>
void Detector::check_bytes(Thread& t, std::uint64_t g, unsigned bytes) {
  while (bytes != 0) {
    const auto low = static_cast<unsigned>(__builtin_ctz(bytes));
    const auto size = static_cast<unsigned>(__builtin_ctz(~(bytes >> low)));
    bytes &= ~static_cast<unsigned>(Parts::bits_of(low, size));
    if (part_at_once<is_write>(t, g + low, size)) continue;
    Access a{g + low, size, 0, is_write ? LogKind::kWrite : LogKind::kRead, 0, kInLog};
    granule(t, a, g, low, low + size);
    flush(t, a);
  }
}

void Detector::check_parts(Thread& t) {
  if (!t.parts.any()) return;
  for (std::uint32_t k = 0; k < t.parts.count; ++k) {
    if (t.parts.entry[t.parts.used[k]] != 0) check_part(t, t.parts.used[k]);
  }
  t.parts.count = 0;
  --t.waiting_count;
}

void Detector::check_parts_touching(Thread& t, std::uint64_t addr, std::uint64_t size) {
  const std::uint64_t first = addr / kGranule;
  const std::uint64_t last = (addr + size - 1) / kGranule;
  for (std::uint32_t k = 0; k < t.parts.count; ++k) {
    const std::uint64_t e = t.parts.entry[t.parts.used[k]];
    const std::uint64_t g = e >> Parts::kGranuleShift;
    if (e != 0 && g >= first && g <= last) check_part(t, t.parts.used[k]);
  }
}

// Puts [at, at + size), of one granule, to what waits; and checks the granule if it is whole now.
template <bool is_write>
[[gnu::always_inline]] inline void Detector::add_part(Thread& t, std::uint64_t at, unsigned size) {
  const std::uint64_t g = at / kGranule;
  const unsigned i = Parts::place_of(g);
  std::uint64_t& e = t.parts.entry[i];
  std::uint64_t bits = Parts::bits_of(static_cast<unsigned>(at % kGranule), size);
  if (!is_write) bits <<= Parts::kReadShift;
  if ((e >> Parts::kGranuleShift) != g || e == 0) {
    if (e != 0) {
      check_part(t, i);
    } else {
      if (t.parts.count == Parts::kEntries) check_parts(t);
      if (!t.parts.any()) {
        ++t.waiting_count;
        t.parts.since = t.log.briefs_written();
      }
      t.parts.used[t.parts.count++] = static_cast<std::uint16_t>(i);
    }
    e = g << Parts::kGranuleShift | bits;
    return;
  }
  e |= bits | Parts::kAgain;
  if ((e & Parts::kAll) == Parts::kAll || (e >> Parts::kReadShift & Parts::kAll) == Parts::kAll) {
    check_part(t, i);
  }
}

// Is all of it there already?
template <bool is_write>
[[gnu::always_inline]] inline bool Detector::has_part(const Thread& t, std::uint64_t at,
                                                      unsigned size) {
  const std::uint64_t g = at / kGranule;
  const std::uint64_t e = t.parts.entry[Parts::place_of(g)];
  const std::uint64_t bits = Parts::bits_of(static_cast<unsigned>(at % kGranule), size);
  std::uint64_t known = e & Parts::kAll;
  if (!is_write) known |= e >> Parts::kReadShift & Parts::kAll;
  return (e >> Parts::kGranuleShift) == g && (bits & ~known) == 0;
}

template <bool is_write>
void Detector::check_small(Thread& t, std::uint64_t addr, unsigned size, std::uint64_t pc) {
  if (is_left_out(t, addr, size)) return;
  if (t.parts.not_now != 0 || (addr | size) % kGranule == 0) {
    if (t.parts.not_now != 0) --t.parts.not_now;
    return check_at_once<is_write>(t, addr, size, pc);
  }
  const auto first = static_cast<unsigned>(kGranule - addr % kGranule);
  if (size <= first ? has_part<is_write>(t, addr, size)
                    : size - first < kGranule && has_part<is_write>(t, addr, first) &&
                          has_part<is_write>(t, addr + first, size - first)) {
    return;
  }
  world.enter(t);
  if (listener.hears(addr, addr + size)) {
    world.leave(t);
    return check_at_once<is_write>(t, addr, size, pc);
  }
  t.log.add({Brief::what_of(addr, size, is_write ? LogKind::kWrite : LogKind::kRead, 0), pc,
             t.clock.epoch.clock(), node_of(t), lockset(t)});
  for (std::uint64_t at = addr, end = addr + size; at < end;) {
    const std::uint64_t next = (at | (kGranule - 1)) + 1;
    const auto here = static_cast<unsigned>((end < next ? end : next) - at);
    if (here == kGranule) {
      check_bytes<is_write>(t, at, Parts::kAll);
    } else {
      add_part<is_write>(t, at, here);
    }
    at += here;
  }
  // What waits must be found in the log when its turn comes.
  if (t.log.briefs_written() - t.parts.since > log_capacity / 2) check_parts(t);
  if (t.parts.worth < kWorthless) {
    t.parts.worth = kWorthless / 2;
    t.parts.not_now = kPause;
  }
  world.leave(t);
  sweep_if_due(t);
}
template void Detector::check_small<false>(Thread&, std::uint64_t, unsigned, std::uint64_t);
template void Detector::check_small<true>(Thread&, std::uint64_t, unsigned, std::uint64_t);

}  // namespace redflag::live
