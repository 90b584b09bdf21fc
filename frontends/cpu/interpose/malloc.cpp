// The malloc family, and operators new and delete, over glibc's own (heap.h has the layout).
//
// A block is announced after glibc gave it and before the program has it; given back, before glibc
// has it: so the runtime never sees two owners at once. Where the runtime stays out of the way, calls
// go to glibc with no header, and blocks are told apart by their mark when they come back.
//
// Blocks that glibc maps and unmaps by themselves leave the address space when freed: their past is
// forgotten at once, or a thread's stack or library that is mapped there next would race with it.
#include <cerrno>
#include <cstdint>

#include "frontends/cpu/interpose/heap.h"
#include "frontends/cpu/interpose/intercept.h"
#include "frontends/cpu/interpose/parts.h"

namespace redflag::interpose {
namespace {

constexpr std::size_t kPage = 4096;

REDFLAG_REAL_SLOT(malloc, nullptr)
REDFLAG_REAL_SLOT(calloc, nullptr)
REDFLAG_REAL_SLOT(realloc, nullptr)
REDFLAG_REAL_SLOT(memalign, nullptr)
REDFLAG_REAL_SLOT(free, nullptr)
REDFLAG_REAL_SLOT(malloc_usable_size, nullptr)
REDFLAG_REAL_SLOT(_Znwm, nullptr)
REDFLAG_REAL_SLOT(_ZnwmSt11align_val_t, nullptr)

template <class F>
F as(Real& real) {
  return reinterpret_cast<F>(real.get());
}
void* glibc_malloc(std::size_t n) {
  return as<void* (*)(std::size_t)>(real_malloc)(n);
}
void* glibc_calloc(std::size_t n) {
  return as<void* (*)(std::size_t, std::size_t)>(real_calloc)(1, n);
}
void* glibc_memalign(std::size_t alignment, std::size_t n) {
  return as<void* (*)(std::size_t, std::size_t)>(real_memalign)(alignment, n);
}
void glibc_free(void* p) {
  // The look-up itself frees its error message; better to lose that than to look up again.
  if (REDFLAG_UNLIKELY(looking_up()) && real_free.known() == nullptr) return;
  as<void (*)(void*)>(real_free)(p);
}

// For calls from inside the look-up of the originals: a few hundred bytes, never given back.
alignas(kGrain) char early[16 * 1024];
std::size_t early_used = 0;

bool is_early(const void* p) {
  return p >= early && p < early + sizeof early;
}

void* early_allocate(std::size_t n) {
  const std::size_t whole = (n + 2 * kGrain - 1) / kGrain * kGrain;
  const std::size_t at = __atomic_fetch_add(&early_used, whole, __ATOMIC_RELAXED);
  if (n > sizeof early || at + whole > sizeof early) {
    rt::say(
        "the dynamic linker needs more memory during start than is set aside; please report "
        "this with the program's list of libraries (ldd)");
    __builtin_trap();
  }
  auto* const header = reinterpret_cast<std::size_t*>(early + at);
  *header = n;
  return early + at + kGrain;
}

bool too_early() {
  return REDFLAG_UNLIKELY(looking_up()) && real_malloc.known() == nullptr;
}

// glibc keeps "this chunk was mapped by itself" in bit 1 of the size before the block.
bool mapped_alone(const void* whole) {
  return (static_cast<const std::size_t*>(whole)[-1] & 2) != 0;
}

// Makes a block of ours of what glibc gave.
void* adopt(rt::Thread& t, void* whole, unsigned shift, std::size_t n) {
  char* const block = static_cast<char*>(whole) + (std::size_t{1} << shift);
  header_of(block) = {.size = n, .shift = shift, .stack = rt::where(t), .thread = rt::number(t)};
  if (REDFLAG_UNLIKELY(!mark_block(block))) {
    // No memory for the bitmap: the block must be a plain one, and begin where glibc's does.
    header_of(block) = {};
    return whole;
  }
  rt::memory_allocated(t, block, n);
  return block;
}

// A block that nobody is told of: its memory may have been somebody's before.
void* unannounced(void* p, std::size_t n) {
  if (p != nullptr) rt::memory_replaced(p, n);
  return p;
}

void* no_memory() {
  errno = ENOMEM;
  return nullptr;
}

void* allocate(const rt::LibraryCall& call, const void* function, std::size_t n, bool zero) {
  if (too_early()) return early_allocate(n);
  if (!call) return unannounced(zero ? glibc_calloc(n) : glibc_malloc(n), n);
  if (n > kLargestBlock) return no_memory();
  check_signal_safe(*call.thread, function);
  void* const whole = zero ? glibc_calloc(n + kGrain) : glibc_malloc(n + kGrain);
  return whole == nullptr ? nullptr : adopt(*call.thread, whole, kPlainShift, n);
}

void* allocate_aligned(const rt::LibraryCall& call, const void* function, std::size_t alignment,
                       std::size_t n) {
  if (alignment <= kGrain) return allocate(call, function, n, false);
  if (alignment > kLargestBlock || n > kLargestBlock) return no_memory();
  // As glibc does: the next power of two.
  const unsigned shift = 64 - __builtin_clzll(alignment - 1);
  const std::size_t rounded = std::size_t{1} << shift;
  if (!call) return unannounced(glibc_memalign(rounded, n), n);
  check_signal_safe(*call.thread, function);
  void* const whole = glibc_memalign(rounded, n + rounded);
  return whole == nullptr ? nullptr : adopt(*call.thread, whole, shift, n);
}

thread_local bool quiet = false;

// The block leaves our books; what glibc knows it by.
void* disown(const rt::LibraryCall& call, void* block) {
  void* const whole = whole_of(block);
  if (call && !quiet) {
    const std::size_t n = header_of(block).size;
    remember_freed(*call.thread, block);
    rt::memory_freed(*call.thread, block, n);
    if (mapped_alone(whole)) rt::memory_replaced(block, n);
  }
  return whole;
}

void release(const rt::LibraryCall& call, const void* function, void* block) {
  if (block == nullptr || is_early(block)) return;
  if (call) check_signal_safe(*call.thread, function);
  glibc_free(unmark_block(block) ? disown(call, block) : block);
}

void* resize(const rt::LibraryCall& call, const void* function, void* block, std::size_t n) {
  if (block == nullptr) return allocate(call, function, n, false);
  const bool was_early = is_early(block);
  if (!was_early && !is_block(block)) {
    return unannounced(as<void* (*)(void*, std::size_t)>(real_realloc)(block, n), n);
  }
  if (!was_early && n == 0) {
    release(call, function, block);
    return nullptr;
  }
  if (n > kLargestBlock) return no_memory();
  if (was_early || header_of(block).shift != kPlainShift) {
    const std::size_t size =
        was_early ? static_cast<std::size_t*>(block)[-2] : header_of(block).size;
    void* const fresh = allocate(call, function, n, false);
    if (fresh == nullptr) return nullptr;
    plain_copy(fresh, block, n < size ? n : size);
    release(call, function, block);
    return fresh;
  }
  // glibc moves the header with the rest. The old place may be another thread's before it returns,
  // so it leaves our books first.
  if (call) check_signal_safe(*call.thread, function);
  const Header before = header_of(block);
  if (!unmark_block(block)) return no_memory();  // freed by another thread just now
  void* const old = disown(call, block);
  void* const whole = as<void* (*)(void*, std::size_t)>(real_realloc)(old, n + kGrain);
  if (whole != nullptr && call) {
    void* const moved = adopt(*call.thread, whole, kPlainShift, n);
    if (moved == whole) copy_bytes(whole, static_cast<char*>(whole) + kGrain, n);
    return moved;
  }
  void* const kept = whole == nullptr ? block : static_cast<char*>(whole) + kGrain;
  header_of(kept) = before;
  if (whole != nullptr) header_of(kept).size = n;
  mark_block(kept);
  if (call) {
    rt::memory_allocated(*call.thread, kept, before.size);
  } else {
    unannounced(kept, header_of(kept).size);
  }
  return whole == nullptr ? nullptr : kept;
}

}  // namespace

bool set_quiet_frees(bool now) {
  const bool before = quiet;
  quiet = now;
  return before;
}

void* plain_malloc(std::size_t n) {
  return glibc_malloc(n);
}
void plain_free(void* p) {
  glibc_free(p);
}

#define REDFLAG_ALLOCATION_CALL(name)                                \
  const void* const function = reinterpret_cast<const void*>(&name); \
  const rt::LibraryCall call(function, __builtin_return_address(0))

REDFLAG_EXPORT(void*, malloc, std::size_t n) {
  REDFLAG_ALLOCATION_CALL(malloc);
  return allocate(call, function, n, false);
}

REDFLAG_EXPORT(void*, calloc, std::size_t count, std::size_t size) {
  REDFLAG_ALLOCATION_CALL(calloc);
  std::size_t n = 0;
  if (__builtin_mul_overflow(count, size, &n)) return no_memory();
  return allocate(call, function, n, true);
}

REDFLAG_EXPORT(void*, realloc, void* p, std::size_t n) {
  REDFLAG_ALLOCATION_CALL(realloc);
  return resize(call, function, p, n);
}

REDFLAG_EXPORT(void*, reallocarray, void* p, std::size_t count, std::size_t size) {
  REDFLAG_ALLOCATION_CALL(reallocarray);
  std::size_t n = 0;
  if (__builtin_mul_overflow(count, size, &n)) return no_memory();
  return resize(call, function, p, n);
}

REDFLAG_EXPORT(void, free, void* p) {
  REDFLAG_ALLOCATION_CALL(free);
  release(call, function, p);
}

REDFLAG_EXPORT(void*, memalign, std::size_t alignment, std::size_t n) {
  REDFLAG_ALLOCATION_CALL(memalign);
  return allocate_aligned(call, function, alignment, n);
}

REDFLAG_EXPORT(void*, aligned_alloc, std::size_t alignment, std::size_t n) {
  REDFLAG_ALLOCATION_CALL(aligned_alloc);
  return allocate_aligned(call, function, alignment, n);
}

REDFLAG_EXPORT(int, posix_memalign, void** result, std::size_t alignment, std::size_t n) {
  REDFLAG_ALLOCATION_CALL(posix_memalign);
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
    return EINVAL;
  }
  const int saved = errno;
  void* const p = allocate_aligned(call, function, alignment, n);
  errno = saved;
  if (p == nullptr) return ENOMEM;
  *result = p;
  if (call) rt::write(*call.thread, result, sizeof *result);
  return 0;
}

REDFLAG_EXPORT(void*, valloc, std::size_t n) {
  REDFLAG_ALLOCATION_CALL(valloc);
  return allocate_aligned(call, function, kPage, n);
}

REDFLAG_EXPORT(void*, pvalloc, std::size_t n) {
  REDFLAG_ALLOCATION_CALL(pvalloc);
  if (n > kLargestBlock) return no_memory();
  return allocate_aligned(call, function, kPage, (n + kPage - 1) / kPage * kPage);
}

// What was asked for, not what glibc rounded it to: only that much is known to be the program's.
REDFLAG_EXPORT(std::size_t, malloc_usable_size, void* p) {
  if (p == nullptr) return 0;
  if (is_early(p)) return static_cast<std::size_t*>(p)[-2];
  if (is_block(p)) return header_of(p).size;
  return as<std::size_t (*)(void*)>(real_malloc_usable_size)(p);
}

// --- operators new and delete, by their symbols ---------------------------------------------------
// When there is no memory the C++ library's own operator calls the new handler and throws.
#define REDFLAG_NEW(name)                                                                \
  REDFLAG_EXPORT(void*, name, std::size_t n) {                                           \
    void* p;                                                                             \
    {                                                                                    \
      REDFLAG_ALLOCATION_CALL(name);                                                     \
      p = allocate(call, function, n, false);                                            \
    }                                                                                    \
    return REDFLAG_LIKELY(p != nullptr) ? p : as<void* (*)(std::size_t)>(real__Znwm)(n); \
  }
#define REDFLAG_NEW_NOTHROW(name)                           \
  REDFLAG_EXPORT(void*, name, std::size_t n, const void*) { \
    REDFLAG_ALLOCATION_CALL(name);                          \
    return allocate(call, function, n, false);              \
  }
#define REDFLAG_NEW_ALIGNED(name)                                                                  \
  REDFLAG_EXPORT(void*, name, std::size_t n, std::size_t alignment) {                              \
    void* p;                                                                                       \
    {                                                                                              \
      REDFLAG_ALLOCATION_CALL(name);                                                               \
      p = allocate_aligned(call, function, alignment, n);                                          \
    }                                                                                              \
    return REDFLAG_LIKELY(p != nullptr)                                                            \
               ? p                                                                                 \
               : as<void* (*)(std::size_t, std::size_t)>(real__ZnwmSt11align_val_t)(n, alignment); \
  }
#define REDFLAG_NEW_ALIGNED_NOTHROW(name)                                          \
  REDFLAG_EXPORT(void*, name, std::size_t n, std::size_t alignment, const void*) { \
    REDFLAG_ALLOCATION_CALL(name);                                                 \
    return allocate_aligned(call, function, alignment, n);                         \
  }
// Size, alignment and nothrow come after the pointer, in registers that need no look.
#define REDFLAG_DELETE(name)            \
  REDFLAG_EXPORT(void, name, void* p) { \
    REDFLAG_ALLOCATION_CALL(name);      \
    release(call, function, p);         \
  }

REDFLAG_NEW(_Znwm)
REDFLAG_NEW(_Znam)
REDFLAG_NEW_NOTHROW(_ZnwmRKSt9nothrow_t)
REDFLAG_NEW_NOTHROW(_ZnamRKSt9nothrow_t)
REDFLAG_NEW_ALIGNED(_ZnwmSt11align_val_t)
REDFLAG_NEW_ALIGNED(_ZnamSt11align_val_t)
REDFLAG_NEW_ALIGNED_NOTHROW(_ZnwmSt11align_val_tRKSt9nothrow_t)
REDFLAG_NEW_ALIGNED_NOTHROW(_ZnamSt11align_val_tRKSt9nothrow_t)
REDFLAG_DELETE(_ZdlPv)
REDFLAG_DELETE(_ZdaPv)
REDFLAG_DELETE(_ZdlPvm)
REDFLAG_DELETE(_ZdaPvm)
REDFLAG_DELETE(_ZdlPvRKSt9nothrow_t)
REDFLAG_DELETE(_ZdaPvRKSt9nothrow_t)
REDFLAG_DELETE(_ZdlPvSt11align_val_t)
REDFLAG_DELETE(_ZdaPvSt11align_val_t)
REDFLAG_DELETE(_ZdlPvmSt11align_val_t)
REDFLAG_DELETE(_ZdaPvmSt11align_val_t)
REDFLAG_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t)
REDFLAG_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t)

}  // namespace redflag::interpose
