// The calls that compilers put before every load and store, and at function entry and exit.
#include "frontends/cpu/rt/fast.h"
#include "frontends/cpu/rt/hold.h"
#include "frontends/cpu/rt/ignored_code.h"
#include "frontends/cpu/rt/record.h"
#include "frontends/cpu/rt/sampling.h"

namespace redflag::rt {

namespace {

// Volatile, of a virtual table's pointer, waited for, recorded, or perhaps to be held.
[[gnu::noinline]] void special_access(live::Thread& t, std::uint64_t addr, std::uint32_t how,
                                      std::uint64_t pc) {
  const std::uint32_t size = how & 0xff;
  const bool is_write = (how & kWriteBit) != 0;
  std::uint8_t flags = 0;
  if ((how & kVolatileBit) != 0) flags = live::kRunVolatile;
  if ((how & kVptrBit) != 0) flags = live::kRunVptr;
  if ((how & kPolledBit) != 0) flags = live::kRunPolled;
  hold_access(of(t), addr, size, is_write ? EventKind::kWrite : EventKind::kRead, pc);
  if (g_runtime.recording) {
    record_access(of(t), is_write ? EventKind::kWrite : EventKind::kRead, addr, size, pc,
                  Order::kPlain, (how & kVolatileBit) != 0);
  }
  g_runtime.detector.access(t, addr, size, is_write, pc, flags);
}

// All that is not usual.
[[gnu::noinline]] void any_access(live::Thread& t, std::uint64_t addr, std::uint32_t how,
                                  std::uint64_t pc) {
  if (live::is_inside(t.inside.load(std::memory_order_relaxed)) || t.ignore_accesses != 0) return;
  // Slow where something is recorded, too.
  if (t.everything_slow || (how & (kVolatileBit | kVptrBit | kPolledBit)) != 0) [[unlikely]] {
    return special_access(t, addr, how, pc);
  }
  g_runtime.detector.access(t, addr, how & 0xff, (how & kWriteBit) != 0, pc);
}

}  // namespace

void slow_access(std::uint64_t addr, std::uint32_t how, std::uint64_t pc) {
  live::Thread* t = g_hot.thread;
  if (t == nullptr) return;
  const std::uint32_t size = how & 0xff;
  live::Detector& d = g_runtime.detector;
  if (how == size && d.check_usual<false>(*t, addr, size, pc)) return;
  if (how == (size | kWriteBit) && d.check_usual<true>(*t, addr, size, pc)) return;
  any_access(*t, addr, how, pc);
}

bool slow_by(const void* function, std::uint64_t addr, std::uint32_t n, bool is_write,
             std::uint64_t pc) {
  live::Thread* t = g_hot.thread;
  if (t == nullptr || live::is_inside(t->inside.load(std::memory_order_relaxed)) ||
      t->everything_slow || t->ignore_accesses != 0 || n == 0 ||
      is_left_alone(reinterpret_cast<const void*>(pc))) {
    return false;
  }
  g_runtime.detector.access(*t, addr, n, is_write, pc, 0, place_of(function));
  return true;
}

namespace {
// Of the calls that sampling lets pass, or of code whose calls are not looked at.
bool is_let_pass(const void* function, const void* caller) {
  if (g_ignores_code.load(std::memory_order_relaxed) && is_access_ignored(caller)) return true;
  return g_samples_accesses && !is_library_sampled(reinterpret_cast<std::uint64_t>(function) ^
                                                   reinterpret_cast<std::uint64_t>(caller) << 8);
}
}  // namespace

bool read_by(const void* function, const void* caller, const volatile void* p, std::size_t n) {
  if (is_let_pass(function, caller)) return true;
  return check_by<false>(function, reinterpret_cast<std::uint64_t>(p), n,
                         reinterpret_cast<std::uint64_t>(caller));
}

bool write_by(const void* function, const void* caller, volatile void* p, std::size_t n) {
  if (is_let_pass(function, caller)) return true;
  return check_by<true>(function, reinterpret_cast<std::uint64_t>(p), n,
                        reinterpret_cast<std::uint64_t>(caller));
}

namespace {

[[gnu::noinline]] void slow_range(std::uint64_t addr, std::uint64_t size, bool is_write,
                                  std::uint64_t pc) {
  live::Thread* t = g_hot.thread;
  if (t == nullptr || live::is_inside(t->inside.load(std::memory_order_relaxed)) ||
      t->ignore_accesses != 0) {
    return;
  }
  hold_access(of(*t), addr, size, is_write ? EventKind::kWrite : EventKind::kRead, pc);
  record_access(of(*t), is_write ? EventKind::kWrite : EventKind::kRead, addr, size, pc);
  g_runtime.detector.range(*t, addr, size, is_write ? live::LogKind::kWrite : live::LogKind::kRead,
                           pc);
}

}  // namespace
}  // namespace redflag::rt

using redflag::rt::check;
using redflag::rt::check_unaligned;
using redflag::rt::g_hot;
using redflag::rt::kVolatileBit;
using redflag::rt::kVptrBit;
using redflag::rt::kWriteBit;
using redflag::rt::slow_access;

#define REDFLAG_ABI extern "C" __attribute__((visibility("default")))
#define REDFLAG_PC reinterpret_cast<std::uint64_t>(__builtin_return_address(0))
#define REDFLAG_ADDR reinterpret_cast<std::uint64_t>(p)

// A loop does nothing but load these few bytes, until they change.
REDFLAG_ABI void __redflag_poll_read(void* p, std::size_t n) {
  slow_access(REDFLAG_ADDR, static_cast<std::uint32_t>(n) | redflag::rt::kPolledBit, REDFLAG_PC);
}

#define REDFLAG_ACCESSES(size)                                  \
  REDFLAG_ABI void __tsan_read##size(void* p) {                 \
    check<size, false>(p, REDFLAG_PC);                          \
  }                                                             \
  REDFLAG_ABI void __tsan_write##size(void* p) {                \
    check<size, true>(p, REDFLAG_PC);                           \
  }                                                             \
  REDFLAG_ABI void __tsan_volatile_read##size(void* p) {        \
    check<size, false>(p, REDFLAG_PC, kVolatileBit);            \
  }                                                             \
  REDFLAG_ABI void __tsan_volatile_write##size(void* p) {       \
    check<size, true>(p, REDFLAG_PC, kVolatileBit);             \
  }                                                             \
  REDFLAG_ABI void __tsan_read_write##size(void* p) {           \
    check<size, true>(p, REDFLAG_PC);                           \
  }                                                             \
  REDFLAG_ABI void __tsan_read##size##_pc(void* p, void* pc) {  \
    check<size, false>(p, reinterpret_cast<std::uint64_t>(pc)); \
  }                                                             \
  REDFLAG_ABI void __tsan_write##size##_pc(void* p, void* pc) { \
    check<size, true>(p, reinterpret_cast<std::uint64_t>(pc));  \
  }
REDFLAG_ACCESSES(1)
REDFLAG_ACCESSES(2)
REDFLAG_ACCESSES(4)
REDFLAG_ACCESSES(8)
REDFLAG_ACCESSES(16)

// Unaligned ones may reach into the next granule.
#define REDFLAG_UNALIGNED(size)                                             \
  REDFLAG_ABI void __tsan_unaligned_read##size(void* p) {                   \
    check_unaligned<size, false>(p, REDFLAG_PC);                            \
  }                                                                         \
  REDFLAG_ABI void __tsan_unaligned_write##size(void* p) {                  \
    check_unaligned<size, true>(p, REDFLAG_PC);                             \
  }                                                                         \
  REDFLAG_ABI void __tsan_unaligned_volatile_read##size(void* p) {          \
    slow_access(REDFLAG_ADDR, size | kVolatileBit, REDFLAG_PC);             \
  }                                                                         \
  REDFLAG_ABI void __tsan_unaligned_volatile_write##size(void* p) {         \
    slow_access(REDFLAG_ADDR, size | kWriteBit | kVolatileBit, REDFLAG_PC); \
  }                                                                         \
  REDFLAG_ABI void __tsan_unaligned_read_write##size(void* p) {             \
    check_unaligned<size, true>(p, REDFLAG_PC);                             \
  }
REDFLAG_UNALIGNED(2)
REDFLAG_UNALIGNED(4)
REDFLAG_UNALIGNED(8)
REDFLAG_UNALIGNED(16)

REDFLAG_ABI void __sanitizer_unaligned_store16(void* p, std::uint16_t v) {
  slow_access(REDFLAG_ADDR, 2 | kWriteBit, REDFLAG_PC);
  __builtin_memcpy(p, &v, sizeof(v));
}
REDFLAG_ABI void __sanitizer_unaligned_store32(void* p, std::uint32_t v) {
  slow_access(REDFLAG_ADDR, 4 | kWriteBit, REDFLAG_PC);
  __builtin_memcpy(p, &v, sizeof(v));
}
REDFLAG_ABI void __sanitizer_unaligned_store64(void* p, std::uint64_t v) {
  slow_access(REDFLAG_ADDR, 8 | kWriteBit, REDFLAG_PC);
  __builtin_memcpy(p, &v, sizeof(v));
}
REDFLAG_ABI std::uint16_t __sanitizer_unaligned_load16(const void* p) {
  slow_access(REDFLAG_ADDR, 2, REDFLAG_PC);
  std::uint16_t v = 0;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
REDFLAG_ABI std::uint32_t __sanitizer_unaligned_load32(const void* p) {
  slow_access(REDFLAG_ADDR, 4, REDFLAG_PC);
  std::uint32_t v = 0;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
REDFLAG_ABI std::uint64_t __sanitizer_unaligned_load64(const void* p) {
  slow_access(REDFLAG_ADDR, 8, REDFLAG_PC);
  std::uint64_t v = 0;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}

REDFLAG_ABI void __tsan_read_range(void* p, std::uintptr_t size) {
  redflag::rt::slow_range(REDFLAG_ADDR, size, false, REDFLAG_PC);
}
REDFLAG_ABI void __tsan_write_range(void* p, std::uintptr_t size) {
  redflag::rt::slow_range(REDFLAG_ADDR, size, true, REDFLAG_PC);
}
REDFLAG_ABI void __tsan_read_range_pc(void* p, std::uintptr_t size, void* pc) {
  redflag::rt::slow_range(REDFLAG_ADDR, size, false, reinterpret_cast<std::uint64_t>(pc));
}
REDFLAG_ABI void __tsan_write_range_pc(void* p, std::uintptr_t size, void* pc) {
  redflag::rt::slow_range(REDFLAG_ADDR, size, true, reinterpret_cast<std::uint64_t>(pc));
}

REDFLAG_ABI void __tsan_vptr_read(void** p) {
  check<8, false>(p, REDFLAG_PC, kVptrBit);
}
// Constructors of a class without subclasses store the same pointer again: that is no write.
REDFLAG_ABI void __tsan_vptr_update(void** p, void* value) {
  if (*p != value) check<8, true>(p, REDFLAG_PC, kVptrBit);
}

REDFLAG_ABI void __tsan_func_entry(void* caller) {
  redflag::live::Frame* f = g_hot.top;
  if (f == g_hot.limit) [[unlikely]] {
    ++g_hot.beyond;
    return;
  }
  f->pc = reinterpret_cast<std::uint64_t>(caller);
  f->node = 0;
  g_hot.top = f + 1;
}

REDFLAG_ABI void __tsan_func_exit() {
  if (g_hot.beyond != 0) [[unlikely]] {
    --g_hot.beyond;
    return;
  }
  --g_hot.top;
}
