#include "core/detect/gpu/curd/inter_block.h"

#include <algorithm>

namespace redflag::gpu::curd {
namespace {

// Of a region that races with very many others, so many are told.
constexpr unsigned kMostTold = 8;

// What is compared with the writes of other blocks besides writes.
struct Against {
  Side reads;
  Side writes;
};
constexpr std::array<Against, 4> kAgainst{{{Side::kRead, Side::kWrite},
                                           {Side::kRead, Side::kAtomicWrite},
                                           {Side::kAtomicRead, Side::kWrite},
                                           {Side::kAtomicWrite, Side::kWrite}}};

Rule plain_or_atomic(const Against& pair, Rule rule) {
  return is_atomic(pair.reads) || is_atomic(pair.writes) ? Rule::kAtomicPlain : rule;
}

}  // namespace

LazyChecks::LazyChecks(Counts& counts, std::pmr::memory_resource* memory)
    : counts_(counts),
      lists_{List(memory), List(memory), List(memory), List(memory)},
      reach_(memory) {}

void LazyChecks::clear() {
  for (List& list : lists_) list.clear();
}

void LazyChecks::add(std::uint32_t ordinal, Side side, const std::pmr::vector<Region>& set) {
  for (const Region& region : set) lists_[index_of(side)].push_back({region, ordinal});
}

void LazyChecks::put_in_order(List& list) {
  const auto before = [](const Owned& a, const Owned& b) {
    return a.region.begin < b.region.begin;
  };
  if (!std::is_sorted(list.begin(), list.end(), before))
    std::sort(list.begin(), list.end(), before);
  reach_.resize(list.size());
  std::uint64_t furthest = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    furthest = std::max(furthest, list[i].region.end());
    reach_[i] = furthest;
  }
}

void LazyChecks::finish(bool all, InterBlockSink& sink) {
  put_in_order(lists_[index_of(Side::kWrite)]);
  write_write(all, sink);
  for (const Side writes : {Side::kWrite, Side::kAtomicWrite}) {
    if (lists_[index_of(writes)].empty()) continue;
    if (writes == Side::kAtomicWrite && lists_[index_of(Side::kRead)].empty()) continue;
    put_in_order(lists_[index_of(writes)]);
    for (const Against& pair : kAgainst) {
      if (pair.writes != writes) continue;
      read_write(pair.reads, writes, plain_or_atomic(pair, Rule::kLazyReadWrite), all, sink);
    }
  }
}

void LazyChecks::write_write(bool all, InterBlockSink& sink) {
  const List& list = lists_[index_of(Side::kWrite)];
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Owned& a = list[i];
    unsigned told = 0;
    for (std::size_t j = i + 1; j < list.size() && list[j].region.begin < a.region.end(); ++j) {
      const Owned& b = list[j];
      if (a.ordinal == b.ordinal) continue;
      counts_.add(Rule::kLazyWriteWrite);
      sink.race(Rule::kLazyWriteWrite, {a.ordinal, Side::kWrite, a.region.source},
                {b.ordinal, Side::kWrite, b.region.source}, common(a.region, b.region));
      if (!all && ++told >= kMostTold) break;
    }
  }
}

void LazyChecks::read_write(Side reads, Side writes, Rule rule, bool all, InterBlockSink& sink) {
  const List& list = lists_[index_of(writes)];
  for (const Owned& a : lists_[index_of(reads)]) {
    auto at = std::partition_point(list.begin(), list.end(), [&](const Owned& each) {
      return each.region.begin < a.region.end();
    });
    unsigned told = 0;
    while (at != list.begin() &&
           reach_[static_cast<std::size_t>(at - list.begin()) - 1] > a.region.begin) {
      --at;
      if (at->ordinal == a.ordinal || at->region.end() <= a.region.begin) continue;
      counts_.add(rule);
      sink.race(rule, {a.ordinal, reads, a.region.source}, {at->ordinal, writes, at->region.source},
                common(a.region, at->region));
      if (!all && ++told >= kMostTold) break;
    }
  }
}

std::size_t LazyChecks::bytes() const {
  std::size_t sum = reach_.capacity() * sizeof(std::uint64_t);
  for (const List& list : lists_) sum += list.capacity() * sizeof(Owned);
  return sum;
}

EagerChecks::EagerChecks(Counts& counts, std::pmr::memory_resource* memory)
    : counts_(counts), memory_(memory) {}

void EagerChecks::barrier(std::uint32_t ordinal, const IntraBlock& sets, bool all,
                          InterBlockSink& sink) {
  while (blocks_.size() <= ordinal) blocks_.emplace_back();
  Block& block = blocks_[ordinal];
  Subset subset{{std::pmr::vector<Region>(memory_), std::pmr::vector<Region>(memory_),
                 std::pmr::vector<Region>(memory_), std::pmr::vector<Region>(memory_)}};
  for (std::size_t i = 0; i < kSideCount; ++i) {
    const IntraBlock::Compressed& from = sets.compressed(Side{static_cast<std::uint8_t>(i)});
    std::pmr::vector<Region>& to = subset.sets[i];
    to.assign(from.regions.begin(), from.regions.begin() + from.count);
    if (!from.sorted) {
      std::sort(to.begin(), to.end(),
                [](const Region& a, const Region& b) { return a.begin < b.begin; });
    }
    to.resize(merge_sorted(to.data(), from.count));
  }
  block.subsets.push_back(std::move(subset));
  const std::size_t last = block.subsets.size() - 1;
  block.already_checked.resize(blocks_.size(), 0);
  for (std::uint32_t other = 0; other < blocks_.size(); ++other) {
    if (other == ordinal) continue;
    const std::size_t theirs = blocks_[other].subsets.size();
    const std::size_t pivot = block.already_checked[other];
    for (std::size_t k = 0; k < theirs; ++k) {
      reads_with({ordinal, last}, {other, k}, Rule::kEagerReads, all, sink);
      writes_with({ordinal, last}, {other, k}, all, sink);
    }
    if (pivot == theirs) counts_.add(Rule::kAlreadyChecked);
    for (std::size_t k = pivot; k < theirs; ++k) {
      for (std::size_t mine = 0; mine < last; ++mine) {
        reads_with({ordinal, mine}, {other, k}, Rule::kEagerEarlierReads, all, sink);
      }
    }
    block.already_checked[other] = static_cast<std::uint32_t>(theirs);
  }
}

void EagerChecks::finish(bool all, InterBlockSink& sink) {
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    blocks_[b].already_checked.resize(blocks_.size(), 0);
    for (std::uint32_t other = 0; other < blocks_.size(); ++other) {
      if (other == b) continue;
      const std::size_t theirs = blocks_[other].subsets.size();
      for (std::size_t k = blocks_[b].already_checked[other]; k < theirs; ++k) {
        for (std::size_t mine = 0; mine < blocks_[b].subsets.size(); ++mine) {
          reads_with({b, mine}, {other, k}, Rule::kEagerEarlierReads, all, sink);
        }
      }
      blocks_[b].already_checked[other] = static_cast<std::uint32_t>(theirs);
    }
  }
}

std::uint32_t EagerChecks::already_checked(std::uint32_t by, std::uint32_t of) const {
  if (by >= blocks_.size() || of >= blocks_[by].already_checked.size()) return 0;
  return blocks_[by].already_checked[of];
}

void EagerChecks::reads_with(Which reads, Which writes, Rule rule, bool all, InterBlockSink& sink) {
  for (const Against& pair : kAgainst) {
    intersect(reads, pair.reads, writes, pair.writes, plain_or_atomic(pair, rule), all, sink);
  }
}

void EagerChecks::writes_with(Which a, Which b, bool all, InterBlockSink& sink) {
  intersect(a, Side::kWrite, b, Side::kWrite, Rule::kEagerWrites, all, sink);
}

void EagerChecks::intersect(Which a, Side a_side, Which b, Side b_side, Rule rule, bool all,
                            InterBlockSink& sink) {
  const auto& from = blocks_[a.ordinal].subsets[a.subset].sets[index_of(a_side)];
  const auto& with = blocks_[b.ordinal].subsets[b.subset].sets[index_of(b_side)];
  if (from.empty() || with.empty() || from.back().end() <= with.front().begin ||
      with.back().end() <= from.front().begin) {
    return;
  }
  Meeting at;
  unsigned told = 0;
  const auto from_count = static_cast<std::uint32_t>(from.size());
  const auto with_count = static_cast<std::uint32_t>(with.size());
  while (meet(from.data(), from_count, with.data(), with_count, at)) {
    counts_.add(rule);
    sink.race(rule, {a.ordinal, a_side, from[at.a].source}, {b.ordinal, b_side, with[at.b].source},
              common(from[at.a], with[at.b]));
    if (!all && ++told >= kMostTold) return;
    if (from[at.a].end() < with[at.b].end()) {
      ++at.a;
    } else {
      ++at.b;
    }
  }
}

std::size_t EagerChecks::bytes() const {
  std::size_t sum = 0;
  for (const Block& block : blocks_) {
    sum += sizeof(Block) + block.already_checked.capacity() * sizeof(std::uint32_t);
    for (const Subset& subset : block.subsets) {
      sum += sizeof(Subset);
      for (const auto& set : subset.sets) sum += set.capacity() * sizeof(Region);
    }
  }
  return sum;
}

}  // namespace redflag::gpu::curd
