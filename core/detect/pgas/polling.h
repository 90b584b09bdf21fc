// Polling: a load that waits for what an operation of another rank writes.
//
// Where the window's memory is unified, the load returns the old value or the new one (MPI 3.1, 11.7), and
// OpenSHMEM's wait functions are made of nothing else. It is a race all the same: the compiler may
// load once, and nothing orders what the writer did before. It has a rule of its own, since what is to
// be changed is the loop.
//
// It looks like polling if one statement loads the same few bytes at three times or more, in one phase. A loop that
// makes no call is seen once: there, what polls is told by the compiler (frontends/cpu/pass/polled.h), or is an atomic or
// volatile load.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/detect/pgas/races.h"

namespace redflag::pgas {

inline constexpr std::uint64_t kMostPolled = 8;  // bytes: a flag, a counter, a pointer
inline constexpr std::ptrdiff_t kPolls = 3;

inline bool is_polling(const History& history, const Race& race) {
  const auto is_load = [](const Access& a) { return info(a.kind).is_local && !writes(a); };
  const bool first_loads = is_load(race.first);
  const Access& load = first_loads ? race.first : race.second;
  const Access& other = first_loads ? race.second : race.first;
  if (!is_load(load) || info(other.kind).is_local || !writes(other)) return false;
  if (load.source == 0 || race.end - race.begin > kMostPolled) return false;
  if (load.kind != AccessKind::kLoad) return true;
  const auto is_alike = [&](const Item& each) {
    const Shape& shape = history.shapes[each.shape];
    return shape.kind == AccessKind::kLoad && shape.source == load.source && shape.by == load.by &&
           each.begin == load.begin && each.end == load.end;
  };
  return std::count_if(history.items.begin(), history.items.end(), is_alike) >= kPolls;
}

}  // namespace redflag::pgas
