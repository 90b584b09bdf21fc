// The calls of our own pass (frontends/cpu/abi/abi.h): what its inlined comparison did not settle.
//
// Those of single accesses keep all registers but r11 and those of vectors, so that the way past them
// needs to save none: a few lines of assembly around a function. Ranges are ordinary calls.
#include "frontends/cpu/abi/abi.h"

#include <cstddef>

#include "frontends/cpu/rt/hold.h"
#include "frontends/cpu/rt/known.h"
#include "frontends/cpu/rt/record.h"

namespace redflag::rt {

static_assert(offsetof(live::Hot, base) == abi::kHotBase);
static_assert(offsetof(live::Hot, room) == abi::kHotRoom);
static_assert(offsetof(live::Hot, top) == abi::kHotTop);
static_assert(offsetof(live::Hot, limit) == abi::kHotLimit);
static_assert(sizeof(live::Frame) == abi::kFrameBytes);
static_assert(live::kGranule == 1U << abi::kGranuleShift);
static_assert(sizeof(live::Cell) == abi::kCellBytes);
static_assert(live::kRegionShift == abi::kRegionShift);

namespace {

live::Thread* checked() {
  live::Thread* t = g_hot.thread;
  if (t == nullptr || live::is_inside(t->inside.load(std::memory_order_relaxed)) ||
      t->ignore_accesses != 0) {
    return nullptr;
  }
  return t;
}

constexpr std::size_t kMostInRun = 0xffff;
constexpr std::size_t kMostLookedUp = 4096;  // bytes, or elements: beyond, they are mostly new

// n bytes as one access: merged fields, or a loop's.
template <bool is_write>
void check_n(std::uint64_t addr, std::size_t n, std::uint64_t pc) {
  if (n == 0) return;
  if (n <= kMostLookedUp && knows_range<is_write>(addr, n)) return;
  if (n <= kMostInRun) {
    live::AccessLog::Open& o = g_hot.opens[live::AccessLog::open_of(pc)];
    const auto kind = is_write ? live::LogKind::kWrite : live::LogKind::kRead;
    const std::uint32_t shape = live::AccessLog::shape_of(static_cast<std::uint32_t>(n), kind, 0);
    if (live::AccessLog::extend(o, pc, g_hot.top[-1].node, shape, addr)) return;
    if (live::AccessLog::gather(o, pc, g_hot.top[-1].node, shape, addr)) return;
  }
  live::Thread* t = checked();
  if (t == nullptr) return;
  if (t->direct || n > kMostInRun) {
    hold_access(of(*t), addr, n, is_write ? EventKind::kWrite : EventKind::kRead, pc);
    record_access(of(*t), is_write ? EventKind::kWrite : EventKind::kRead, addr, n, pc);
    g_runtime.detector.range(*t, addr, n, is_write ? live::LogKind::kWrite : live::LogKind::kRead,
                             pc);
    return;
  }
  g_runtime.detector.wait_or_check(*t, live::AccessLog::open_of(pc), addr, static_cast<unsigned>(n),
                                   is_write, pc);
}

template <bool is_write>
void check_strided(std::uint64_t addr, std::int64_t step, std::uint64_t count, std::size_t size,
                   std::uint64_t pc) {
  if (count == 0) return;
  if (count == 1 || step == 0) return check_n<is_write>(addr, size, pc);
  if (count <= kMostLookedUp) {
    std::uint64_t k = 0;
    std::uint64_t at = addr;
    while (k < count && knows_range<is_write>(at, size)) {
      ++k;
      at += static_cast<std::uint64_t>(step);
    }
    if (k == count) return;
  }
  live::Thread* t = checked();
  if (t == nullptr) return;
  if (g_runtime.holding != nullptr) [[unlikely]] {
    hold_strided(of(*t), {addr, step, count, size}, is_write ? EventKind::kWrite : EventKind::kRead,
                 pc);
  }
  if (g_runtime.recording) {
    for (std::uint64_t k = 0; k < count; ++k) {
      record_access(of(*t), is_write ? EventKind::kWrite : EventKind::kRead,
                    addr + k * static_cast<std::uint64_t>(step), size, pc);
    }
  }
  g_runtime.detector.strided(*t, addr, step, count, static_cast<unsigned>(size), is_write, pc);
}

}  // namespace
}  // namespace redflag::rt

#define REDFLAG_ABI extern "C" __attribute__((visibility("default")))
#define REDFLAG_PC reinterpret_cast<std::uint64_t>(__builtin_return_address(0))
#define REDFLAG_ADDR reinterpret_cast<std::uint64_t>(p)

REDFLAG_ABI constinit const void* const __redflag_directory =
    redflag::rt::g_runtime.detector.shadow.directory;

// The function NAME(p, ...) is done by NAME_kept(p, n, pc), where n is what the second argument was.
#define REDFLAG_KEEPING(name)                                       \
  asm(".text\n.globl " #name "\n.type " #name ", @function\n" #name \
      ":\n"                                                         \
      "  push %rax\n  push %rcx\n  push %rdx\n  push %rsi\n"        \
      "  push %rdi\n  push %r8\n  push %r9\n  push %r10\n"          \
      "  mov 64(%rsp), %rdx\n"                                      \
      "  sub $8, %rsp\n"                                            \
      "  call " #name                                               \
      "_kept\n"                                                     \
      "  add $8, %rsp\n"                                            \
      "  pop %r10\n  pop %r9\n  pop %r8\n  pop %rdi\n"              \
      "  pop %rsi\n  pop %rdx\n  pop %rcx\n  pop %rax\n  ret\n"     \
      ".size " #name ", . - " #name "\n");

#define REDFLAG_KEPT(name)                                              \
  REDFLAG_KEEPING(name)                                                 \
  extern "C" [[gnu::used, gnu::visibility("hidden")]] void name##_kept( \
      void* p, [[maybe_unused]] std::size_t n, std::uint64_t pc)

#define REDFLAG_SIZE(size)                  \
  REDFLAG_KEPT(__redflag_read##size) {      \
    redflag::rt::check<size, false>(p, pc); \
  }                                         \
  REDFLAG_KEPT(__redflag_write##size) {     \
    redflag::rt::check<size, true>(p, pc);  \
  }
#define REDFLAG_UNALIGNED_SIZE(size)                  \
  REDFLAG_KEPT(__redflag_read##size) {                \
    redflag::rt::check_unaligned<size, false>(p, pc); \
  }                                                   \
  REDFLAG_KEPT(__redflag_write##size) {               \
    redflag::rt::check_unaligned<size, true>(p, pc);  \
  }
REDFLAG_SIZE(1)
REDFLAG_UNALIGNED_SIZE(2)
REDFLAG_UNALIGNED_SIZE(4)
REDFLAG_UNALIGNED_SIZE(8)
REDFLAG_UNALIGNED_SIZE(16)

REDFLAG_KEPT(__redflag_read_n) {
  redflag::rt::check_n<false>(REDFLAG_ADDR, n, pc);
}
REDFLAG_KEPT(__redflag_write_n) {
  redflag::rt::check_n<true>(REDFLAG_ADDR, n, pc);
}

REDFLAG_ABI void __redflag_read_range(void* p, std::size_t n) {
  redflag::rt::check_n<false>(REDFLAG_ADDR, n, REDFLAG_PC);
}
REDFLAG_ABI void __redflag_write_range(void* p, std::size_t n) {
  redflag::rt::check_n<true>(REDFLAG_ADDR, n, REDFLAG_PC);
}
REDFLAG_ABI void __redflag_read_strided(void* p, std::int64_t step, std::uint64_t count,
                                        std::size_t size) {
  redflag::rt::check_strided<false>(REDFLAG_ADDR, step, count, size, REDFLAG_PC);
}
REDFLAG_ABI void __redflag_write_strided(void* p, std::int64_t step, std::uint64_t count,
                                         std::size_t size) {
  redflag::rt::check_strided<true>(REDFLAG_ADDR, step, count, size, REDFLAG_PC);
}
REDFLAG_ABI void __redflag_read_lane(void* p, std::size_t size, bool is_set) {
  if (is_set) redflag::rt::check_n<false>(REDFLAG_ADDR, size, REDFLAG_PC);
}
REDFLAG_ABI void __redflag_write_lane(void* p, std::size_t size, bool is_set) {
  if (is_set) redflag::rt::check_n<true>(REDFLAG_ADDR, size, REDFLAG_PC);
}
