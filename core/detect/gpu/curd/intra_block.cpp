#include "core/detect/gpu/curd/intra_block.h"

#include <algorithm>

namespace redflag::gpu::curd {
namespace {

std::size_t runs_index(Side side) {
  return side == Side::kWrite ? 0 : 1;
}

}  // namespace

IntraBlock::IntraBlock(Counts& counts, std::pmr::memory_resource* memory)
    : counts_(counts),
      compressed_{Compressed(memory), Compressed(memory), Compressed(memory), Compressed(memory)},
      runs_{Runs(memory), Runs(memory)} {}

void IntraBlock::check(const BlockState& block, std::size_t space, bool all, IntraBlockSink& sink) {
  all_ = all;
  for (std::size_t i = 0; i < kSideCount; ++i) {
    Compressed& set = compressed_[i];
    set.count = 0;
    set.sorted = true;
    set.low = ~std::uint64_t{0};
    set.high = 0;
    const Side side{static_cast<std::uint8_t>(i)};
    if (writes(side)) {
      runs_[runs_index(side)].refs.clear();
      runs_[runs_index(side)].in_order = false;
    }
    if (block.used(side, space)) compress(block, side, space);
  }
  const bool plain = block.used(Side::kWrite, space);
  const bool atomic = block.used(Side::kAtomicWrite, space);
  if (!plain && !atomic) return counts_.add(Rule::kNoWrites);
  if (plain) {
    write_write(block, Side::kWrite, sink);
    read_write(block, space, Side::kRead, Side::kWrite, Rule::kReadWrite, sink);
    read_write(block, space, Side::kAtomicRead, Side::kWrite, Rule::kAtomicPlain, sink);
    read_write(block, space, Side::kAtomicWrite, Side::kWrite, Rule::kAtomicPlain, sink);
  }
  if (atomic) {
    read_write(block, space, Side::kRead, Side::kAtomicWrite, Rule::kAtomicPlain, sink);
  }
}

// Rows in the order of the striped layout: the first of each warp, then the second.
void IntraBlock::compress(const BlockState& block, Side side, std::size_t space) {
  std::uint32_t most = 0, rows = 0;
  for (const WarpSets& warp : block.warps) {
    const std::uint32_t count = warp.stores[index_of(side)][space].stripe().count;
    most = std::max(most, count);
    rows += count;
  }
  Compressed& to = compressed_[index_of(side)];
  if (to.regions.size() < std::size_t{rows} * kLanes) to.regions.resize(std::size_t{rows} * kLanes);
  Squeeze squeeze{to.regions.data(), 0, true};
  std::array<Run, kLanes> found;
  for (std::uint32_t r = 0; r < most; ++r) {
    for (std::uint32_t w = 0; w < block.warps.size(); ++w) {
      const Stripe& stripe = block.warps[w].stores[index_of(side)][space].stripe();
      if (r >= stripe.count) continue;
      const Row& row = stripe.rows[r];
      const unsigned count = runs_of(stripe, row, found.data());
      for (unsigned i = 0; i < count; ++i) {
        const Run& run = found[i];
        squeeze.add({run.begin, static_cast<std::uint32_t>(run.end - run.begin), row.source});
        to.low = std::min(to.low, run.begin);
        to.high = std::max(to.high, run.end);
        if (!writes(side)) continue;
        runs_[runs_index(side)].refs.push_back(
            {run.begin, run.end, &stripe, &row, run.lanes, w, run.crossing});
      }
    }
  }
  to.count = squeeze.count;
  to.sorted = squeeze.sorted;
  counts_.add(to.sorted ? Rule::kSortedSet : Rule::kUnsortedSet);
}

void IntraBlock::put_in_order(Runs& runs) const {
  if (runs.in_order) return;
  runs.in_order = true;
  const auto before = [](const RunRef& a, const RunRef& b) { return a.begin < b.begin; };
  if (!std::is_sorted(runs.refs.begin(), runs.refs.end(), before)) {
    std::sort(runs.refs.begin(), runs.refs.end(), before);
  }
  runs.reach.resize(runs.refs.size());
  runs.set.resize(runs.refs.size());
  std::uint64_t furthest = 0;
  for (std::size_t i = 0; i < runs.refs.size(); ++i) {
    const RunRef& run = runs.refs[i];
    furthest = std::max(furthest, run.end);
    runs.reach[i] = furthest;
    runs.set[i] = {run.begin, static_cast<std::uint32_t>(run.end - run.begin), {}};
  }
  runs.set.resize(merge_sorted(runs.set.data(), static_cast<std::uint32_t>(runs.set.size())));
}

void IntraBlock::write_write(const BlockState& block, Side side, IntraBlockSink& sink) {
  Runs& runs = runs_[runs_index(side)];
  put_in_order(runs);
  bool raced = false;
  for (std::size_t i = 0; i < runs.refs.size(); ++i) {
    const RunRef& a = runs.refs[i];
    if (a.crossing) raced |= pair(block, Rule::kWriteWrite, a, side, a, side, sink);
    for (std::size_t j = i + 1; j < runs.refs.size() && runs.refs[j].begin < a.end; ++j) {
      raced |= pair(block, Rule::kWriteWrite, a, side, runs.refs[j], side, sink);
    }
  }
  if (!raced) counts_.add(Rule::kTriangular);
}

// The optimistic test: whether no read at all meets a write. Mostly they are of different arrays.
bool IntraBlock::disjoint(Side reads, Side writes) {
  const Compressed& from = compressed_[index_of(reads)];
  const Compressed& to = compressed_[index_of(writes)];
  if (from.high <= to.low || to.high <= from.low) return true;
  Runs& runs = runs_[runs_index(writes)];
  put_in_order(runs);
  const std::pmr::vector<Region>& set = runs.set;
  if (from.sorted) {
    Meeting at;
    return !meet(from.regions.data(), from.count, set.data(),
                 static_cast<std::uint32_t>(set.size()), at);
  }
  for (std::uint32_t i = 0; i < from.count; ++i) {
    const Region& region = from.regions[i];
    if (region.begin >= to.high || region.end() <= to.low) continue;
    const auto behind = std::partition_point(
        set.begin(), set.end(), [&](const Region& each) { return each.end() <= region.begin; });
    if (behind != set.end() && behind->begin < region.end()) return false;
  }
  return true;
}

void IntraBlock::read_write(const BlockState& block, std::size_t space, Side reads, Side writes,
                            Rule rule, IntraBlockSink& sink) {
  if (!block.used(reads, space)) return;
  if (disjoint(reads, writes)) return counts_.add(Rule::kOptimistic);
  const Runs& runs = runs_[runs_index(writes)];
  bool raced = false;
  std::array<Run, kLanes> found;
  for (std::uint32_t w = 0; w < block.warps.size(); ++w) {
    const Stripe& stripe = block.warps[w].stores[index_of(reads)][space].stripe();
    for (std::uint32_t r = 0; r < stripe.count; ++r) {
      const Row& row = stripe.rows[r];
      const unsigned count = runs_of(stripe, row, found.data());
      for (unsigned i = 0; i < count; ++i) {
        const Run& run = found[i];
        const RunRef reader{run.begin, run.end, &stripe, &row, run.lanes, w, run.crossing};
        auto at = std::partition_point(runs.refs.begin(), runs.refs.end(),
                                       [&](const RunRef& each) { return each.begin < run.end; });
        while (at != runs.refs.begin() && runs.reach[at - runs.refs.begin() - 1] > run.begin) {
          --at;
          if (at->end > run.begin) raced |= pair(block, rule, reader, reads, *at, writes, sink);
        }
      }
    }
  }
  if (!raced) counts_.add(Rule::kOwnAccesses);
}

// Threads of two runs that meet; false when it is each only with itself, or with whom it is in
// order.
bool IntraBlock::pair(const BlockState& block, Rule rule, const RunRef& a, Side a_side,
                      const RunRef& b, Side b_side, IntraBlockSink& sink) {
  if (a.row->kept && b.row->kept) return false;  // compared before the barrier
  Lot first{a.stripe, a.row, a.lanes}, second{b.stripe, b.row, b.lanes};
  const bool same_warp = a.warp == b.warp;
  if (same_warp && !a.row->kept && !b.row->kept && a.row->epoch != b.row->epoch) {
    Lot& earlier = a.row->epoch < b.row->epoch ? first : second;
    earlier.lanes &= block.warps[a.warp].left_at(*earlier.row);
    if (earlier.lanes == 0) return false;
  }
  bool raced = false;
  each_overlap(first, second, same_warp, [&](unsigned lane, LaneMask met) {
    for (LaneMask rest = met; rest != 0; rest &= rest - 1) {
      const unsigned other = first_lane(rest);
      const Region common_part =
          common(a.stripe->region(*a.row, lane), b.stripe->region(*b.row, other));
      raced = true;
      sink.race(rule, {a_side, a.warp, lane, a.row->source, a.row->size},
                {b_side, b.warp, other, b.row->source, b.row->size}, common_part);
      if (!all_) return false;
    }
    return true;
  });
  if (raced) counts_.add(rule);
  return raced;
}

std::size_t IntraBlock::bytes() const {
  std::size_t sum = 0;
  for (const Compressed& each : compressed_) sum += each.regions.capacity() * sizeof(Region);
  for (const Runs& each : runs_) {
    sum += each.refs.capacity() * sizeof(RunRef) + each.reach.capacity() * sizeof(std::uint64_t) +
           each.set.capacity() * sizeof(Region);
  }
  return sum;
}

}  // namespace redflag::gpu::curd
