// Shadow: from an address to the 32-bit handle of its granule, in two loads.
//
// The address space is cut into regions of 64 MiB. A directory has one word per region: where the
// handles of the region are, less what the region's own address adds, so that no masking is needed;
// 0 where nothing was accessed yet. The directory is 16 MiB of zero pages and a region's handles
// are 32 MiB, both committed as touched: nothing is reserved that strict overcommit, high address
// entropy or another library's own reservations could refuse.
//
// Cells are read by everybody. Who may change them: most memory is used by one thread for long, so
// every block of 16 KiB has an owner, and the owner changes its cells with plain stores. A thread
// that needs a foreign block takes it over, after the owner has left the detector (ownership.cpp);
// after a few such moves the block is shared for good, and changed by compare-and-swap. Reading 0 is
// "never accessed".
//
// Memory that the program reaches at several addresses has its cells elsewhere (aliases.h): whoever
// changes cells asks for the home of an address first.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/detect/slimfast/handle.h"
#include "core/live/aliases.h"
#include "core/live/os.h"

namespace redflag::live {

using slimfast::Form;
using slimfast::Handle;
using slimfast::kNoBase;
using slimfast::kNone;
using slimfast::make_handle;

using Cell = std::atomic<std::uint32_t>;
static_assert(sizeof(Cell) == 4);

inline constexpr unsigned kGranule = 8;
inline constexpr unsigned kRegionShift = 26;
inline constexpr std::uint64_t kRegionBytes = std::uint64_t{1} << kRegionShift;
inline constexpr std::uint64_t kAddressLimit = std::uint64_t{1} << 47;
// Homes of aliases lie above what a program can have.
inline constexpr std::uint64_t kHomeBytes = std::uint64_t{1} << 40;
inline constexpr std::size_t kRegions = (kAddressLimit + kHomeBytes) >> kRegionShift;
inline constexpr std::size_t kRegionCells = kRegionBytes / kGranule;
inline constexpr unsigned kBlockShift = 14;
inline constexpr std::size_t kRegionBlocks = kRegionBytes >> kBlockShift;

// Of a block: the owner's number + 1 in the lower bits, how often it moved above them.
using Owner = std::atomic<std::uint32_t>;
inline constexpr std::uint32_t kOwnerBits = 28;
inline constexpr std::uint32_t kOwnerMask = (1U << kOwnerBits) - 1;
inline constexpr std::uint32_t kSharedBlock = ~0U;
inline constexpr std::uint32_t kMovingBlock = ~0U - 1;

class Shadow {
 public:
  // Where the region's cells would be if it began at address 0; 0: it was never touched.
  [[gnu::always_inline]] std::uintptr_t biased(std::uint64_t addr) const {
    return directory[addr >> kRegionShift].load(std::memory_order_relaxed);
  }
  // The cell of the granule at `addr`; nullptr: its region was never touched.
  Cell* find(std::uint64_t addr) {
    const std::uintptr_t origin = biased(addr);
    if (origin == 0) [[unlikely]]
      return nullptr;
    return reinterpret_cast<Cell*>(origin + addr / kGranule * sizeof(Cell));
  }
  Cell& get(std::uint64_t addr) {
    Cell* cell = find(addr);
    return cell != nullptr ? *cell : make(addr);
  }

  void prefetch(std::uint64_t addr) const {
    if (const std::uintptr_t origin = biased(addr); origin != 0) {
      __builtin_prefetch(reinterpret_cast<const void*>(origin + addr / kGranule * sizeof(Cell)));
    }
  }

  // The block's owner; its region has been touched.
  [[gnu::always_inline]] Owner& owner(std::uint64_t addr) {
    return *reinterpret_cast<Owner*>(owners_[addr >> kRegionShift].load(std::memory_order_relaxed) +
                                     (addr >> kBlockShift) * sizeof(Owner));
  }

  // Where the cells of `addr` are, as an address: itself, but for aliases.
  [[gnu::always_inline]] std::uint64_t home(std::uint64_t addr) const {
    if (!aliases.any()) [[likely]]
      return addr;
    std::uint64_t room = 1;
    return aliases.home(addr, room);
  }
  // The same for as many of the next `room` bytes as have their cells side by side.
  [[gnu::always_inline]] std::uint64_t home(std::uint64_t addr, std::uint64_t& room) const {
    return aliases.any() ? aliases.home(addr, room) : addr;
  }

  // All cells of [addr, addr + size) become 0: memory with a new life. Large ranges give their
  // pages back. The caller has seen to what the handles refer to.
  void clear(std::uint64_t addr, std::uint64_t size);

  // Calls f(cells, count, first address) for every piece of resident shadow. World stopped.
  template <typename F>
  void for_each_resident(F&& f);

  std::size_t resident_bytes();
  void destroy();

  Aliases aliases;
  // By region. Public, since compiled code is given its address as a constant.
  std::atomic<std::uintptr_t> directory[kRegions] = {};

 private:
  [[gnu::noinline]] Cell& make(std::uint64_t addr);
  Cell* region(std::size_t i) {
    const std::uintptr_t origin = directory[i].load(std::memory_order_acquire);
    return origin == 0 ? nullptr
                       : reinterpret_cast<Cell*>(origin + i * kRegionCells * sizeof(Cell));
  }

  std::atomic<std::uint32_t> used_{0};             // entries of regions_
  std::atomic<std::uint32_t> regions_[4096] = {};  // which have handles, for walks; beyond: linear
  std::atomic<std::uintptr_t> owners_[kRegions] = {};  // set before the directory's entry
};

template <typename F>
void Shadow::for_each_resident(F&& f) {
  static unsigned char pages[kRegionCells * sizeof(Cell) / kOsPage];
  const std::uint32_t n = used_.load(std::memory_order_acquire);
  const bool listed = n <= 4096;
  for (std::size_t k = 0; k < (listed ? n : kRegions); ++k) {
    const std::size_t i = listed ? regions_[k].load(std::memory_order_acquire) : k;
    Cell* cells = region(i);
    if (cells == nullptr) continue;
    constexpr std::size_t kCellsPerPage = kOsPage / sizeof(Cell);
    const bool known = os_resident(cells, kRegionCells * sizeof(Cell), pages);
    for (std::size_t p = 0; p < sizeof(pages); ++p) {
      if (known && (pages[p] & 1) == 0) continue;
      f(cells + p * kCellsPerPage, kCellsPerPage, i * kRegionBytes + p * kCellsPerPage * kGranule);
    }
  }
}

}  // namespace redflag::live
