// Checks within a block, at the end of a synchronisation-free region (dissertation, section 6.1.2,
// figure 6.4): compression, the optimistic read-write test, the precise one, the triangular
// write-write test.
//
// Runs of lanes (compress.h) stand for thread sets. Runs that write are sorted by where they begin,
// unless the ordering bitmap says that they are; the triangular test compares each with those
// behind it until one begins behind its end. The precise read-write test looks for the runs that
// meet a read's. Where runs meet, overlaps.h says which threads do. So n threads cost n runs or
// fewer, and not n * n intersections.
//
// Of two rows that race one pair of threads is told, or all (`all`, for tests).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "core/detect/gpu/curd/block_state.h"
#include "core/detect/gpu/curd/overlaps.h"
#include "core/detect/gpu/curd/rules.h"

namespace redflag::gpu::curd {

struct Accessor {
  Side side = Side::kRead;
  std::uint32_t warp = 0;
  unsigned lane = 0;
  Source source;
  std::uint32_t size = 0;  // of the region
};

// Who is told of races within a block.
class IntraBlockSink {
 public:
  virtual ~IntraBlockSink() = default;
  virtual void race(Rule rule, const Accessor& a, const Accessor& b, const Region& common) = 0;
};

class IntraBlock {
 public:
  IntraBlock(Counts& counts, std::pmr::memory_resource* memory);

  // All checks of the block's sets in one memory. compressed() holds the compressed sets then.
  void check(const BlockState& block, std::size_t space, bool all, IntraBlockSink& sink);

  struct Compressed {
    explicit Compressed(std::pmr::memory_resource* memory) : regions(memory) {}
    std::pmr::vector<Region> regions;  // count of them
    std::uint32_t count = 0;
    bool sorted = true;
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
  };
  const Compressed& compressed(Side side) const { return compressed_[index_of(side)]; }
  std::size_t bytes() const;

 private:
  struct RunRef {
    std::uint64_t begin, end;
    const Stripe* stripe;
    const Row* row;
    LaneMask lanes;
    std::uint32_t warp;
    bool crossing;
  };
  struct Runs {  // of a side that writes, sorted by begin
    explicit Runs(std::pmr::memory_resource* memory) : refs(memory), reach(memory), set(memory) {}
    std::pmr::vector<RunRef> refs;
    bool in_order = false;                  // what follows is of these runs
    std::pmr::vector<std::uint64_t> reach;  // the furthest end so far
    std::pmr::vector<Region> set;           // sorted and merged
  };

  void compress(const BlockState& block, Side side, std::size_t space);
  void write_write(const BlockState& block, Side side, IntraBlockSink& sink);
  void read_write(const BlockState& block, std::size_t space, Side reads, Side writes, Rule rule,
                  IntraBlockSink& sink);
  bool disjoint(Side reads, Side writes);
  bool pair(const BlockState& block, Rule rule, const RunRef& a, Side a_side, const RunRef& b,
            Side b_side, IntraBlockSink& sink);
  void put_in_order(Runs& runs) const;

  Counts& counts_;
  bool all_ = false;
  std::array<Compressed, kSideCount> compressed_;
  std::array<Runs, 2> runs_;  // of writes, of atomics that write
};

}  // namespace redflag::gpu::curd
