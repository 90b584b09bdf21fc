// The calls of our own pass (frontends/cpu/abi/abi.h): what its inlined comparison did not settle.
//
// Those of single accesses keep all registers but r11 and those of vectors, so that the way past them
// needs to save none: a few lines of assembly around a function. Ranges are ordinary calls.
#include "frontends/cpu/abi/abi.h"

#include <cstddef>
#include <utility>

#include "frontends/cpu/rt/fast.h"
#include "frontends/cpu/rt/hold.h"
#include "frontends/cpu/rt/record.h"
#include "frontends/cpu/rt/sampling.h"

extern "C" {
[[gnu::no_caller_saved_registers]] bool __redflag_read_n_known(std::uint64_t p, std::size_t n);
[[gnu::no_caller_saved_registers]] bool __redflag_write_n_known(std::uint64_t p, std::size_t n);
}

namespace redflag::rt {

static_assert(offsetof(live::Hot, me) == abi::kHotMe);
static_assert(offsetof(live::Hot, top) == abi::kHotTop);
static_assert(offsetof(live::Hot, limit) == abi::kHotLimit);
static_assert(offsetof(live::Hot, changes) == abi::kHotChanges);
static_assert(sizeof(live::Frame) == abi::kFrameBytes);
static_assert(live::kGranule == 1U << abi::kGranuleShift);
static_assert(live::kCellDistance == abi::kCellDistance);
static_assert((live::kEpoch | live::kBytes) == abi::kEntryOfMe && live::kFlag == abi::kEntryFlag);

namespace {

live::Thread* checked() {
  live::Thread* t = g_hot.thread;
  if (t == nullptr || live::is_inside(t->inside.load(std::memory_order_relaxed)) ||
      t->ignore_accesses != 0) {
    return nullptr;
  }
  return t;
}

// What nothing is known of.
template <unsigned size, bool is_write>
[[gnu::always_inline]] inline void check_new(std::uint64_t addr, std::uint64_t pc) {
  slow_access(addr, size | (is_write ? kWriteBit : 0), pc);
}

// n bytes as one access: merged fields, or a loop's.
template <bool is_write>
void check_n(std::uint64_t addr, std::size_t n, std::uint64_t pc) {
  if (n == 0) return;
  live::Thread* t = checked();
  if (t == nullptr) return;
  if (t->everything_slow) [[unlikely]] {
    hold_access(of(*t), addr, n, is_write ? EventKind::kWrite : EventKind::kRead, pc);
    record_access(of(*t), is_write ? EventKind::kWrite : EventKind::kRead, addr, n, pc);
  }
  if (n <= live::Brief::kMostBytes) {
    g_runtime.detector.check_few<is_write>(*t, addr, static_cast<unsigned>(n), pc);
  } else {
    g_runtime.detector.range(*t, addr, n, is_write ? live::LogKind::kWrite : live::LogKind::kRead,
                             pc);
  }
}

template <bool is_write>
void check_range(std::uint64_t addr, std::size_t n, std::uint64_t pc) {
  for_sampled_ends(
      addr, n, [pc](std::uint64_t at, std::uint64_t bytes) { check_n<is_write>(at, bytes, pc); });
}

template <bool is_write>
void check_strided(std::uint64_t addr, std::int64_t step, std::uint64_t count, std::size_t size,
                   std::uint64_t pc) {
  if (count == 0) return;
  if (count == 1 || step == 0) return check_n<is_write>(addr, size, pc);
  const auto forwards = static_cast<std::uint64_t>(step);
  const std::uint64_t apart = step < 0 ? 0 - forwards : forwards;
  const std::uint64_t low = step < 0 ? addr - apart * (count - 1) : addr;
  const std::uint64_t bytes = apart * (count - 1) + size;
  if (apart <= size) return check_range<is_write>(low, bytes, pc);  // they leave nothing out
  if (constexpr std::uint64_t kFew = 16; g_samples_accesses && count > 4 * kFew) {
    check_strided<is_write>(addr, step, kFew, size, pc);
    addr += (count - kFew) * static_cast<std::uint64_t>(step);
    return check_strided<is_write>(addr, step, kFew, size, pc);
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

// Rows of `count` accesses, a pitch apart: along the side on which the bytes lie beside each other.
template <bool is_write>
void check_rows(std::uint64_t addr, std::int64_t step, std::uint64_t count, std::size_t size,
                std::uint64_t rows, std::int64_t pitch, std::uint64_t pc) {
  if (count == 0 || rows == 0) return;
  if (rows == 1 || pitch == 0) return check_strided<is_write>(addr, step, count, size, pc);
  const auto magnitude = [](std::int64_t x) {
    return x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  };
  const std::uint64_t apart = magnitude(step);
  if (apart <= size) {  // each row is dense: as one access
    const std::uint64_t bytes = apart * (count - 1) + size;
    if (step < 0) addr -= apart * (count - 1);
    return check_strided<is_write>(addr, pitch, rows, bytes, pc);
  } else if (magnitude(pitch) <= size) {  // each column is
    std::swap(step, pitch);
    std::swap(count, rows);
  }
  for (std::uint64_t k = 0; k < rows; ++k, addr += static_cast<std::uint64_t>(pitch)) {
    check_strided<is_write>(addr, step, count, size, pc);
  }
}

}  // namespace
}  // namespace redflag::rt

#define REDFLAG_ABI extern "C" __attribute__((visibility("default")))
#define REDFLAG_PC reinterpret_cast<std::uint64_t>(__builtin_return_address(0))
#define REDFLAG_ADDR reinterpret_cast<std::uint64_t>(p)

// The function NAME(p, n): NAME_kept(p, n, pc) with the registers saved. With `look` first NAME_known(p, n)
// (abi_known.cpp), which answers whether that is needed.
// clang-format off
#define REDFLAG_PUSH(reg) "push %" reg "\n.cfi_adjust_cfa_offset 8\n"
#define REDFLAG_POP(reg) "pop %" reg "\n.cfi_adjust_cfa_offset -8\n"
#define REDFLAG_LOOK(name, otherwise)                                                      \
      REDFLAG_PUSH("rax")                                                                  \
      "call " #name "_known\ntest %al, %al\n"                                              \
      REDFLAG_POP("rax")                                                                   \
      "jz " otherwise "\nret\n"
#define REDFLAG_KEEPING(name, look)                                                        \
  asm(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n.cfi_startproc\n"   \
      look "1:\n"                                                                          \
      REDFLAG_PUSH("rax") REDFLAG_PUSH("rcx") REDFLAG_PUSH("rdx") REDFLAG_PUSH("rsi")      \
      REDFLAG_PUSH("rdi") REDFLAG_PUSH("r8") REDFLAG_PUSH("r9") REDFLAG_PUSH("r10")        \
      "mov 64(%rsp), %rdx\nsub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                       \
      "call " #name "_kept\n"                                                              \
      "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"                                          \
      REDFLAG_POP("r10") REDFLAG_POP("r9") REDFLAG_POP("r8") REDFLAG_POP("rdi")            \
      REDFLAG_POP("rsi") REDFLAG_POP("rdx") REDFLAG_POP("rcx") REDFLAG_POP("rax")          \
      "ret\n.cfi_endproc\n.size " #name ", . - " #name "\n");

// clang-format on

#define REDFLAG_KEPT(name, look)                                        \
  REDFLAG_KEEPING(name, look)                                           \
  extern "C" [[gnu::used, gnu::visibility("hidden")]] void name##_kept( \
      void* p, [[maybe_unused]] std::size_t n, std::uint64_t pc)

#define REDFLAG_SIZE(size)                                 \
  REDFLAG_KEPT(__redflag_read##size, "") {                 \
    redflag::rt::check_new<size, false>(REDFLAG_ADDR, pc); \
  }                                                        \
  REDFLAG_KEPT(__redflag_write##size, "") {                \
    redflag::rt::check_new<size, true>(REDFLAG_ADDR, pc);  \
  }
// Checks that are not in line: the comparison, and then as above.
// clang-format off
#define REDFLAG_CHECK(name, next)                                                           \
  asm(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n.cfi_startproc\n"   \
      REDFLAG_LOOK(name, #next)                                                             \
      ".cfi_endproc\n.size " #name ", . - " #name "\n");
// clang-format on
#define REDFLAG_CHECKS(size)                                      \
  REDFLAG_CHECK(__redflag_check_read##size, __redflag_read##size) \
  REDFLAG_CHECK(__redflag_check_write##size, __redflag_write##size)
REDFLAG_CHECKS(1)
REDFLAG_CHECKS(2)
REDFLAG_CHECKS(4)
REDFLAG_CHECKS(8)
REDFLAG_CHECKS(16)

REDFLAG_SIZE(1)
REDFLAG_SIZE(2)
REDFLAG_SIZE(4)
REDFLAG_SIZE(8)
REDFLAG_SIZE(16)

REDFLAG_KEPT(__redflag_read_n, REDFLAG_LOOK(__redflag_read_n, "1f")) {
  redflag::rt::check_n<false>(REDFLAG_ADDR, n, pc);
}
REDFLAG_KEPT(__redflag_write_n, REDFLAG_LOOK(__redflag_write_n, "1f")) {
  redflag::rt::check_n<true>(REDFLAG_ADDR, n, pc);
}

REDFLAG_ABI void __redflag_read_range(void* p, std::size_t n) {
  redflag::rt::check_range<false>(REDFLAG_ADDR, n, REDFLAG_PC);
}
REDFLAG_ABI void __redflag_write_range(void* p, std::size_t n) {
  redflag::rt::check_range<true>(REDFLAG_ADDR, n, REDFLAG_PC);
}
REDFLAG_ABI void __redflag_read_strided(void* p, std::int64_t step, std::uint64_t count,
                                        std::size_t size) {
  redflag::rt::check_strided<false>(REDFLAG_ADDR, step, count, size, REDFLAG_PC);
}
REDFLAG_ABI void __redflag_write_strided(void* p, std::int64_t step, std::uint64_t count,
                                         std::size_t size) {
  redflag::rt::check_strided<true>(REDFLAG_ADDR, step, count, size, REDFLAG_PC);
}
REDFLAG_ABI void __redflag_read_rows(void* p, std::int64_t step, std::uint64_t count,
                                     std::size_t size, std::uint64_t rows, std::int64_t pitch) {
  redflag::rt::check_rows<false>(REDFLAG_ADDR, step, count, size, rows, pitch, REDFLAG_PC);
}
REDFLAG_ABI void __redflag_write_rows(void* p, std::int64_t step, std::uint64_t count,
                                      std::size_t size, std::uint64_t rows, std::int64_t pitch) {
  redflag::rt::check_rows<true>(REDFLAG_ADDR, step, count, size, rows, pitch, REDFLAG_PC);
}
REDFLAG_ABI void __redflag_read_lane(void* p, std::size_t size, bool is_set) {
  if (is_set) redflag::rt::check_n<false>(REDFLAG_ADDR, size, REDFLAG_PC);
}
REDFLAG_ABI void __redflag_write_lane(void* p, std::size_t size, bool is_set) {
  if (is_set) redflag::rt::check_n<true>(REDFLAG_ADDR, size, REDFLAG_PC);
}
