// Worker: one host thread that runs clusters of blocks, a slice of instructions at a time.
//
// With seed 0 a block runs as long as it can, its warps in order, and another block is begun only
// when this one waits for somebody or has had its share. Other seeds draw the block, the warp, the group and the
// length of the slice; a launch's slices are of one order of magnitude, so that seeds differ in
// how finely threads interleave. Everything random comes from one generator: same seed, same steps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "frontends/cuda/emulate/machine.h"

namespace redflag::cuda {

// SplitMix64 (Steele, Lea, Flood 2014): small, and the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 0x1234567) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
  }
  std::uint64_t below(std::uint64_t bound) { return bound <= 1 ? 0 : next() % bound; }

 private:
  std::uint64_t state_;
};

inline constexpr unsigned kCachedIntervals = 64;
inline constexpr std::uint32_t kMostDepth = 20000;        // of calls
inline constexpr std::uint32_t kLocalLimit = 512U << 10;  // bytes of stack of a thread
inline constexpr std::uint32_t kSpinsBeforeYield = 24;
inline constexpr std::uint64_t kPatience = 20000;  // instructions that lanes wait at a join
// The same where the others branch and meet on their way, as in a loop that waits and has branches.
inline constexpr std::uint64_t kLongPatience = 10 * kPatience;

struct Worker {
  Worker(Machine& of, std::uint64_t seed, unsigned number);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void work();  // until the grid has ended, or somebody stops it

  // Frames, kept for the next call of the same function.
  Activation* new_frame(const Code& code, Lanes lanes);
  void drop_frame(Activation* frame);
  // The next side of a parted group, by the seed: true, the taken one first.
  bool coin() { return seeded && (random.next() & 1) != 0; }
  // Lanes that wait at joins go on without those whom they wait for. False: there were none.
  bool let_go(Warp& warp, Join* innermost);
  bool let_go_all(Warp& warp);
  // Threads that ended: whoever waits only for the others goes on.
  void exit_lanes(Run& at, Lanes lanes, const MicroOp& op);
  void complete_barrier(Block& block, unsigned number);
  void complete_cluster(Cluster& cluster);
  void complete_collectives(Warp& warp);
  void complete_convergence(Warp& warp);
  // Groups of a warp that wait in front of an aligned barrier arrive when the whole warp is there,
  // or, `in_parts`, as they are. False: nobody did.
  bool arrive_together(Warp& warp, bool in_parts);
  // Performs the lanes' asynchronous copies, all but their last `keep` groups.
  void finish_copies(Warp& warp, Lanes lanes, std::uint32_t keep, bool uncommitted);
  const Interval* interval_of(std::uint64_t address);
  std::string where_all() const;  // where each block stands

  Machine& machine;
  Random random;
  bool seeded;
  unsigned number;
  std::uint64_t slice;  // the longest
  LaunchStats stats;
  Run run;
  Interval intervals[kCachedIntervals];
  std::uint32_t generation = 0;

 private:
  std::unique_ptr<Cluster> new_cluster();
  void start_cluster(Cluster& cluster, std::uint64_t index);
  void start_block(Block& block, std::uint64_t index);
  void fill_specials(Block& block, Warp& warp, bool first_time);
  bool admit();  // one more cluster; false: there are no more, or no room
  std::uint64_t draw();
  bool run_cluster(Cluster& cluster);  // false: nobody could go on
  bool run_block(Block& block);
  void run_warp(Warp& warp, std::int64_t budget);
  bool unblock(Cluster& cluster);
  bool overdue();
  void deadlock();

  std::vector<std::vector<Activation*>> free_frames_;
  std::vector<std::unique_ptr<Cluster>> resident_;
  std::vector<std::unique_ptr<Cluster>> spare_;
  std::vector<std::uint64_t> window_;  // clusters that may begin next, with a seed
  std::size_t most_resident_ = 8;
  std::size_t target_resident_ = 1;
};

// Where a thread is, for messages: "block (1,0,0), thread (3,0,0)".
std::string describe_thread(const Machine& machine, const Block& block, std::uint32_t thread);
// The line of a site's instruction, for messages.
std::string describe_place(const Code& code, const MicroOp& op);

}  // namespace redflag::cuda
