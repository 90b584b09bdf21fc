// Sets of regions as arrays (dissertation, section 6.1.1 and "Caching Thread-Set Insertions" in
// 6.2): in no order, those in use densely at the front, so that adding is a bump and clearing a
// zero.
//
// Insertion looks at the last `most` regions only, from the last one backwards, and puts what it
// merged last: what was accessed just now is what comes next. So regions of a set may touch or
// overlap; intersections look at all of them and lose nothing by it. Searching all (`most` = count)
// gives the text's disjoint and non-adjacent sets, when merging goes on recursively.
//
// Intersection is linear for sorted sets. Host and device; memory is the caller's, who makes room
// for one more region before he inserts.
#pragma once

#include <cstdint>

#include "core/detect/gpu/curd/region.h"

namespace redflag::gpu::curd {

enum class Insertion : std::uint8_t {
  kLast,    // merged into the region that was inserted or merged last
  kCached,  // merged into another one of those looked at
  kAdded,   // by itself
};

struct Inserted {
  Insertion how;
  std::uint32_t count;  // of the set, now
};

// Regions regions[0 .. count), and room for one more.
REDFLAG_HD constexpr Inserted insert(Region* regions, std::uint32_t count, const Region& added,
                                     std::uint32_t most) {
  const std::uint32_t stop = count > most ? count - most : 0;
  std::uint32_t at = count;
  while (at > stop && !fit_in_one(regions[at - 1], added)) --at;
  if (at == stop) {
    regions[count] = added;
    return {Insertion::kAdded, count + 1};
  }
  const Insertion how = at == count ? Insertion::kLast : Insertion::kCached;
  Region grown = merged(regions[at - 1], added);
  // The grown region goes last. What stands behind its old place was looked at and does not touch
  // `added`, but may touch what it became part of; what stands before may too.
  std::uint32_t kept = at - 1;
  for (std::uint32_t i = at; i < count; ++i) regions[kept++] = regions[i];
  for (std::uint32_t i = kept; i > stop; --i) {
    if (!fit_in_one(regions[i - 1], grown)) continue;
    grown = merged(regions[i - 1], grown);
    --kept;
    for (std::uint32_t j = i - 1; j < kept; ++j) regions[j] = regions[j + 1];
    i = kept + 1;  // it is larger: once more from the end
  }
  regions[kept] = grown;
  return {how, kept + 1};
}

REDFLAG_HD constexpr bool is_sorted(const Region* regions, std::uint32_t count) {
  for (std::uint32_t i = 1; i < count; ++i) {
    if (regions[i].begin < regions[i - 1].begin) return false;
  }
  return true;
}

// In place, by begin; a heap, so that no set is slow.
REDFLAG_HD constexpr void sort(Region* regions, std::uint32_t count) {
  const auto sift = [regions](std::uint32_t root, std::uint32_t end) {
    const Region moved = regions[root];
    while (2 * root + 1 < end) {
      std::uint32_t child = 2 * root + 1;
      if (child + 1 < end && regions[child].begin < regions[child + 1].begin) ++child;
      if (regions[child].begin <= moved.begin) break;
      regions[root] = regions[child];
      root = child;
    }
    regions[root] = moved;
  };
  for (std::uint32_t i = count / 2; i > 0; --i) sift(i - 1, count);
  for (std::uint32_t end = count; end > 1; --end) {
    const Region top = regions[0];
    regions[0] = regions[end - 1];
    regions[end - 1] = top;
    sift(0, end - 1);
  }
}

// A sorted set whose regions touch only where they would be too large: its size. In place.
REDFLAG_HD constexpr std::uint32_t merge_sorted(Region* regions, std::uint32_t count) {
  if (count == 0) return 0;
  std::uint32_t last = 0;
  for (std::uint32_t i = 1; i < count; ++i) {
    if (fit_in_one(regions[last], regions[i])) {
      regions[last] = merged(regions[last], regions[i]);
    } else {
      regions[++last] = regions[i];
    }
  }
  return last + 1;
}

// The first pair of overlapping regions of two sorted sets that merge_sorted has made; false: none.
struct Meeting {
  std::uint32_t a = 0, b = 0;
};
REDFLAG_HD constexpr bool meet(const Region* a, std::uint32_t a_count, const Region* b,
                               std::uint32_t b_count, Meeting& at) {
  while (at.a < a_count && at.b < b_count) {
    if (overlap(a[at.a], b[at.b])) return true;
    if (a[at.a].end() < b[at.b].end()) {
      ++at.a;
    } else {
      ++at.b;
    }
  }
  return false;
}

}  // namespace redflag::gpu::curd
