// What device runtimes use of the GPU, for clang's CUDA mode without any toolkit: no header of CUDA
// exists there. Special registers, what a warp does together, memory with orders, spaces.
//
// Only runtimes (*.cu, compiled to PTX by redflag_device_runtime of cmake/Redflag.cmake) include it.
// They are compiled for sm_75 and for sm_90; what the latter alone has is under kClusters. Inline
// assembly that is volatile is not moved over other such assembly; "memory" keeps plain accesses on
// their side of it.
#pragma once

#include <cstdint>

#include "core/detect/gpu/portable.h"

#define REDFLAG_DEVICE __attribute__((device, always_inline)) inline
#define REDFLAG_SLOW __attribute__((device, noinline)) inline  // what is rarely needed
#define REDFLAG_HOOK extern "C" __attribute__((device, noinline, used)) void
#define REDFLAG_SHARED __attribute__((device, shared))
#define REDFLAG_GLOBAL __attribute__((device))
#define REDFLAG_KERNEL extern "C" __attribute__((global)) void

namespace redflag::device {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr bool kClusters = true;
#else
inline constexpr bool kClusters = false;
#endif
inline constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};

// Who and where.

REDFLAG_DEVICE std::uint32_t lane() {
  return static_cast<std::uint32_t>(__nvvm_read_ptx_sreg_laneid());
}
REDFLAG_DEVICE std::uint32_t lanes_below() {  // lanes with a smaller number, as a mask
  return static_cast<std::uint32_t>(__nvvm_read_ptx_sreg_lanemask_lt());
}

struct Triple {
  std::uint32_t x, y, z;
};
#define REDFLAG_TRIPLE(name, reg)                                          \
  REDFLAG_DEVICE Triple name() {                                           \
    return {static_cast<std::uint32_t>(__nvvm_read_ptx_sreg_##reg##_x()),  \
            static_cast<std::uint32_t>(__nvvm_read_ptx_sreg_##reg##_y()),  \
            static_cast<std::uint32_t>(__nvvm_read_ptx_sreg_##reg##_z())}; \
  }
REDFLAG_TRIPLE(thread_at, tid)
REDFLAG_TRIPLE(block_size, ntid)
REDFLAG_TRIPLE(block_at, ctaid)
REDFLAG_TRIPLE(grid_size, nctaid)
#undef REDFLAG_TRIPLE

// x runs fastest, as gpu::place has it.
REDFLAG_DEVICE std::uint32_t thread_in_block() {
  const Triple at = thread_at(), size = block_size();
  return at.x + size.x * (at.y + size.y * at.z);
}
REDFLAG_DEVICE std::uint32_t threads_of_block() {
  const Triple size = block_size();
  return size.x * size.y * size.z;
}
REDFLAG_DEVICE std::uint64_t block_in_grid() {
  const Triple at = block_at(), size = grid_size();
  return at.x + std::uint64_t{size.x} * (at.y + std::uint64_t{size.y} * at.z);
}

// What lanes do together. `mask` has exactly those that call.

REDFLAG_DEVICE std::uint32_t active_mask() {
  std::uint32_t mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
REDFLAG_DEVICE std::uint32_t count(std::uint32_t lanes) {
  return static_cast<std::uint32_t>(__builtin_popcount(lanes));
}
REDFLAG_DEVICE std::uint32_t first(std::uint32_t lanes) {  // of at least one
  return static_cast<std::uint32_t>(__builtin_ctz(lanes));
}
REDFLAG_DEVICE std::uint32_t last(std::uint32_t lanes) {  // of at least one
  return static_cast<std::uint32_t>(31 - __builtin_clz(lanes));
}
REDFLAG_DEVICE std::uint32_t ballot(std::uint32_t mask, bool yes) {
  return static_cast<std::uint32_t>(__nvvm_vote_ballot_sync(mask, yes));
}
REDFLAG_DEVICE bool all(std::uint32_t mask, bool yes) {
  return __nvvm_vote_all_sync(mask, yes);
}
REDFLAG_DEVICE bool any(std::uint32_t mask, bool yes) {
  return __nvvm_vote_any_sync(mask, yes);
}
REDFLAG_DEVICE std::uint32_t shuffle(std::uint32_t mask, std::uint32_t value, std::uint32_t from) {
  return static_cast<std::uint32_t>(
      __nvvm_shfl_sync_idx_i32(mask, static_cast<int>(value), static_cast<int>(from), 0x1f));
}
REDFLAG_DEVICE std::uint64_t shuffle(std::uint32_t mask, std::uint64_t value, std::uint32_t from) {
  const std::uint32_t low = shuffle(mask, static_cast<std::uint32_t>(value), from);
  const std::uint32_t high = shuffle(mask, static_cast<std::uint32_t>(value >> 32), from);
  return std::uint64_t{high} << 32 | low;
}
// Lanes that have the same value as this one.
REDFLAG_DEVICE std::uint32_t match_any(std::uint32_t mask, std::uint32_t value) {
  std::uint32_t same;
  asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(same) : "r"(value), "r"(mask));
  return same;
}
REDFLAG_DEVICE std::uint32_t match_any(std::uint32_t mask, std::uint64_t value) {
  std::uint32_t same;
  asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(same) : "l"(value), "r"(mask));
  return same;
}
// Lanes that call together with the same number, which is that of a place in the code: compilers merge calls of two paths
// into one, so that lanes come together that are not.
REDFLAG_DEVICE std::uint32_t active_at(std::uint32_t site) {
  const std::uint32_t active = active_mask();
  if (all(active, site == shuffle(active, site, first(active)))) return active;
  return match_any(active, site);
}
// Whether all lanes have the same value.
REDFLAG_DEVICE bool match_all(std::uint32_t mask, std::uint64_t value) {
  std::uint32_t yes;
  asm volatile(
      "{ .reg .pred p; .reg .b32 m; match.all.sync.b64 m|p, %1, %2; selp.u32 %0, 1, 0, p; }"
      : "=r"(yes)
      : "l"(value), "r"(mask));
  return yes != 0;
}
REDFLAG_DEVICE void sync_warp(std::uint32_t mask) {  // orders their memory
  asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
REDFLAG_DEVICE void sync_block() {  // by all threads of the block
  asm volatile("barrier.sync 0;" ::: "memory");
}

// Memory that others see: of the device, or of the host (system).

enum class Reach : std::uint8_t { kBlock, kDevice, kSystem };

template <Reach reach>
REDFLAG_DEVICE void fence() {
  if constexpr (reach == Reach::kBlock) asm volatile("fence.acq_rel.cta;" ::: "memory");
  if constexpr (reach == Reach::kDevice) asm volatile("fence.acq_rel.gpu;" ::: "memory");
  if constexpr (reach == Reach::kSystem) asm volatile("fence.acq_rel.sys;" ::: "memory");
}

// An instruction with 32 and one with 64 bits for each reach: T op(T* at, ...).
#define REDFLAG_LOAD(name, order)                                                               \
  template <Reach reach, typename T>                                                            \
  REDFLAG_DEVICE T name(const T* at) {                                                          \
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);                                            \
    const auto address = reinterpret_cast<std::uint64_t>(at);                                   \
    T value;                                                                                    \
    if constexpr (sizeof(T) == 4) {                                                             \
      if constexpr (reach == Reach::kBlock)                                                     \
        asm volatile("ld." order ".cta.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory"); \
      if constexpr (reach == Reach::kDevice)                                                    \
        asm volatile("ld." order ".gpu.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory"); \
      if constexpr (reach == Reach::kSystem)                                                    \
        asm volatile("ld." order ".sys.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory"); \
    } else {                                                                                    \
      if constexpr (reach == Reach::kBlock)                                                     \
        asm volatile("ld." order ".cta.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory"); \
      if constexpr (reach == Reach::kDevice)                                                    \
        asm volatile("ld." order ".gpu.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory"); \
      if constexpr (reach == Reach::kSystem)                                                    \
        asm volatile("ld." order ".sys.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory"); \
    }                                                                                           \
    return value;                                                                               \
  }
REDFLAG_LOAD(load_relaxed, "relaxed")
REDFLAG_LOAD(load_acquire, "acquire")
#undef REDFLAG_LOAD

#define REDFLAG_STORE(name, order)                                                            \
  template <Reach reach, typename T>                                                          \
  REDFLAG_DEVICE void name(T* at, T value) {                                                  \
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);                                          \
    const auto address = reinterpret_cast<std::uint64_t>(at);                                 \
    if constexpr (sizeof(T) == 4) {                                                           \
      if constexpr (reach == Reach::kBlock)                                                   \
        asm volatile("st." order ".cta.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory"); \
      if constexpr (reach == Reach::kDevice)                                                  \
        asm volatile("st." order ".gpu.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory"); \
      if constexpr (reach == Reach::kSystem)                                                  \
        asm volatile("st." order ".sys.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory"); \
    } else {                                                                                  \
      if constexpr (reach == Reach::kBlock)                                                   \
        asm volatile("st." order ".cta.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory"); \
      if constexpr (reach == Reach::kDevice)                                                  \
        asm volatile("st." order ".gpu.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory"); \
      if constexpr (reach == Reach::kSystem)                                                  \
        asm volatile("st." order ".sys.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory"); \
    }                                                                                         \
  }
REDFLAG_STORE(store_relaxed, "relaxed")
REDFLAG_STORE(store_release, "release")
#undef REDFLAG_STORE

// Relaxed, of device scope (of shared memory: all who see it). What was there before.
#define REDFLAG_RMW(name, op, type, letter, bits)                                                 \
  REDFLAG_DEVICE std::uint##bits##_t name(std::uint##bits##_t* at, std::uint##bits##_t operand) { \
    std::uint##bits##_t old;                                                                      \
    asm volatile("atom.relaxed.gpu." op "." type " %0, [%1], %2;"                                 \
                 : "=" letter(old)                                                                \
                 : "l"(reinterpret_cast<std::uint64_t>(at)), letter(operand)                      \
                 : "memory");                                                                     \
    return old;                                                                                   \
  }
REDFLAG_RMW(atomic_add, "add", "u32", "r", 32)
REDFLAG_RMW(atomic_add, "add", "u64", "l", 64)
REDFLAG_RMW(atomic_exchange, "exch", "b32", "r", 32)
REDFLAG_RMW(atomic_exchange, "exch", "b64", "l", 64)
REDFLAG_RMW(atomic_or, "or", "b32", "r", 32)
REDFLAG_RMW(atomic_or, "or", "b64", "l", 64)
REDFLAG_RMW(atomic_and, "and", "b32", "r", 32)
REDFLAG_RMW(atomic_and, "and", "b64", "l", 64)
REDFLAG_RMW(atomic_max, "max", "u32", "r", 32)
REDFLAG_RMW(atomic_max, "max", "u64", "l", 64)
REDFLAG_RMW(atomic_min, "min", "u32", "r", 32)
REDFLAG_RMW(atomic_min, "min", "u64", "l", 64)
#undef REDFLAG_RMW

REDFLAG_DEVICE std::uint32_t compare_swap(std::uint32_t* at, std::uint32_t expected,
                                          std::uint32_t wanted) {
  std::uint32_t old;
  asm volatile("atom.relaxed.gpu.cas.b32 %0, [%1], %2, %3;"
               : "=r"(old)
               : "l"(reinterpret_cast<std::uint64_t>(at)), "r"(expected), "r"(wanted)
               : "memory");
  return old;
}
REDFLAG_DEVICE std::uint64_t compare_swap(std::uint64_t* at, std::uint64_t expected,
                                          std::uint64_t wanted) {
  std::uint64_t old;
  asm volatile("atom.relaxed.gpu.cas.b64 %0, [%1], %2, %3;"
               : "=l"(old)
               : "l"(reinterpret_cast<std::uint64_t>(at)), "l"(expected), "l"(wanted)
               : "memory");
  return old;
}

// Time.

REDFLAG_DEVICE void sleep_ns(std::uint32_t about) {
  asm volatile("nanosleep.u32 %0;" ::"r"(about));
}
REDFLAG_DEVICE std::uint64_t time_ns() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Spaces of generic addresses.

REDFLAG_DEVICE bool in_shared(std::uint64_t address) {  // of this block
  std::uint32_t yes;
  asm("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(yes) : "l"(address));
  return yes != 0;
}
REDFLAG_DEVICE bool in_local(std::uint64_t address) {
  std::uint32_t yes;
  asm("{ .reg .pred p; isspacep.local p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(yes) : "l"(address));
  return yes != 0;
}
// The address in the window of shared memory, as instructions with .shared have it.
REDFLAG_DEVICE std::uint32_t to_shared(std::uint64_t address) {
  std::uint64_t at;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(at) : "l"(address));
  return static_cast<std::uint32_t>(at);
}

// Clusters: for kClusters only.

REDFLAG_DEVICE bool in_cluster_shared(std::uint64_t address) {  // of a block of the cluster
  std::uint32_t yes;
  asm("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }"
      : "=r"(yes)
      : "l"(address));
  return yes != 0;
}
REDFLAG_DEVICE std::uint32_t to_cluster_shared(std::uint64_t address) {
  std::uint64_t at;
  asm("cvta.to.shared::cluster.u64 %0, %1;" : "=l"(at) : "l"(address));
  return static_cast<std::uint32_t>(at);
}
REDFLAG_DEVICE std::uint32_t rank_in_cluster() {
  std::uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
REDFLAG_DEVICE Triple cluster_size() {
  Triple size;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size.x));
  asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(size.y));
  asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(size.z));
  return size;
}
// Of an address as instructions with .shared::cluster have it: whose it is, and where the same place
// of this block's memory is.
REDFLAG_DEVICE std::uint32_t owner_rank(std::uint32_t address) {
  std::uint32_t rank;
  asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(address));
  return rank;
}
REDFLAG_DEVICE std::uint32_t in_block_of(std::uint32_t address, std::uint32_t rank) {
  std::uint32_t at;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(address), "r"(rank));
  return at;
}

}  // namespace redflag::device
