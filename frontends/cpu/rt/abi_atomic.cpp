// Atomic operations: performed here, with all that the C++ memory model says of them.
//
// The operation itself happens while the detector holds the record of its bytes, so that whoever
// sees the value sees what was published with it. Every operation is carried out with sequential
// consistency; the order that the program asked for decides only what orders what.
#include <cstdint>

#include "core/live/loads.h"
#include "frontends/cpu/rt/between.h"
#include "frontends/cpu/rt/hold.h"
#include "frontends/cpu/rt/record.h"
#include "frontends/cpu/rt/sampling.h"
#include "frontends/cpu/rt/shared_atomic.h"
#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {
namespace {

using A8 = std::uint8_t;
using A16 = std::uint16_t;
using A32 = std::uint32_t;
using A64 = std::uint64_t;
__extension__ using A128 = unsigned __int128;

// As compilers number them.
enum MemoryOrderNumber : int { kRelaxed, kConsume, kAcquire, kRelease, kAcqRel, kSeqCst };

Order order_of(int mo) {
  switch (mo & 0x7fff) {
    case kRelaxed:
      return Order::kRelaxed;
    case kConsume:
    case kAcquire:
      return Order::kAcquire;
    case kRelease:
      return Order::kRelease;
    case kAcqRel:
      return Order::kAcqRel;
    default:
      return Order::kSeqCst;
  }
}

// When a race is confirmed: would it still be one if no atomic were too weak?
int asked(int mo) {
  return g_runtime.strong_atomics ? static_cast<int>(kSeqCst) : mo;
}

live::MemoryOrder effect_of(Order order) {
  if (is_acquire(order)) {
    return is_release(order) ? live::MemoryOrder::kAcqRel : live::MemoryOrder::kAcquire;
  }
  return is_release(order) ? live::MemoryOrder::kRelease : live::MemoryOrder::kRelaxed;
}

// 16 bytes: one instruction where there is one, and it is the only one.
template <typename T>
bool cas(volatile T* p, T& expected, T wanted) {
  if constexpr (sizeof(T) == 16) {
    auto low = static_cast<std::uint64_t>(expected);
    auto high = static_cast<std::uint64_t>(expected >> 64);
    bool done = false;
    asm volatile("lock cmpxchg16b %1"
                 : "=@ccz"(done), "+m"(*p), "+a"(low), "+d"(high)
                 : "b"(static_cast<std::uint64_t>(wanted)),
                   "c"(static_cast<std::uint64_t>(wanted >> 64))
                 : "memory");
    expected = static_cast<T>(high) << 64 | low;
    return done;
  } else {
    return __atomic_compare_exchange_n(p, &expected, wanted, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
  }
}

template <typename T, typename F>
T update(volatile T* p, F f) {
  T seen = 0;
  if constexpr (sizeof(T) == 16) {
    cas(p, seen, seen);
  } else {
    seen = __atomic_load_n(p, __ATOMIC_SEQ_CST);
  }
  while (!cas(p, seen, f(seen))) {
  }
  return seen;
}

template <typename T>
T load(const volatile T* p) {
  if constexpr (sizeof(T) == 16) {
    T seen = 0;
    cas(const_cast<volatile T*>(p), seen, seen);
    return seen;
  } else {
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
  }
}

template <typename T>
void store(volatile T* p, T v) {
  if constexpr (sizeof(T) == 16) {
    update(p, [v](T) { return v; });
  } else {
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);
  }
}

live::Thread* checked() {
  live::Thread* t = g_hot.thread;
  return t == nullptr || live::is_inside(t->inside.load(std::memory_order_relaxed)) ? nullptr : t;
}

struct Outcome {
  live::AtomicOp op;
  Order order;
};

abi::AtomicStep step_of(live::AtomicOp op) {
  return op == live::AtomicOp::kLoad    ? abi::AtomicStep::kLoad
         : op == live::AtomicOp::kStore ? abi::AtomicStep::kStore
                                        : abi::AtomicStep::kModify;
}

// Under sampling an atomic operation is an access that is checked now and then, and synchronisation,
// which is always tracked. A load that learns nothing, or a relaxed store where nothing was ever
// published, is only the first: where it is not sampled, it is done as it is. Performs `f` then.
// (Somebody may publish just before such a store: that clock then seems to belong to the store, and
// orders too much.)
template <bool only_loads, typename F>
[[gnu::always_inline]] inline bool passes_unchecked(live::Thread& t, std::uint64_t addr,
                                                    unsigned size, int mo, std::uint64_t pc, F& f) {
  if (!g_samples_accesses || (!only_loads && (mo != kRelaxed || !t.release_fence.empty())) ||
      g_runtime.recording || g_runtime.between != nullptr || g_runtime.holding != nullptr ||
      g_atomic_hooks.load(std::memory_order_relaxed) != nullptr) {
    return false;
  }
  if (is_library_sampled(pc)) return false;
  if constexpr (only_loads) {
    return g_runtime.detector.load_teaches_nothing(t, addr, size, f);
  } else {
    if (!g_runtime.detector.has_no_record(t, addr, size)) return false;
    f();
    return true;
  }
}

// Performs `f`, which returns what it turned out to be.
template <bool only_loads = false, typename T, typename F>
[[gnu::always_inline]] inline void atomically(const volatile T* p, int mo, std::uint64_t pc, F f) {
  live::Thread* t = checked();
  if (t == nullptr) {
    f();
    return;
  }
  const auto addr = reinterpret_cast<std::uint64_t>(p);
  live::Detector& d = g_runtime.detector;
  if (passes_unchecked<only_loads>(*t, addr, sizeof(T), mo, pc, f)) return;
  const SyncTime time;
  hold_access(of(*t), addr, sizeof(T), only_loads ? EventKind::kAtomicLoad : EventKind::kAtomicRmw,
              pc);
  const SharedAtomic shared(addr);
  live::LockedRecords records;
  const bool outside = between_on();
  if (outside) [[unlikely]]
    meet_outside_at(of(*t), addr, EventKind::kFence,
                    is_release(order_of(mo)) ? Order::kRelease : Order::kRelaxed);
  d.atomic_begin(*t, addr, sizeof(T), records);
  BetweenAtomic between(of(*t), addr);
  const Outcome outcome = f();
  if (g_runtime.recording || g_runtime.between != nullptr) {
    const EventKind kind = outcome.op == live::AtomicOp::kLoad    ? EventKind::kAtomicLoad
                           : outcome.op == live::AtomicOp::kStore ? EventKind::kAtomicStore
                                                                  : EventKind::kAtomicRmw;
    between.done(of(*t), kind, outcome.order, sizeof(T), pc);
    record_access(of(*t), kind, addr, sizeof(T), pc, outcome.order);
  }
  d.atomic_end(
      *t, addr, sizeof(T), outcome.op, effect_of(outcome.order), pc,
      static_cast<std::uint8_t>(static_cast<unsigned>(outcome.order) << live::kRunOrderShift),
      records);
  if (outside) [[unlikely]]
    meet_outside_at(of(*t), addr, EventKind::kFence,
                    is_acquire(outcome.order) ? Order::kAcquire : Order::kRelaxed);
  shared.done(*t, step_of(outcome.op), is_acquire(outcome.order), is_release(outcome.order), pc);
}

template <typename T>
T do_load(const volatile T* p, int mo, std::uint64_t pc) {
  mo = asked(mo);
  T seen = 0;
  atomically<true>(p, mo, pc, [&] {
    seen = load(p);
    return Outcome{live::AtomicOp::kLoad, order_of(mo)};
  });
  return seen;
}

template <typename T>
void do_store(volatile T* p, T v, int mo, std::uint64_t pc) {
  mo = asked(mo);
  atomically(p, mo, pc, [&] {
    store(p, v);
    return Outcome{live::AtomicOp::kStore, order_of(mo)};
  });
}

template <typename T, typename F>
T do_modify(volatile T* p, int mo, std::uint64_t pc, F f) {
  mo = asked(mo);
  T seen = 0;
  atomically(p, mo, pc, [&] {
    seen = update(p, f);
    return Outcome{live::AtomicOp::kModify, order_of(mo)};
  });
  return seen;
}

// A failed exchange is a load, with the order for failure.
template <typename T>
bool do_compare(volatile T* p, T& expected, T wanted, int mo, int fail_mo, std::uint64_t pc) {
  bool done = false;
  mo = asked(mo);
  fail_mo = asked(fail_mo);
  atomically(p, mo | fail_mo, pc, [&] {
    done = cas(p, expected, wanted);
    return done ? Outcome{live::AtomicOp::kModify, order_of(mo)}
                : Outcome{live::AtomicOp::kLoad, order_of(fail_mo)};
  });
  return done;
}

}  // namespace
}  // namespace redflag::rt

using namespace redflag::rt;

#define REDFLAG_ABI extern "C" __attribute__((visibility("default")))
#define REDFLAG_PC reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

#define REDFLAG_ATOMIC_MODIFY(bits, name, expression)                                        \
  REDFLAG_ABI A##bits __tsan_atomic##bits##_##name(volatile A##bits* p, A##bits v, int mo) { \
    return do_modify(p, mo, REDFLAG_PC,                                                      \
                     [v](A##bits old) { return static_cast<A##bits>(expression); });         \
  }
#define REDFLAG_ATOMICS(bits)                                                            \
  REDFLAG_ABI A##bits __tsan_atomic##bits##_load(const volatile A##bits* p, int mo) {    \
    return do_load(p, mo, REDFLAG_PC);                                                   \
  }                                                                                      \
  REDFLAG_ABI void __tsan_atomic##bits##_store(volatile A##bits* p, A##bits v, int mo) { \
    do_store(p, v, mo, REDFLAG_PC);                                                      \
  }                                                                                      \
  REDFLAG_ATOMIC_MODIFY(bits, exchange, (static_cast<void>(old), v))                     \
  REDFLAG_ATOMIC_MODIFY(bits, fetch_add, old + v)                                        \
  REDFLAG_ATOMIC_MODIFY(bits, fetch_sub, old - v)                                        \
  REDFLAG_ATOMIC_MODIFY(bits, fetch_and, old& v)                                         \
  REDFLAG_ATOMIC_MODIFY(bits, fetch_or, old | v)                                         \
  REDFLAG_ATOMIC_MODIFY(bits, fetch_xor, old ^ v)                                        \
  REDFLAG_ATOMIC_MODIFY(bits, fetch_nand, ~(old & v))                                    \
  REDFLAG_ABI int __tsan_atomic##bits##_compare_exchange_strong(                         \
      volatile A##bits* p, A##bits* expected, A##bits v, int mo, int fail_mo) {          \
    return do_compare(p, *expected, v, mo, fail_mo, REDFLAG_PC) ? 1 : 0;                 \
  }                                                                                      \
  REDFLAG_ABI int __tsan_atomic##bits##_compare_exchange_weak(                           \
      volatile A##bits* p, A##bits* expected, A##bits v, int mo, int fail_mo) {          \
    return do_compare(p, *expected, v, mo, fail_mo, REDFLAG_PC) ? 1 : 0;                 \
  }                                                                                      \
  REDFLAG_ABI A##bits __tsan_atomic##bits##_compare_exchange_val(                        \
      volatile A##bits* p, A##bits expected, A##bits v, int mo, int fail_mo) {           \
    do_compare(p, expected, v, mo, fail_mo, REDFLAG_PC);                                 \
    return expected;                                                                     \
  }
REDFLAG_ATOMICS(8)
REDFLAG_ATOMICS(16)
REDFLAG_ATOMICS(32)
REDFLAG_ATOMICS(64)
REDFLAG_ATOMICS(128)

REDFLAG_ABI void __tsan_atomic_thread_fence(int mo) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  redflag::live::Thread* t = checked();
  const redflag::Order order = order_of(mo);
  if (t == nullptr || t->ignore_sync != 0 || order == redflag::Order::kRelaxed) return;
  record_fence(of(*t), order, REDFLAG_PC);
  step_fence(of(*t), order);
  g_runtime.detector.fence(*t, effect_of(order));
  shared_fence(is_acquire(order), REDFLAG_PC);
}

// Orders a thread and its own signal handler, which is one thread to us.
REDFLAG_ABI void __tsan_atomic_signal_fence(int) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
