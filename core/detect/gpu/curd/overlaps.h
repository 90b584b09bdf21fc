// Which lanes of two rows access the same bytes: what is left of a check once two runs overlap.
//
// Rows with the same stride, and rows with a stride against one region, are decided by division;
// addresses that are scattered, lane by lane. A thread never races with itself, so rows of one warp
// leave equal lanes out; the common case of a thread that reads what it writes is decided by three
// comparisons. Host and device.
#pragma once

#include "core/detect/gpu/curd/compress.h"

namespace redflag::gpu::curd {

// Rounds down, also below zero; by > 0.
REDFLAG_HD constexpr std::int64_t floor_div(std::int64_t value, std::int64_t by) {
  const std::int64_t quotient = value / by;
  return quotient * by > value ? quotient - 1 : quotient;
}

// Lanes `from` to `to`, as far as there are any.
REDFLAG_HD constexpr LaneMask lanes_between(std::int64_t from, std::int64_t to) {
  if (from > to || to < 0 || from >= kLanes) return 0;
  const auto low = static_cast<unsigned>(from < 0 ? 0 : from);
  const LaneMask upto = to >= kLanes - 1 ? ~LaneMask{0} : (LaneMask{2} << to) - 1;
  return upto & ~lanes_below(low);
}

// Those of `lanes` of the row whose region overlaps [begin, end).
REDFLAG_HD constexpr LaneMask overlapping(const Stripe& stripe, const Row& row, LaneMask lanes,
                                          std::uint64_t begin, std::uint64_t end) {
  if (row.scattered == 0 && row.stride == 0) {
    const Region region{row.base, row.size, {}};
    return region.begin < end && begin < region.end() ? lanes : 0;
  }
  const std::uint64_t reach = std::uint64_t{1} << 62;
  const std::uint64_t away = begin - row.base;
  if (row.scattered == 0 && away + reach < 2 * reach && end - begin < reach) {
    // Lane k begins at k * stride behind base: it must begin before end, and end behind begin.
    const auto from = static_cast<std::int64_t>(away) - row.size + 1;
    const auto to = static_cast<std::int64_t>(end - row.base) - 1;
    const std::int64_t step = row.stride < 0 ? -row.stride : row.stride;
    const std::int64_t low = row.stride < 0 ? -to : from;
    const std::int64_t high = row.stride < 0 ? -from : to;
    return lanes & lanes_between(-floor_div(-low, step), floor_div(high, step));
  }
  LaneMask out = 0;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    const Region region = stripe.region(row, lane);
    if (region.begin < end && begin < region.end()) out |= LaneMask{1} << lane;
  }
  return out;
}

struct Lot {  // some lanes of a row
  const Stripe* stripe = nullptr;
  const Row* row = nullptr;
  LaneMask lanes = 0;
};

// Lanes of two rows of one warp that begin `offset` apart: does any lane meet another than itself?
REDFLAG_HD constexpr bool only_own(const Row& a, const Row& b) {
  if (a.scattered != 0 || b.scattered != 0 || a.stride != b.stride || a.stride == 0) return false;
  const auto offset = static_cast<std::int64_t>(b.base - a.base);
  const std::int64_t step = a.stride < 0 ? -a.stride : a.stride;
  return offset + step >= a.size && offset - step <= -static_cast<std::int64_t>(b.size);
}

// visit(lane of a, lanes of b that overlap it) until it says false; false then.
template <typename Visit>
REDFLAG_HD constexpr bool each_overlap(const Lot& a, const Lot& b, bool same_warp, Visit visit) {
  if (same_warp && only_own(*a.row, *b.row)) return true;
  for (LaneMask rest = a.lanes; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    const Region region = a.stripe->region(*a.row, lane);
    LaneMask met = overlapping(*b.stripe, *b.row, b.lanes, region.begin, region.end());
    if (same_warp) met &= ~(LaneMask{1} << lane);
    if (met != 0 && !visit(lane, met)) return false;
  }
  return true;
}

}  // namespace redflag::gpu::curd
