// Cooperative groups: threads that synchronise and exchange values together, named as objects.
//
// Blocks meet at the block's barrier, groups within a warp at the warp's, clusters at the
// cluster's. A grid meets in memory: a cooperative launch leaves the address of a word in two
// environment registers. The first thread of every block adds to it; the sum of all changes its
// highest bit, and all blocks wait for this change.
//
// Limits: tiles of more than 32 threads only synchronise, by a named barrier for each; a block may
// have 15 of them. Split barriers of blocks and grids, and several devices, are missing.
#pragma once
#include <redflag/warp_group.h>

namespace cooperative_groups {

class coalesced_group;
namespace redflag {
// Which group a thread_group stands for.
enum class Kind { kBlock, kLanes };
REDFLAG_MEMBER inline unsigned rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
REDFLAG_MEMBER inline unsigned block_size() {
  return blockDim.x * blockDim.y * blockDim.z;
}
REDFLAG_MEMBER inline unsigned tile_mask(unsigned n) {
  return n >= 32 ? ~0u : ((1u << n) - 1) << (lane() & ~(n - 1));
}
}  // namespace redflag

// A group whose kind is known only at run time.
class thread_group {
 public:
  REDFLAG_MEMBER void sync() const {
    if (kind_ == redflag::Kind::kBlock)
      __syncthreads();
    else
      __syncwarp(mask_);
  }
  REDFLAG_MEMBER unsigned long long size() const {
    return kind_ == redflag::Kind::kBlock ? redflag::block_size() : (unsigned)__popc(mask_);
  }
  REDFLAG_MEMBER unsigned long long num_threads() const { return size(); }
  REDFLAG_MEMBER unsigned long long thread_rank() const {
    return kind_ == redflag::Kind::kBlock ? redflag::rank_in_block()
                                          : (unsigned)__popc(mask_ & redflag::lanes_below());
  }
  REDFLAG_MEMBER bool is_valid() const { return true; }

 protected:
  REDFLAG_MEMBER thread_group(redflag::Kind kind, unsigned mask) : kind_(kind), mask_(mask) {}
  redflag::Kind kind_;
  unsigned mask_;
  friend REDFLAG_MEMBER thread_group tiled_partition(const thread_group& parent, unsigned n);
};

class thread_block : public thread_group {
 public:
  REDFLAG_MEMBER thread_block() : thread_group(redflag::Kind::kBlock, 0) {}
  REDFLAG_MEMBER static void sync() { __syncthreads(); }
  REDFLAG_MEMBER static unsigned size() { return redflag::block_size(); }
  REDFLAG_MEMBER static unsigned num_threads() { return redflag::block_size(); }
  REDFLAG_MEMBER static unsigned thread_rank() { return redflag::rank_in_block(); }
  REDFLAG_MEMBER static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  REDFLAG_MEMBER static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  REDFLAG_MEMBER static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  REDFLAG_MEMBER static dim3 dim_threads() { return group_dim(); }
};
REDFLAG_MEMBER inline thread_block this_thread_block() {
  return thread_block();
}

// The lanes that are at this place together, or a part of another group.
class coalesced_group : public thread_group, public redflag::WarpGroup<coalesced_group> {
 public:
  using Lanes = redflag::WarpGroup<coalesced_group>;
  using Lanes::num_threads;
  using Lanes::sync;
  using Lanes::thread_rank;
  REDFLAG_MEMBER explicit coalesced_group(unsigned mask, unsigned index = 0, unsigned groups = 1)
      : thread_group(redflag::Kind::kLanes, mask), index_(index), groups_(groups) {}
  REDFLAG_MEMBER unsigned mask() const { return mask_; }
  REDFLAG_MEMBER unsigned rank() const { return (unsigned)__popc(mask_ & redflag::lanes_below()); }
  REDFLAG_MEMBER unsigned size() const { return (unsigned)__popc(mask_); }
  REDFLAG_MEMBER unsigned lane_of(unsigned rank) const {
    return redflag::lane_of_rank(mask_, rank);
  }
  REDFLAG_MEMBER unsigned long long meta_group_rank() const { return index_; }
  REDFLAG_MEMBER unsigned long long meta_group_size() const { return groups_; }

 private:
  unsigned index_, groups_;
};
REDFLAG_MEMBER inline coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

template <unsigned N, typename Parent = void>
class thread_block_tile;
namespace redflag {
// A tile of a size that is known: up to a warp, or of several warps.
template <unsigned N, bool within_warp>
class Tile : public WarpGroup<Tile<N, within_warp>> {
 public:
  REDFLAG_MEMBER unsigned mask() const { return tile_mask(N); }
  REDFLAG_MEMBER unsigned rank() const { return lane() & (N - 1); }
  REDFLAG_MEMBER static constexpr unsigned size() { return N; }
  REDFLAG_MEMBER static constexpr unsigned num_threads() { return N; }
  REDFLAG_MEMBER unsigned lane_of(unsigned rank) const {
    return (lane() & ~(N - 1)) | (rank & (N - 1));
  }
  REDFLAG_MEMBER unsigned ballot(int condition) const {
    return narrow(__ballot_sync(mask(), condition));
  }
  template <typename T>
  REDFLAG_MEMBER unsigned match_any(T value) const {
    return narrow(__match_any_sync(mask(), value));
  }
  template <typename T>
  REDFLAG_MEMBER unsigned match_all(T value, int& all_equal) const {
    return narrow(__match_all_sync(mask(), value, &all_equal));
  }

 private:
  REDFLAG_MEMBER static unsigned narrow(unsigned lanes) {
    return (lanes & tile_mask(N)) >> (lane() & ~(N - 1));
  }
};
template <unsigned N>
class Tile<N, false> {
 public:
  REDFLAG_MEMBER void sync() const {
    // Barrier 0 is the block's.
    const unsigned barrier = 1 + rank_in_block() / N;
    if (barrier > 15) __trap();
    asm volatile("barrier.sync %0, %1;" ::"r"(barrier), "r"(N) : "memory");
  }
  REDFLAG_MEMBER unsigned thread_rank() const { return rank_in_block() % N; }
  REDFLAG_MEMBER static constexpr unsigned size() { return N; }
  REDFLAG_MEMBER static constexpr unsigned num_threads() { return N; }
};
// How many tiles of N a group has, and which one this is.
template <typename Parent>
struct Parts {
  REDFLAG_MEMBER static unsigned count(unsigned n) { return (Parent::size() + n - 1) / n; }
};
template <>
struct Parts<void> {
  REDFLAG_MEMBER static unsigned count(unsigned n) { return (block_size() + n - 1) / n; }
};
}  // namespace redflag

template <unsigned N, typename Parent>
class thread_block_tile : public redflag::Tile<N, (N <= 32)> {
  static_assert(N > 0 && N <= 1024 && (N & (N - 1)) == 0,
                "the size of a tile is a power of two from 1 to 1024");

 public:
  REDFLAG_MEMBER thread_block_tile() {}
  template <typename Other>
  REDFLAG_MEMBER thread_block_tile(const thread_block_tile<N, Other>&) {}
  REDFLAG_MEMBER unsigned meta_group_size() const { return redflag::Parts<Parent>::count(N); }
  REDFLAG_MEMBER unsigned meta_group_rank() const {
    return redflag::rank_in_block() / N % meta_group_size();
  }
  REDFLAG_MEMBER operator coalesced_group() const {
    return coalesced_group(redflag::tile_mask(N), meta_group_rank(), meta_group_size());
  }
  REDFLAG_MEMBER operator thread_group() const { return coalesced_group(redflag::tile_mask(N)); }
};

// Tiles of a size that is known.
template <unsigned N>
REDFLAG_MEMBER inline thread_block_tile<N, thread_block> tiled_partition(const thread_block&) {
  return {};
}
template <unsigned N, unsigned M, typename Parent>
REDFLAG_MEMBER inline thread_block_tile<N, thread_block_tile<M, Parent>> tiled_partition(
    const thread_block_tile<M, Parent>&) {
  static_assert(N <= M, "a tile is no larger than its parent group");
  return {};
}
// Memory for tiles of several warps, which need none here.
template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {};
template <unsigned MaxBlockSize>
REDFLAG_MEMBER inline thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
  return {};
}

// Parts of n consecutive ranks.
REDFLAG_MEMBER inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned n) {
  const unsigned own = parent.rank() / n;
  unsigned mask = 0;
  for (unsigned rank = own * n; rank < own * n + n && rank < parent.size(); rank++)
    mask |= 1u << parent.lane_of(rank);
  return coalesced_group(mask, own, (parent.size() + n - 1) / n);
}
REDFLAG_MEMBER inline thread_group tiled_partition(const thread_group& parent, unsigned n) {
  if (parent.kind_ == redflag::Kind::kLanes)
    return tiled_partition(coalesced_group(parent.mask_), n);
  return coalesced_group(redflag::tile_mask(n) & __activemask(), redflag::rank_in_block() / n);
}
template <unsigned N>
REDFLAG_MEMBER inline coalesced_group tiled_partition(const coalesced_group& parent) {
  return tiled_partition(parent, N);
}

// Parts by a condition or a label.
template <typename G>
REDFLAG_MEMBER inline coalesced_group binary_partition(const G& group, bool condition) {
  const unsigned with = __ballot_sync(group.mask(), condition) & group.mask();
  return coalesced_group(condition ? with : group.mask() & ~with, condition ? 1 : 0, 2);
}
template <typename G, typename Label>
REDFLAG_MEMBER inline coalesced_group labeled_partition(const G& group, Label label) {
  return coalesced_group(__match_any_sync(group.mask(), label) & group.mask());
}

class grid_group {
 public:
  REDFLAG_MEMBER bool is_valid() const { return word() != nullptr; }
  REDFLAG_MEMBER void sync() const {
    unsigned* const at = word();
    if (at == nullptr) __trap();
    __syncthreads();
    if (redflag::rank_in_block() == 0) {
      const unsigned mine = block_rank() == 0 ? 0x80000000u - (unsigned)(num_blocks() - 1) : 1u;
      unsigned before, now;
      asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;"
                   : "=r"(before)
                   : "l"(at), "r"(mine)
                   : "memory");
      do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(at) : "memory");
      while (!((before ^ now) >> 31));
    }
    __syncthreads();
  }
  REDFLAG_MEMBER static unsigned long long size() { return num_blocks() * redflag::block_size(); }
  REDFLAG_MEMBER static unsigned long long num_threads() { return size(); }
  REDFLAG_MEMBER static unsigned long long thread_rank() {
    return block_rank() * redflag::block_size() + redflag::rank_in_block();
  }
  REDFLAG_MEMBER static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  REDFLAG_MEMBER static dim3 dim_blocks() { return group_dim(); }
  REDFLAG_MEMBER static unsigned long long num_blocks() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  REDFLAG_MEMBER static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  REDFLAG_MEMBER static unsigned long long block_rank() {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }

 private:
  REDFLAG_MEMBER static unsigned* word() {
    unsigned high, low;
    asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
    const unsigned long long room = (unsigned long long)high << 32 | low;
    return room ? (unsigned*)(room + 4) : nullptr;
  }
};
REDFLAG_MEMBER inline grid_group this_grid() {
  return {};
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
class cluster_group {
 public:
  struct arrival_token {};
  REDFLAG_MEMBER static void sync() {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
  }
  REDFLAG_MEMBER static arrival_token barrier_arrive() {
    __cluster_barrier_arrive();
    return {};
  }
  REDFLAG_MEMBER static void barrier_wait() { __cluster_barrier_wait(); }
  REDFLAG_MEMBER static void barrier_wait(arrival_token&&) { __cluster_barrier_wait(); }
  REDFLAG_MEMBER static unsigned query_shared_rank(const void* p) {
    return __cluster_query_shared_rank(p);
  }
  template <typename T>
  REDFLAG_MEMBER static T* map_shared_rank(T* p, int rank) {
    return (T*)__cluster_map_shared_rank(p, (unsigned)rank);
  }
  REDFLAG_MEMBER static dim3 block_index() { return __clusterRelativeBlockIdx(); }
  REDFLAG_MEMBER static unsigned block_rank() { return __clusterRelativeBlockRank(); }
  REDFLAG_MEMBER static dim3 dim_blocks() { return __clusterDim(); }
  REDFLAG_MEMBER static unsigned num_blocks() { return __clusterSizeInBlocks(); }
  REDFLAG_MEMBER static unsigned num_threads() { return num_blocks() * redflag::block_size(); }
  REDFLAG_MEMBER static unsigned size() { return num_threads(); }
  REDFLAG_MEMBER static unsigned thread_rank() {
    return block_rank() * redflag::block_size() + redflag::rank_in_block();
  }
};
REDFLAG_MEMBER inline cluster_group this_cluster() {
  return {};
}
#endif

template <typename G>
REDFLAG_MEMBER inline void sync(const G& group) {
  group.sync();
}
template <typename G>
REDFLAG_MEMBER inline auto thread_rank(const G& group) {
  return group.thread_rank();
}
template <typename G>
REDFLAG_MEMBER inline auto group_size(const G& group) {
  return group.size();
}
// One thread of the group calls; the others go on, or are given what it returns.
template <typename G, typename F, typename... Arguments>
__device__ inline void invoke_one(const G& group, F&& call, Arguments&&... arguments) {
  if (group.thread_rank() == 0) call((Arguments&&)arguments...);
}
template <typename G, typename F, typename... Arguments>
__device__ inline auto invoke_one_broadcast(const G& group, F&& call, Arguments&&... arguments) {
  decltype(call((Arguments&&)arguments...)) result{};
  if (group.thread_rank() == 0) result = call((Arguments&&)arguments...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups
