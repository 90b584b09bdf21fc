// A process that never had a second thread, and that somebody listens to (listener.h).
//
// It has no races of its own, and never will have with what it did so far: whoever begins a second thread
// tells it all that. So only accesses that the listener hears are checked, and these are forgotten whenever
// they are to be heard again. Of all other memory the cells say, piece by piece as it is touched, that the
// thread has written it in this epoch: that is all that the fast path asks. When a second thread begins,
// the epoch ends, and everything is checked again from then on.
//
// Nobody else looks at cells: plain loads and stores, many at a time.
#include "core/live/detector.h"

namespace redflag::live {
namespace {

constexpr std::uint32_t kWithRecords = static_cast<std::uint32_t>(Form::kMixed)
                                       << slimfast::kIndexBits;
constexpr std::uint64_t kPiece = 1024;  // bytes that are left out together
static_assert(kRegionBytes % kPiece == 0);

}  // namespace

void Detector::forget_alone(std::uint64_t addr, std::uint64_t size) {
  constexpr std::size_t kTogether = 64;
  for (std::uint64_t at = addr / kGranule * kGranule, end = addr + size; at < end;) {
    const std::uint64_t region_end = (at / kRegionBytes + 1) * kRegionBytes;
    const std::uint64_t stop = end < region_end ? end : region_end;
    auto* const cells = reinterpret_cast<std::uint32_t*>(shadow.find(at));
    const std::size_t n = cells == nullptr ? 0 : (stop - at + kGranule - 1) / kGranule;
    for (std::size_t k = 0; k < n; k += kTogether) {
      const std::size_t some = n - k < kTogether ? n - k : kTogether;
      std::uint32_t all = 0;
      for (std::size_t i = 0; i < some; ++i) all |= cells[k + i];
      for (std::size_t i = 0; i < some && all >= kWithRecords; ++i) {
        if (cells[k + i] >= kWithRecords) drop_records(cells[k + i]);
      }
      for (std::size_t i = 0; i < some; ++i) cells[k + i] = 0;
    }
    at = stop;
  }
}

// Aliased memory is not marked: its cells are elsewhere. Nor are records: they order threads that may come.
void Detector::leave_out(Thread& t, std::uint64_t addr) {
  const std::uint64_t begin = addr / kPiece * kPiece;
  if (addr >= kAddressLimit || shadow.aliases.any()) return;
  world.enter(t);
  ensure_base(t);
  auto* cells = reinterpret_cast<std::uint32_t*>(&shadow.get(begin));
  const bool is_whole = !listener.hears(begin, begin + kPiece);
  for (std::uint64_t at = begin; at < begin + kPiece; at += kGranule, ++cells) {
    if (*cells < kWithRecords && (is_whole || !listener.hears(at, at + kGranule))) *cells = t.base;
  }
  world.leave(t);
}

}  // namespace redflag::live
