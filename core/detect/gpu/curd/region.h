// A region of memory as CURD keeps it (dissertation, section 6.1.1): where it begins, how long it
// is, and the source of the last access that went into it.
//
// Regions that touch become one. Of two sources only the newer one is kept; the complete bit says
// whether anything was lost by that (section 6.2): it is set in a new region, and survives a merge
// only where both sides have it and name the same source.
//
// Plain data for host and device. An end beyond 2^64 is cut off: no memory is there.
#pragma once

#include <cstdint>

#include "core/detect/gpu/portable.h"

namespace redflag::gpu::curd {

struct Source {
  std::uint32_t site : 31 = 0;
  std::uint32_t complete : 1 = 1;

  friend constexpr bool operator==(const Source&, const Source&) = default;
};
static_assert(sizeof(Source) == 4);

REDFLAG_HD constexpr Source merged(Source older, Source newer) {
  const bool same = older.site == newer.site;
  return {newer.site, same && older.complete && newer.complete ? 1U : 0U};
}

struct Region {
  std::uint64_t begin = 0;
  std::uint32_t size = 0;
  Source source;

  REDFLAG_HD constexpr std::uint64_t end() const {
    const std::uint64_t sum = begin + size;
    return sum < begin ? ~std::uint64_t{0} : sum;
  }
  friend constexpr bool operator==(const Region&, const Region&) = default;
};
static_assert(sizeof(Region) == 16);

// No region grows beyond this: its size must stay a 32-bit number.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;

REDFLAG_HD constexpr bool overlap(const Region& a, const Region& b) {
  return a.begin < b.end() && b.begin < a.end();
}
// Overlapping, or one begins where the other ends.
REDFLAG_HD constexpr bool touch(const Region& a, const Region& b) {
  return a.begin <= b.end() && b.begin <= a.end();
}
REDFLAG_HD constexpr bool fit_in_one(const Region& a, const Region& b) {
  if (!touch(a, b)) return false;
  const std::uint64_t begin = a.begin < b.begin ? a.begin : b.begin;
  const std::uint64_t end = a.end() > b.end() ? a.end() : b.end();
  return end - begin <= kMostBytes;
}
REDFLAG_HD constexpr Region merged(const Region& older, const Region& newer) {
  const std::uint64_t begin = older.begin < newer.begin ? older.begin : newer.begin;
  const std::uint64_t end = older.end() > newer.end() ? older.end() : newer.end();
  return {begin, static_cast<std::uint32_t>(end - begin), merged(older.source, newer.source)};
}
// What two regions that overlap have in common.
REDFLAG_HD constexpr Region common(const Region& a, const Region& b) {
  const std::uint64_t begin = a.begin > b.begin ? a.begin : b.begin;
  const std::uint64_t end = a.end() < b.end() ? a.end() : b.end();
  return {begin, static_cast<std::uint32_t>(end - begin), a.source};
}

}  // namespace redflag::gpu::curd
