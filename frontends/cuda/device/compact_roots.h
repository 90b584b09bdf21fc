// compact on a kernel's pointers: through which of them nothing can race.
//
// The rewriter knows what a kernel does through each pointer that it gets (rewrite/roots.h): memory that
// it only reads, or only changes by atomics, is quiet if no other pointer of the kernel leads into the same
// allocation and does something else there. Which allocation a pointer leads into is looked up in a
// table that the host made (compact_allocations.h); the host gives none where other launches, or the
// host itself, might access the memory at the same time. All blocks of a launch have the same pointers: the
// first ones look, later ones find what those have stored in State.
//
// Device code, by the first thread of a block.
#pragma once

#include "frontends/cuda/device/compact_block.h"

namespace redflag::device::compact {

// The allocation that the address is in, from 1; 0: it is in none.
REDFLAG_DEVICE std::uint32_t allocation_of(const AllocationTable& table, std::uint64_t address) {
  std::uint32_t low = 0, high = static_cast<std::uint32_t>(table.count);
  while (low < high) {  // the first that begins behind the address
    const std::uint32_t middle = (low + high) / 2;
    if (table.ranges[middle].begin <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low != 0 && address < table.ranges[low - 1].end ? low : 0;
}

REDFLAG_DEVICE std::uint32_t deeds_of_root(std::uint32_t i) {
  return block().root_deeds >> (i * kRootDeedBits) & kRootAll;
}

REDFLAG_SLOW std::uint32_t find_quiet_roots(std::uint64_t table_address) {
  Block& b = block();
  const auto& table = *reinterpret_cast<const AllocationTable*>(table_address);
  for (std::uint32_t i = 0; i < kMostRoots; ++i) {
    b.root_of[i] = deeds_of_root(i) != 0 ? allocation_of(table, b.roots[i]) : 0;
  }
  std::uint32_t quiet = kAllQuiet;
  for (std::uint32_t i = 0; i < kMostRoots; ++i) {
    const std::uint32_t own = deeds_of_root(i);
    bool is_quiet = b.root_of[i] != 0 && (own == kRootReads || own == kRootAtomics);
    for (std::uint32_t j = 0; j < kMostRoots && is_quiet; ++j) {
      const bool meets = b.root_of[j] == 0 || b.root_of[j] == b.root_of[i];
      is_quiet = (deeds_of_root(j) & ~own) == 0 || !meets;
    }
    quiet |= is_quiet ? 1U << i : 0;
    if (own != 0 && !is_quiet) quiet &= ~kAllQuiet;
  }
  return quiet;
}

// What an earlier block of the launch has found; 0: nothing. Before anything else is known of the block.
REDFLAG_DEVICE std::uint32_t known_quiet_roots(std::uint64_t launch) {
  if ((launch & kNotChecked) != 0 || redflag_state == 0) return 0;
  const State& s = *reinterpret_cast<const State*>(redflag_state);
  const auto number = static_cast<std::uint32_t>(launch);
  const std::uint64_t have =
      load_relaxed<Reach::kDevice>(&s.quiet[number & gpu::compact::kLaunchMask]);
  return have >> 32 == number ? static_cast<std::uint32_t>(have) : 0;
}

REDFLAG_DEVICE void begin_roots(std::uint64_t launch) {
  Block& b = block();
  const auto number = static_cast<std::uint32_t>(launch >> kTableAt & kTableMask);
  b.quiet_roots = 0;
  if (b.state == 0 || number == 0) return;
  State& s = state_of(b);
  b.quiet_roots = known_quiet_roots(launch);
  if (b.quiet_roots != 0) return;
  b.quiet_roots = find_quiet_roots(s.tables + (number - 1) * sizeof(AllocationTable));
  store_relaxed<Reach::kDevice>(&s.quiet[b.launch & gpu::compact::kLaunchMask],
                                std::uint64_t{b.launch} << 32 | b.quiet_roots);
}

}  // namespace redflag::device::compact
