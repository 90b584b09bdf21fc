// What the calls that complete, order and synchronise mean (OpenSHMEM 1.4, sections 9.8 to 9.11).
#pragma once

#include <shmem.h>

#include "frontends/pgas/shmem/misuse.h"
#include "frontends/pgas/shmem/state.h"

namespace redflag::pgas::shmem {

// Under 'redflag confirm', before the real call that completes a context's operations: they are held back, then done.
void hold_before_quiet(Context context);
void quiet_now(const LibraryCall& call, Context context);
void fence_now(const LibraryCall& call, Context context);
// Order among PEs, around the real call.
Bytes enter(const LibraryCall& call, const ActiveSet& set);
void leave(const LibraryCall& call, const ActiveSet& set, const Bytes& mine);
void from_root(const LibraryCall& call, int root, const ActiveSet& set);
ActiveSet all_pes();

// A pointer by which this PE reaches another one's memory: loads and stores through it are accesses there.
void reached(const LibraryCall& call, const void* here, const void* symmetric, int pe);

template <typename Real>
void* direct(const LibraryCall& call, Real real, const void* symmetric, int pe) {
  void* const here = real();
  if (here != nullptr && here != symmetric) reached(call, here, symmetric, pe);
  return here;
}

template <typename Real>
void quiet(const LibraryCall& call, Real real, Context context) {
  look_at_context(call, context);
  hold_before_quiet(context);
  real();
  quiet_now(call, context);
}
template <typename Real>
void fence(const LibraryCall& call, Real real, Context context) {
  look_at_context(call, context);
  real();
  fence_now(call, context);
}
template <typename Real>
void sync(const LibraryCall& call, Real real, const ActiveSet& set) {
  if (!is_right(call, set)) return real();
  const Bytes mine = enter(call, set);
  real();
  leave(call, set, mine);
}
// Quiet, then sync.
template <typename Real>
void barrier(const LibraryCall& call, Real real, const ActiveSet& set) {
  quiet_now(call, nullptr);
  sync(call, real, set);
}
// Collectives in which everybody gets something of everybody.
template <typename Real>
void each_to_each(const LibraryCall& call, Real real, const ActiveSet& set) {
  sync(call, real, set);
}
template <typename Real>
void broadcast(const LibraryCall& call, Real real, int root, const ActiveSet& set) {
  const bool is_followed = is_right(call, set, root);
  real();
  if (is_followed) from_root(call, root, set);
}

template <typename Real>
void wait(const LibraryCall& call, Real real, const volatile void* flag) {
  look_at_object(call, flag);
  real();
  if (state() != nullptr) state()->look(call, const_cast<const void*>(flag));
}
template <typename Real>
int test(const LibraryCall& call, Real real, const volatile void* flag) {
  look_at_object(call, flag);
  const int passed = real();
  if (state() != nullptr && passed != 0) {
    state()->look(call, const_cast<const void*>(flag));
  }
  return passed;
}

void hold_before_lock();
void locked(const LibraryCall& call, const volatile void* lock);
void before_unlock(const LibraryCall& call, const volatile void* lock);

template <typename Real>
void set_lock(const LibraryCall& call, Real real, const volatile void* lock) {
  look_before_set(call, lock);
  hold_before_lock();
  real();
  lock_taken(lock);
  locked(call, lock);
}
template <typename Real>
int test_lock(const LibraryCall& call, Real real, const volatile void* lock) {
  look_at_object(call, lock);
  const int taken = real();
  if (taken == 0) {
    lock_taken(lock);
    locked(call, lock);
  }
  return taken;
}
// It ensures that what was done under the lock is complete.
template <typename Real>
void clear_lock(const LibraryCall& call, Real real, const volatile void* lock) {
  look_before_clear(call, lock);
  quiet_now(call, nullptr);
  before_unlock(call, lock);
  real();
}

template <typename Real>
void* allocate(const LibraryCall& call, Real real, std::size_t size) {
  void* const p = real();
  if (state() == nullptr) return p;
  state()->allocated(call, p, size);
  sync(call, [] {}, all_pes());
  return p;
}
template <typename Real>
void* reallocate(const LibraryCall& call, Real real, void* old, std::size_t size) {
  look_before_free(call, old);
  if (state() == nullptr) return real();
  quiet_now(call, nullptr);
  sync(call, [] {}, all_pes());
  if (old != nullptr) state()->freed(call, old);
  return allocate(call, real, size);
}
template <typename Real>
void release(const LibraryCall& call, Real real, void* p) {
  look_before_free(call, p);
  if (state() == nullptr) return real();
  quiet_now(call, nullptr);
  sync(call, [] {}, all_pes());
  state()->freed(call, p);
  real();
}

template <typename Real>
int create_context(const LibraryCall&, Real real, const shmem_ctx_t* made) {
  const int result = real();
  if (state() != nullptr && result == 0) state()->context_made(*made);
  return result;
}
// It completes what was done on it (section 9.4.2).
template <typename Real>
void destroy_context(const LibraryCall& call, Real real, Context context) {
  look_at_context(call, context);
  hold_before_quiet(context);
  real();
  quiet_now(call, context);
  if (state() != nullptr && context != nullptr) state()->context_gone(context);
}

template <typename Real>
auto init(const LibraryCall& call, Real real) {
  if constexpr (std::is_void_v<decltype(real())>) {
    real();
    start(call);
  } else {
    const auto result = real();
    start(call);
    return result;
  }
}
template <typename Real>
void finalize(const LibraryCall& call, Real real) {
  quiet_now(call, nullptr);
  finish(call);
  real();
}

}  // namespace redflag::pgas::shmem
