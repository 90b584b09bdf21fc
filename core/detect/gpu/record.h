// Record: one access as the shadow keeps it, in sixteen bytes.
//
// `thread` is the number of lane 0 of the warp (or of the warp's copies); which lanes made the access
// is kept beside it. `launch` is the number that HostOrder gave: accesses of other launches are
// compared by what streams and the host order, not by clocks.
#pragma once

#include <bit>
#include <cstdint>

#include "core/detect/gpu/grid.h"
#include "core/model/event.h"
#include "core/model/gpu.h"

namespace redflag::gpu {

inline constexpr std::uint32_t kMostLaunches = 1U << 20;

struct Record {
  Time time = 0;  // 0: no access
  ThreadIndex thread = 0;
  std::uint32_t site : 24 = 0;
  std::uint32_t kind : 3 = 0;   // EventKind: kRead .. kAtomicRmw
  std::uint32_t order : 3 = 0;  // Order
  std::uint32_t is_volatile : 1 = 0;
  std::uint32_t is_async : 1 = 0;
  std::uint32_t launch : 20 = 0;
  std::uint32_t scope : 3 = 0;     // Scope
  std::uint32_t log_size : 3 = 0;  // of the whole access
  std::uint32_t writes : 1 = 0;
  std::uint32_t strong : 1 =
      0;  // atomic, or volatile where that counts: may meet others of its kind
  std::uint32_t locked : 1 = 0;
  std::uint32_t observed : 1 = 0;  // a later atomic has seen this one: only other atomics can race
  std::uint32_t is_reduction : 1 = 0;
  std::uint32_t unused : 1 = 0;

  EventKind event() const { return static_cast<EventKind>(kind); }
  Level level() const { return level_of(static_cast<Scope>(scope)); }

  friend bool operator==(const Record&, const Record&) = default;
};
static_assert(sizeof(Record) == 16, "two of them in every shadow cell");

}  // namespace redflag::gpu
