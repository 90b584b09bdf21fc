// Compression of thread sets (dissertation, section 6.1.2, figure 6.5): neighbours that touch
// become one region.
//
// Over a row of the striped layout: the ordering bitmap has the lanes whose region does not begin
// before that of the lane to the left, the mergeability bitmap those whose region touches it, each
// as a word of 32 bits; lanes without a region have no bit and are nobody's neighbour. A scan of
// the mergeability bitmap (here: counting bits below) gives the place of each lane in the output,
// and the ordering bitmap says whether a run's first and last lane are its ends. For rows with a
// stride and no gaps all this is a comparison of stride and size.
//
// Runs keep their lanes, for the checks within a block. Squeeze merges the runs of row after row
// into the compressed set, and tells whether that came out sorted. Host and device.
#pragma once

#include "core/detect/gpu/curd/stripe.h"

namespace redflag::gpu::curd {

struct Bitmaps {
  LaneMask ordered = 0;
  LaneMask mergeable = 0;
  LaneMask overlapping = 0;  // more than adjacent
};

REDFLAG_HD constexpr bool without_gaps(LaneMask lanes) {
  const LaneMask from_first = lanes >> first_lane(lanes);
  return (from_first & (from_first + 1)) == 0;
}

REDFLAG_HD constexpr Bitmaps bitmaps_of(const Stripe& stripe, const Row& row) {
  Bitmaps out;
  const auto size = static_cast<std::int64_t>(row.size);
  const LaneMask others = row.lanes & (row.lanes - 1);
  if (row.scattered == 0 && without_gaps(row.lanes)) {
    if (row.stride >= 0) out.ordered = others;
    const bool may_merge = row.size <= kMostBytes / kLanes;
    if (row.stride <= size && row.stride >= -size && may_merge) out.mergeable = others;
    if (row.stride < size && row.stride > -size) out.overlapping = others;
    return out;
  }
  // Neighbours touch when one begins at most a size before or behind the other. A row of regions so
  // large that 32 of them would not fit in one merges nothing.
  const std::uint64_t reach = row.size;
  const bool may_merge = reach <= kMostBytes / kLanes;
  std::uint64_t left = stripe.begin(row, first_lane(row.lanes));
  for (LaneMask rest = others; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    const LaneMask bit = LaneMask{1} << lane;
    const std::uint64_t begin = stripe.begin(row, lane);
    const std::uint64_t away = begin - left + reach;  // from 0, a size before, to two sizes
    if (begin >= left) out.ordered |= bit;
    if (away <= 2 * reach && may_merge) out.mergeable |= bit;
    if (away - 1 < 2 * reach - 1) out.overlapping |= bit;
    left = begin;
  }
  return out;
}

// Lanes of a row whose regions are one.
struct Run {
  std::uint64_t begin = 0, end = 0;
  LaneMask lanes = 0;
  bool crossing = false;  // two of its lanes may overlap
};

REDFLAG_HD constexpr LaneMask lanes_below(unsigned lane) {
  return (LaneMask{1} << lane) - 1;
}
// The exclusive scan: how many runs begin left of the lane. By this each lane of a device finds the
// place of its run; where lanes come one after the other, it is a count.
REDFLAG_HD constexpr unsigned runs_before(LaneMask starts, unsigned lane) {
  return count_lanes(starts & lanes_below(lane));
}

// At most kLanes of them, into `out`; their number.
REDFLAG_HD constexpr unsigned runs_of(const Stripe& stripe, const Row& row, Run* out) {
  const Bitmaps bits = bitmaps_of(stripe, row);
  const LaneMask starts = row.lanes & ~bits.mergeable;
  unsigned count = 0;
  if (starts == row.lanes) {  // nothing merges
    for (LaneMask rest = starts; rest != 0; rest &= rest - 1) {
      const unsigned lane = first_lane(rest);
      const Region region = stripe.region(row, lane);
      out[count++] = {region.begin, region.end(), LaneMask{1} << lane, false};
    }
    return count;
  }
  for (LaneMask rest = starts; rest != 0; rest &= rest - 1) {
    const unsigned first = first_lane(rest);
    const LaneMask later = rest & (rest - 1);
    const LaneMask upto = later == 0 ? ~LaneMask{0} : lanes_below(first_lane(later));
    Run run;
    run.lanes = row.lanes & upto & ~lanes_below(first);
    const LaneMask inner = run.lanes & (run.lanes - 1);
    const bool ascending = (inner & ~bits.ordered) == 0;
    const bool descending = (inner & bits.ordered) == 0;
    const std::uint64_t a = stripe.begin(row, first);
    const std::uint64_t b = stripe.begin(row, last_lane(run.lanes));
    run.begin = a < b ? a : b;
    run.end = Region{a < b ? b : a, row.size, {}}.end();
    if (!ascending && !descending) {
      for (LaneMask each = inner; each != 0; each &= each - 1) {
        const Region region = stripe.region(row, first_lane(each));
        if (region.begin < run.begin) run.begin = region.begin;
        if (region.end() > run.end) run.end = region.end();
      }
    }
    run.crossing = (inner & bits.overlapping) != 0 || (!ascending && !descending);
    out[count++] = run;
  }
  return count;
}

// The compressed set: regions in the order of their rows, each merged with the one before where
// they touch. The caller has made room for all runs.
struct Squeeze {
  Region* out = nullptr;
  std::uint32_t count = 0;
  bool sorted = true;

  REDFLAG_HD constexpr void add(const Region& region) {
    if (count != 0) {
      Region& last = out[count - 1];
      if (fit_in_one(last, region)) {
        last = merged(last, region);
        sorted &= count < 2 || out[count - 2].begin <= last.begin;
        return;
      }
      sorted &= last.begin <= region.begin;
    }
    out[count++] = region;
  }
};

}  // namespace redflag::gpu::curd
