// Runtime `stream`, the half in kernels: every hook is a record in the queue (stream_ring.h).
//
// The lanes that call a hook together are one record: they find out how few words tell their
// addresses, the first of them reserves room, all write, the first makes it known. What orders is told
// in an order that could have been: what publishes takes its ticket before it happens, what learns
// after; an atomic does both, so that it has a lock from Begin to End, one of 64 by its address, and its
// ticket is taken inside. All locks that the lanes of a warp need are taken by one compare-and-swap
// of one word: nobody waits while he has some. Compilers may merge calls of two paths into one, so that
// lanes that call together have different sites: a record for each. If the hardware parts lanes between Begin and End,
// the parts give locks back one after the other, and another atomic may be told too early.
#include "frontends/cuda/device/stream_tell.h"

using namespace redflag::device;

REDFLAG_HOOK redflag_enter(std::uint64_t launch) {
  redflag_block = static_cast<std::uint32_t>(launch);
}

REDFLAG_HOOK redflag_exit() {
  Call call;
  if (begin(call)) tell(call, Hook::kExit, 0, 0, 0);
}

REDFLAG_HOOK redflag_load(std::uint64_t address, std::uint32_t site, std::uint32_t what) {
  Call call;
  if (!begin(call, address, what)) return;
  by_site(call, site, what, [&](const Call& part, std::uint32_t one, std::uint32_t w) {
    tell(part, Hook::kLoad, one, w, 0, {column(part, address, What::of(w).bytes), {}, {}});
  });
}

REDFLAG_HOOK redflag_store(std::uint64_t address, std::uint32_t site, std::uint32_t what,
                           std::uint64_t value) {
  Call call;
  if (!begin(call, address, what)) return;
  by_site(call, site, what, [&](const Call& part, std::uint32_t one, std::uint32_t w) {
    tell(part, Hook::kStore, one, w, 0,
         {column(part, address, What::of(w).bytes), {}, column(part, value, 1)});
  });
}

// The value is told before the lock is taken: it has no place in the order of its own.
REDFLAG_HOOK redflag_atomic_begin(std::uint64_t address, std::uint32_t site, std::uint32_t what,
                                  std::uint64_t value) {
  Call call;
  if (!begin(call, address, what)) return;
  by_site(call, site, what, [&](const Call& part, std::uint32_t one, std::uint32_t w) {
    if (!has_value(What::of(w))) return;
    tell(part, Hook::kAtomicBegin, one, w, 0, {{}, {}, column(part, value, 1)});
  });
  rest_if_polling(call, address, site, What::of(what));
  lock(call, locks_of(call, address));
}

// With the lock only the ticket is taken; the record is written without it.
REDFLAG_HOOK redflag_atomic_end(std::uint64_t address, std::uint32_t site, std::uint32_t what,
                                std::uint32_t wrote) {
  Call call;
  if (!begin(call, address, what)) return;
  fence<Reach::kDevice>();
  const std::uint32_t writers = ballot(call.mask, wrote != 0);
  std::uint64_t ticket = 0;
  by_site(call, site, what, [&](const Call& part, std::uint32_t, std::uint32_t w) {
    const Columns columns{column(part, address, What::of(w).bytes), {}, {}};
    const std::uint64_t at = ticket_of(part, columns.words());
    if ((part.lanes >> lane() & 1) != 0) ticket = at;
  });
  unlock(call, locks_of(call, address));
  by_site(call, site, what, [&](const Call& part, std::uint32_t one, std::uint32_t w) {
    write(part, shuffle(part.mask, ticket, first(part.lanes)), Hook::kAtomicEnd, one, w, writers,
          {column(part, address, What::of(w).bytes), {}, {}});
  });
}

REDFLAG_HOOK redflag_met() {}
REDFLAG_HOOK redflag_fence(std::uint32_t site, std::uint32_t what) {
  Call call;
  if (begin(call)) tell_by_site(call, Hook::kFence, site, what, 0);
}

// Tiles of a warp may meet at one instruction with different masks: a record for each.
REDFLAG_HOOK redflag_warp_sync(std::uint32_t site, std::uint32_t what, std::uint32_t members) {
  Call call;
  if (!begin(call)) return;
  for (std::uint32_t rest = call.mask; rest != 0; rest &= ~call.lanes) {
    const std::uint32_t one = shuffle(call.mask, members, first(rest));
    call.lanes = ballot(call.mask, members == one);
    tell_by_site(call, Hook::kWarpSync, site, what, one);
  }
}

// The number of threads stands with the number of the barrier, which has 4 bits.
REDFLAG_HOOK redflag_barrier_arrive(std::uint32_t site, std::uint32_t what, std::uint32_t number,
                                    std::uint32_t threads) {
  Call call;
  if (begin(call)) tell_by_site(call, Hook::kBarrierArrive, site, what, number | threads << 8);
}
REDFLAG_HOOK redflag_barrier_pass(std::uint32_t site, std::uint32_t what, std::uint32_t number,
                                  std::uint32_t threads) {
  Call call;
  if (begin(call)) tell_by_site(call, Hook::kBarrierPass, site, what, number | threads << 8);
}
REDFLAG_HOOK redflag_cluster_arrive(std::uint32_t site, std::uint32_t what) {
  Call call;
  if (begin(call)) tell_by_site(call, Hook::kClusterArrive, site, what, 0);
}
REDFLAG_HOOK redflag_cluster_pass(std::uint32_t site, std::uint32_t what) {
  Call call;
  if (begin(call)) tell_by_site(call, Hook::kClusterPass, site, what, 0);
}

// Addresses and bytes; what a launch's events are told as, the host knows.
REDFLAG_HOOK redflag_malloc(std::uint64_t address, std::uint64_t bytes, std::uint32_t site) {
  Call call;
  if (!begin(call)) return;
  call.lanes &= ballot(call.mask, address != 0);
  if (call.lanes == 0) return;
  by_site(call, site, 0, [&](const Call& part, std::uint32_t one, std::uint32_t w) {
    tell(part, Hook::kMalloc, one, w, 0, {column(part, address, 0), {}, column(part, bytes, 0)});
  });
}
REDFLAG_HOOK redflag_free(std::uint64_t address, std::uint32_t site) {
  Call call;
  if (!begin(call)) return;
  call.lanes &= ballot(call.mask, address != 0);
  if (call.lanes == 0) return;
  by_site(call, site, 0, [&](const Call& part, std::uint32_t one, std::uint32_t w) {
    tell(part, Hook::kFree, one, w, 0, {column(part, address, 0), {}, {}});
  });
}

// Of barrier objects values are the count, and the bytes from bit 32.
REDFLAG_HOOK redflag_mbarrier_init(std::uint64_t address, std::uint32_t site, std::uint32_t what,
                                   std::uint32_t threads) {
  Call call;
  if (!begin(call, address, what)) return;
  by_site(call, site, what, [&](const Call& part, std::uint32_t one, std::uint32_t w) {
    tell(part, Hook::kMbarrierInit, one, w, 0,
         {column(part, address, 8), {}, column(part, threads, 0)});
  });
}
REDFLAG_HOOK redflag_mbarrier_inval(std::uint64_t address, std::uint32_t site, std::uint32_t what) {
  Call call;
  if (!begin(call, address, what)) return;
  by_site(call, site, what, [&](const Call& part, std::uint32_t one, std::uint32_t w) {
    tell(part, Hook::kMbarrierInval, one, w, 0, {column(part, address, 8), {}, {}});
  });
}
REDFLAG_HOOK redflag_mbarrier_arrive(std::uint64_t address, std::uint32_t site, std::uint32_t what,
                                     std::uint32_t threads, std::uint32_t bytes) {
  Call call;
  if (!begin(call, address, what)) return;
  const std::uint64_t both = threads | std::uint64_t{bytes} << 32;
  by_site(call, site, what, [&](const Call& part, std::uint32_t one, std::uint32_t w) {
    tell(part, Hook::kMbarrierArrive, one, w, 0,
         {column(part, address, 8), {}, column(part, both, 0)});
  });
}
REDFLAG_HOOK redflag_mbarrier_wait(std::uint64_t address, std::uint32_t site, std::uint32_t what,
                                   std::uint32_t complete) {
  Call call;
  if (!begin(call, address, what)) return;
  call.lanes &= ballot(call.mask, complete != 0);
  if (call.lanes == 0) return;
  by_site(call, site, what, [&](const Call& part, std::uint32_t one, std::uint32_t w) {
    tell(part, Hook::kMbarrierWait, one, w, 0, {column(part, address, 8), {}, {}});
  });
}

// What is written is in shared or global memory; `what` says which, and nothing of the source, whose
// address is generic or global.
REDFLAG_HOOK redflag_async_copy(std::uint64_t to, std::uint64_t from, std::uint32_t site,
                                std::uint32_t what, std::uint32_t bytes) {
  Call call;
  if (!begin(call, to, what)) return;
  (void)marked(from, Memory::kGeneric, from);
  by_site(call, site, what, [&](const Call& part, std::uint32_t one, std::uint32_t w) {
    const Column sizes = column(part, bytes, 0);
    const std::uint32_t step = sizes.form == Form::kEqual ? bytes : 0;
    tell(part, Hook::kAsyncCopy, one, w, 0,
         {column(part, to, step), column(part, from, step), sizes});
  });
}
REDFLAG_HOOK redflag_async_commit(std::uint32_t site) {
  Call call;
  if (begin(call)) tell_by_site(call, Hook::kAsyncCommit, site, 0, 0);
}
REDFLAG_HOOK redflag_async_wait(std::uint32_t site, std::uint32_t left) {
  Call call;
  if (begin(call)) tell_by_site(call, Hook::kAsyncWait, site, 0, left);
}
REDFLAG_HOOK redflag_async_arrive(std::uint64_t address, std::uint32_t site, std::uint32_t what,
                                  std::uint32_t threads, std::uint32_t bytes) {
  Call call;
  if (!begin(call, address, what)) return;
  const std::uint64_t both = threads | std::uint64_t{bytes} << 32;
  by_site(call, site, what, [&](const Call& part, std::uint32_t one, std::uint32_t w) {
    tell(part, Hook::kAsyncArrive, one, w, 0,
         {column(part, address, 8), {}, column(part, both, 0)});
  });
}
