// Parts: accesses to some bytes of a granule, which wait until the granule is whole.
//
// A string that is copied, a struct of floats, a table of bytes: whoever accesses some bytes of a
// granule mostly accesses the others next, by whatever instruction. One by one they would split its
// history and join it again. So they wait here, by granule and not by instruction as runs do (log.h):
// PARSNIP's coalescing store buffer (section 3.5), in software. A granule is checked when all of it was
// written or read, when its place is needed by another, and when the thread synchronises. That they may
// wait is argued in log.h; where each was made is in the log already.
//
// Written and read by its own thread, inside; by others only when the world is stopped.
#pragma once

#include <cstdint>

#include "core/live/shadow.h"

namespace redflag::live {

struct Parts {
  static constexpr unsigned kEntries = 1024;
  static constexpr std::uint64_t kAll = 0xff;
  // Granule number, whether it came more than once, and a bit for each byte read and written.
  static constexpr unsigned kReadShift = 8;
  static constexpr std::uint64_t kAgain = 1U << 16;
  static constexpr unsigned kGranuleShift = 17;
  static unsigned place_of(std::uint64_t granule) {
    return static_cast<std::uint32_t>(granule * 0x9e3779b1U) >> 22;
  }
  static std::uint64_t bits_of(unsigned low, unsigned size) {
    return ((std::uint64_t{1} << size) - 1) << low;
  }
  bool any() const { return count != 0; }

  std::uint64_t entry[kEntries];
  std::uint16_t used[kEntries];  // places of entries, and of some that are none any more
  std::uint32_t count;
  std::uint64_t since;  // log entries when the first of them came
  // Is waiting worth it? Hits less misses; below a limit, so many accesses do not wait.
  std::int32_t worth;
  std::uint32_t not_now;
};
static_assert(Parts::kEntries == 1U << 10);

}  // namespace redflag::live
