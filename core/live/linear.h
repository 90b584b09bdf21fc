// LinearMemory: where the cells of the program's memory are, at a constant distance.
//
//   cell(a) = a ^ kCellDistance      second(a) = a ^ kSecondDistance      for a, 8 bytes aligned
//
// One exclusive-or, in the runtime and in compiled code. Programs on x86-64 Linux live in four windows
// of the address space: below 1 TiB (position-dependent code, the heap behind it), at 0x2a... (mappings
// where the stack is unlimited), at 0x55... (PIE), and at 0x7e... (libraries, mappings, stacks). Only the
// shadow of the windows is reserved, without memory behind it; pages are committed as they are
// touched. Elsewhere shadow is made for what is mapped when the program starts, where addresses are
// very random (map()), and for each mapping that the program makes (cover()).
//
// Beside them, for the granules of atomics and locks, a word of 4 bytes with the index of the first of
// their records; and for each page what there is of all this, so that memory of which nothing is known
// is not looked at when it is freed, swept or counted.
//
// Limits: strict overcommit (vm.overcommit_memory=2) and a limit on address space (ulimit -v) refuse
// the reservation, and memory that the program maps at an address of ours cannot be checked. map() and
// cover() say so, and their callers end the program with a message.
#pragma once

#include <cstdint>

#include "core/live/columns.h"
#include "core/live/entry.h"
#include "core/live/os.h"
#include "core/live/spin.h"

namespace redflag::live {

inline constexpr std::uint64_t kAddressLimit = std::uint64_t{1} << 47;
inline constexpr std::uint64_t kCellDistance = 0x6000'0000'0000;
inline constexpr std::uint64_t kSecondDistance = (kUnderTsan ? 0x4600U : 0x2000U) * (1ULL << 32);
// A word for each page of the program: which slots, modulo 64, have a column there.
inline constexpr std::uint64_t kReadersBase = 0x4000'0000'0000;
inline constexpr unsigned kPageShift = 12;
// records(a) = a / 2 ^ kRecordsDistance: 4 bytes for each granule.
inline constexpr std::uint64_t kRecordsDistance = 0x4800'0000'0000;
// A byte for each page, PageMark; and one for each GiB, whether any of its pages has a mark.
inline constexpr std::uint64_t kMarksBase = 0x4100'0000'0000;
inline constexpr std::uint64_t kRegionsBase = 0x4110'0000'0000;
inline constexpr unsigned kRegionShift = 30;
inline constexpr std::uint8_t kMarked = 1;   // of a region
inline constexpr std::uint8_t kCovered = 2;  // outside of the windows: cover() has made its shadow
enum PageMark : std::uint8_t { kHasCells = 1, kHasRecords = 2, kHasReaders = 4 };

struct Window {
  std::uint64_t begin;
  std::uint64_t end;
};
inline constexpr Window kWindows[] = {
    {0, 0x0100'0000'0000},
// Not in tests under a sanitizer whose own shadow has that place: most make up addresses below.
#ifndef REDFLAG_UNDER_SANITIZER
    {0x2a00'0000'0000, 0x2c00'0000'0000},
#endif
#ifndef REDFLAG_UNDER_TSAN
    {0x5500'0000'0000, 0x5700'0000'0000},
    {0x7e00'0000'0000, 0x8000'0000'0000},
#endif
};
// Where memory that the program reaches at several addresses has its cells: as if it were here.
inline constexpr Window kHomes = {0x0100'0000'0000, 0x0200'0000'0000};

struct LinearMemory {
  const std::atomic<std::uint32_t>* slots = nullptr;  // how many there are

  // Reserves the shadow of all windows, and of what is mapped elsewhere, with room below it. False: the
  // program cannot go on.
  struct Refusal {
    std::intptr_t fault = 0;  // the kernel's error, negative; kTaken
    Window at{0, 0};          // kTaken: the program is where our tables must be
  };
  static constexpr std::intptr_t kTaken = 1;
  static bool map(Refusal& why);
  static void unmap();  // tests
  // Has [begin, end) cells? Makes them if it can.
  static bool cover(std::uint64_t begin, std::uint64_t end);
  // Gives the memory behind the cells of [begin, end) back: they are 0 again.
  static void discard(std::uint64_t begin, std::uint64_t end);

  [[gnu::always_inline]] static Word& cell(std::uint64_t g) {
    return *reinterpret_cast<Word*>(g ^ kCellDistance);
  }
  [[gnu::always_inline]] static Word& second(std::uint64_t g) {
    return *reinterpret_cast<Word*>(g ^ kSecondDistance);
  }
  static Word& readers(std::uint64_t g) {
    return *reinterpret_cast<Word*>(kReadersBase + (g >> kPageShift) * sizeof(Word));
  }
  static std::atomic<std::uint32_t>& records(std::uint64_t g) {
    return *reinterpret_cast<std::atomic<std::uint32_t>*>(g / 2 ^ kRecordsDistance);
  }
  using Mark = std::atomic<std::uint8_t>;
  static Mark& page(std::uint64_t g) {
    return *reinterpret_cast<Mark*>(kMarksBase + (g >> kPageShift));
  }
  static Mark& region(std::uint64_t g) {
    return *reinterpret_cast<Mark*>(kRegionsBase + (g >> kRegionShift));
  }
  [[gnu::always_inline]] static void mark(std::uint64_t g, PageMark what) {
    if ((page(g).load(std::memory_order_relaxed) & what) == 0) [[unlikely]]
      mark_slow(g, what);
  }
  [[gnu::noinline]] static void mark_slow(std::uint64_t g, PageMark what) {
    region(g).fetch_or(kMarked, std::memory_order_relaxed);
    page(g).fetch_or(what, std::memory_order_relaxed);
  }
  // Calls f(first address) for each page with this mark.
  template <typename F>
  static void for_each_page(PageMark what, F&& f);

  std::uint32_t slot_count() const { return slots->load(std::memory_order_acquire); }

  template <typename T>
  [[gnu::always_inline]] static T load(const std::atomic<T>& word) {
    return word.load(std::memory_order_acquire);
  }
  template <typename T>
  [[gnu::always_inline]] static void store(std::atomic<T>& word, T value) {
    word.store(value, std::memory_order_release);
  }
  [[gnu::always_inline]] static bool swap(Word& word, std::uint64_t from, std::uint64_t to) {
    return word.compare_exchange_strong(from, to, std::memory_order_seq_cst);
  }
  static void unlock(Word& word, std::uint64_t to) { word.store(to, std::memory_order_release); }
  // A load behind a full fence: all that this thread stored before is visible.
  static std::uint64_t load_fenced(Word& word) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return word.load(std::memory_order_acquire);
  }
  static void add(Word& word, std::uint64_t bits) {
    if ((word.load(std::memory_order_relaxed) & bits) != bits) word.fetch_or(bits);
  }
  static void wait(unsigned& turns) {
    if (++turns % 64 == 0) {
      os_yield();
    } else {
      __builtin_ia32_pause();
    }
  }
};

template <typename F>
void LinearMemory::for_each_page(PageMark what, F&& f) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 47;
  for (std::uint64_t r = 0; r < kEnd; r += std::uint64_t{1} << kRegionShift) {
    if ((region(r).load(std::memory_order_relaxed) & kMarked) == 0) continue;
    for (std::uint64_t p = r; p < r + (std::uint64_t{1} << kRegionShift); p += 1U << kPageShift) {
      if ((page(p).load(std::memory_order_relaxed) & what) != 0) f(p);
    }
  }
}

}  // namespace redflag::live
