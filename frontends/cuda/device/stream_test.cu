// Kernels of stream_test.cpp, with the hooks that the rewriter would put into them. The launch's number
// is the last parameter.
#include "frontends/cuda/device/intrinsics.h"
#include "frontends/cuda/device/stream_ring.h"

using redflag::Order;
using redflag::Scope;

namespace {

constexpr std::uint32_t kRead4 =
    What{.deed = Deed::kRead, .memory = Memory::kGeneric, .bytes = 4}.packed();
constexpr std::uint32_t kWrite4 =
    What{.deed = Deed::kWrite, .memory = Memory::kGeneric, .bytes = 4}.packed();
constexpr std::uint32_t kGlobalWrite4 =
    What{.deed = Deed::kWrite, .memory = Memory::kGlobal, .bytes = 4}.packed();
constexpr std::uint32_t kAdd = What{.deed = Deed::kAtomicRmw,
                                    .memory = Memory::kGlobal,
                                    .order = Order::kRelaxed,
                                    .scope = Scope::kDevice,
                                    .bytes = 4}
                                   .packed();
constexpr std::uint32_t kExch = What{.deed = Deed::kAtomicRmw,
                                     .memory = Memory::kGlobal,
                                     .order = Order::kRelaxed,
                                     .scope = Scope::kDevice,
                                     .rmw = Rmw::kExchange,
                                     .bytes = 4}
                                    .packed();
constexpr std::uint32_t kFenceDevice =
    What{.order = Order::kSeqCst, .scope = Scope::kDevice}.packed();
constexpr std::uint32_t kPollVolatile =
    What{.deed = Deed::kRead, .memory = Memory::kGlobal, .is_volatile = true, .bytes = 4}.packed();
constexpr std::uint32_t kFlagVolatile =
    What{.deed = Deed::kWrite, .memory = Memory::kGlobal, .is_volatile = true, .bytes = 4}.packed();
constexpr std::uint32_t kBarrier = What{.aligned = true}.packed();

REDFLAG_DEVICE std::uint64_t at(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

REDFLAG_DEVICE std::uint32_t load(const std::uint32_t* from, std::uint32_t site) {
  redflag_load(at(from), site, kRead4);
  return *static_cast<const volatile std::uint32_t*>(from);
}
REDFLAG_DEVICE void store(std::uint32_t* to, std::uint32_t value, std::uint32_t site) {
  redflag_store(at(to), site, kWrite4, value);
  *static_cast<volatile std::uint32_t*>(to) = value;
}
REDFLAG_DEVICE std::uint32_t add(std::uint32_t* to, std::uint32_t value, std::uint32_t site) {
  redflag_atomic_begin(at(to), site, kAdd, 0);
  const std::uint32_t old = atomic_add(to, value);
  redflag_atomic_end(at(to), site, kAdd, 1);
  return old;
}
REDFLAG_DEVICE void barrier(std::uint32_t site) {
  redflag_barrier_arrive(site, kBarrier, 0, 0);
  sync_block();
  redflag_barrier_pass(site, kBarrier, 0, 0);
}

}  // namespace

REDFLAG_SHARED std::uint32_t tile[256];

// Forms of addresses: equal, consecutive, each; spaces: global, shared, local.
REDFLAG_KERNEL forms(std::uint32_t* data, std::uint64_t launch) {
  redflag_enter(launch);
  const std::uint32_t me = thread_in_block();
  load(data, 1);
  store(data + me, me, 2);
  store(data + (me * 7 & 63), 5, 3);
  store(&tile[me], me + 1, 4);
  if (me % 3 == 0) load(data + me, 5);
  std::uint32_t own[2] = {me, 2};
  asm volatile("" ::"l"(own) : "memory");
  load(own, 6);
  load(me % 2 == 0 ? &tile[me] : data + me, 7);
  redflag_exit();
}

REDFLAG_KERNEL neighbours(std::uint32_t* data, std::uint64_t with_barrier, std::uint64_t launch) {
  redflag_enter(launch);
  const std::uint32_t me = thread_in_block();
  store(&tile[me], me, 1);
  if (with_barrier != 0) barrier(2);
  data[me] = load(&tile[(me + 32) % threads_of_block()], 3);
  redflag_exit();
}

// The last block to take a ticket reads what the others wrote: threadFenceReduction.
REDFLAG_KERNEL tickets(std::uint32_t* data, std::uint64_t with_fence, std::uint64_t launch) {
  redflag_enter(launch);
  std::uint32_t* const ticket = data + grid_size().x;
  if (thread_in_block() == 0) {
    store(data + block_at().x, block_at().x + 1, 1);
    if (with_fence != 0) {
      redflag_fence(2, kFenceDevice);
      fence<Reach::kDevice>();
    }
    if (add(ticket, 1, 3) == grid_size().x - 1) {
      if (with_fence != 0) {
        redflag_fence(4, kFenceDevice);
        fence<Reach::kDevice>();
      }
      std::uint32_t sum = 0;
      for (std::uint32_t i = 0; i < grid_size().x; ++i) sum += load(data + i, 5);
      redflag_store(at(ticket + 1), 6, kGlobalWrite4, sum);
      ticket[1] = sum;
    }
  }
  redflag_exit();
}

// A flag that is polled: what the load that saw it learns must be told after the store.
REDFLAG_KERNEL flags(std::uint32_t* data, std::uint64_t launch) {
  redflag_enter(launch);
  std::uint32_t* const flag = data + 1;
  if (thread_in_block() == 0) {
    if (block_at().x == 0) {
      store(data, 42, 1);
      redflag_fence(2, kFenceDevice);
      fence<Reach::kDevice>();
      redflag_atomic_begin(at(flag), 3, kFlagVolatile, 1);
      *static_cast<volatile std::uint32_t*>(flag) = 1;
      redflag_atomic_end(at(flag), 3, kFlagVolatile, 1);
    } else {
      std::uint32_t seen = 0;
      while (seen == 0) {
        redflag_atomic_begin(at(flag), 4, kPollVolatile, 0);
        seen = *static_cast<volatile std::uint32_t*>(flag);
        redflag_atomic_end(at(flag), 4, kPollVolatile, 0);
      }
      redflag_fence(5, kFenceDevice);
      fence<Reach::kDevice>();
      data[2] = load(data, 6);
    }
  }
  redflag_exit();
}

REDFLAG_KERNEL locks(std::uint32_t* data, std::uint64_t launch) {
  redflag_enter(launch);
  redflag_atomic_begin(at(data), 1, kExch, thread_in_block() + 10);
  const std::uint32_t old = atomic_exchange(data, thread_in_block() + 10);
  redflag_atomic_end(at(data), 1, kExch, 1);
  (void)old;
  redflag_exit();
}

// Lanes that part, meet at a warp's sync from two places, and at a barrier for whole warps.
REDFLAG_KERNEL meetings(std::uint32_t* data, std::uint64_t launch) {
  redflag_enter(launch);
  const std::uint32_t me = thread_in_block();
  if (me < 16) {
    store(data + me, me, 1);
    sync_warp(kAllLanes);
    redflag_warp_sync(2, 0, kAllLanes);
    store(data + 32 + me, 1, 3);
  } else {
    store(data + me, me, 4);
    sync_warp(kAllLanes);
    redflag_warp_sync(5, 0, kAllLanes);
    store(data + 32 + me, load(data + me - 16, 6), 7);
  }
  sync_warp(kAllLanes);
  if (me >= 24) {
    redflag_exit();
    return;
  }
  barrier(8);
  redflag_exit();
}

// Many records from many warps: more than a small ring holds.
REDFLAG_KERNEL flood(std::uint32_t* data, std::uint64_t times, std::uint64_t launch) {
  redflag_enter(launch);
  const std::uint64_t me = thread_in_block() + block_in_grid() * threads_of_block();
  for (std::uint32_t i = 0; i < times; ++i) store(data + me, i, 1 + i % 3);
  redflag_exit();
}

// As compilers make it of two paths with the same end: one call, two sites.
REDFLAG_KERNEL merged(std::uint32_t* data, std::uint64_t launch) {
  redflag_enter(launch);
  const std::uint32_t me = thread_in_block();
  store(data + me, me, me < 7 ? 11 : 12);
  redflag_exit();
}
