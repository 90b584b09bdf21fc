// Classes: accesses that conflict with the same others, if at all, and where all of them are.
//
// Of many accesses most are alike: loads of one window, accumulates of one operation. Whether two classes
// can race at all is said by what they do, on which memory and in which phases, without a look at any of
// their accesses. sift.h leaves out what is alone by it; a rank that has many records asks the owner so
// before it sends them (frontends/pgas/track/summary.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "core/detect/pgas/access.h"

namespace redflag::pgas {

struct AccessClass {
  Shape like;              // kind, atomicity, object; the rank, of loads and stores
  std::uint64_t step = 0;  // of atomics: where elements begin
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  // In which some of them were under way.
  std::uint32_t first_phase = 0;
  std::uint32_t last_phase = std::numeric_limits<std::uint32_t>::max();
  bool is_alone = true;  // conflicts with no class, itself among them

  void add(std::uint64_t from, std::uint64_t to) {
    begin = std::min(begin, from);
    end = std::max(end, to);
  }
};

// What accesses of a shape have in common with all others of their class.
inline Shape likeness(const Shape& s) {
  Shape like;
  like.kind = s.kind;
  like.atomicity = s.atomicity;
  like.object = s.object;
  if (info(s.kind).is_local) like.by.rank = s.by.rank;
  return like;
}

inline bool may_race(const AccessClass& x, const AccessClass& y) {
  if (x.begin >= y.end || y.begin >= x.end) return false;
  if (x.first_phase > y.last_phase || y.first_phase > x.last_phase) return false;
  if (are_of_one_process(x.like, y.like)) return false;
  const Fate none;
  return !are_compatible({x.step, x.step + 1, 0, x.like, none},
                         {y.step, y.step + 1, 0, y.like, none});
}

// Says of each whether it is alone.
inline void find_alone(std::span<AccessClass> classes) {
  for (AccessClass& x : classes) {
    for (AccessClass& y : classes) {
      if (may_race(x, y)) x.is_alone = y.is_alone = false;
    }
  }
}

}  // namespace redflag::pgas
