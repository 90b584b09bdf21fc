// Checks between blocks, in global memory (dissertation, section 6.1.3): lazy ones at the end of the
// kernel, eager ones at each barrier.
//
// Lazy: a block's sets come when it ends. At the end of the kernel the write sets of all blocks are
// sorted together; a region that overlaps one of another block races, and every read looks for the
// writes that it meets. The dissertation intersects the sets of each two blocks, in parallel; sorted,
// B blocks cost no B * B intersections.
//
// Eager: a block's sets are lists of subsets, one for each synchronisation-free region, that never
// change once they are there. At a barrier a block compares its newest subset with all of the
// others' and its earlier reads with what alreadyChecked says is new (figure 6.7). What others
// write after it ended is compared at the end of the kernel. Races are told earlier, with the
// sources of the region they happened in; time grows with the square of the number of blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <vector>

#include "core/detect/gpu/curd/block_state.h"
#include "core/detect/gpu/curd/intra_block.h"
#include "core/detect/gpu/curd/rules.h"

namespace redflag::gpu::curd {

// Who is told of races between blocks.
class InterBlockSink {
 public:
  struct Party {
    std::uint32_t ordinal;  // of the block
    Side side;
    Source source;
  };
  virtual ~InterBlockSink() = default;
  virtual void race(Rule rule, const Party& a, const Party& b, const Region& common) = 0;
};

class LazyChecks {
 public:
  LazyChecks(Counts& counts, std::pmr::memory_resource* memory);

  void clear();
  void add(std::uint32_t ordinal, Side side, const std::pmr::vector<Region>& set);
  void finish(bool all, InterBlockSink& sink);
  std::size_t bytes() const;

 private:
  struct Owned {
    Region region;
    std::uint32_t ordinal;
  };
  using List = std::pmr::vector<Owned>;
  void read_write(Side reads, Side writes, Rule rule, bool all, InterBlockSink& sink);
  void write_write(bool all, InterBlockSink& sink);
  void put_in_order(List& list);

  Counts& counts_;
  std::array<List, kSideCount> lists_;
  std::pmr::vector<std::uint64_t> reach_;  // of the list that put_in_order had last
};

class EagerChecks {
 public:
  // Beyond this many blocks a launch is checked lazily: alreadyChecked has a number for each two.
  static constexpr std::uint64_t kMostBlocks = 4096;

  EagerChecks(Counts& counts, std::pmr::memory_resource* memory);

  void clear() { blocks_.clear(); }
  // A block is at a barrier, or ends: its compressed sets become its newest subset.
  void barrier(std::uint32_t ordinal, const IntraBlock& sets, bool all, InterBlockSink& sink);
  void finish(bool all, InterBlockSink& sink);
  std::uint32_t already_checked(std::uint32_t by, std::uint32_t of) const;
  std::size_t subsets(std::uint32_t of) const {
    return of < blocks_.size() ? blocks_[of].subsets.size() : 0;
  }
  std::size_t bytes() const;

 private:
  struct Subset {
    std::array<std::pmr::vector<Region>, kSideCount> sets;  // sorted, disjoint
  };
  struct Block {
    std::vector<Subset> subsets;
    std::vector<std::uint32_t> already_checked;
  };
  struct Which {
    std::uint32_t ordinal;
    std::size_t subset;
  };
  void reads_with(Which reads, Which writes, Rule rule, bool all, InterBlockSink& sink);
  void writes_with(Which a, Which b, bool all, InterBlockSink& sink);
  void intersect(Which a, Side a_side, Which b, Side b_side, Rule rule, bool all,
                 InterBlockSink& sink);

  Counts& counts_;
  std::pmr::memory_resource* memory_;
  std::deque<Block> blocks_;  // by ordinal
};

}  // namespace redflag::gpu::curd
