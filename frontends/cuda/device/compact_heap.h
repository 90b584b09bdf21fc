// compact on the device's own heap: memory that kernels get by malloc and give back by free.
//
// The host knows neither where the heap is nor who owns what of it. So a page of it gets its lines
// from a pool when malloc first returns an address there, and a table has the bytes of each
// allocation. Who frees writes: what others did there, unordered, is a race; of large memory only
// the beginning is compared. Then what lines say of it is forgotten, before the next owner can
// have it, and once more when he gets it. Device code, each lane for itself.
#pragma once

#include "frontends/cuda/device/compact_lines.h"

namespace redflag::device::compact {

inline constexpr std::uint64_t kMostCompared = 4096;  // bytes

// The pool's next 512 KiB, zeroed; 0: no more. A page's lines and a region's table are both as large.
REDFLAG_DEVICE std::uint64_t take_spare(State& s) {
  if (load_relaxed<Reach::kDevice>(&s.next_spare) >= s.spare_count) return 0;
  const std::uint32_t index = atomic_add(&s.next_spare, 1U);
  return index < s.spare_count ? s.spares + index * kSpareBytes : 0;
}
// What the slot points to, made if there is nothing.
REDFLAG_DEVICE std::uint64_t made_at(std::uint64_t* slot) {
  const std::uint64_t have = load_relaxed<Reach::kDevice>(slot);
  if (have != 0) return have;
  const std::uint64_t made = take_spare(state_of(block()));
  if (made == 0) return 0;
  const std::uint64_t other = compare_swap(slot, std::uint64_t{0}, made);
  return other != 0 ? other : made;
}
REDFLAG_SLOW void make_lines(std::uint64_t from, std::uint64_t end) {
  State& s = state_of(block());
  for (std::uint64_t at = from >> kPageBits; at <= (end - 1) >> kPageBits; ++at) {
    const std::uint64_t region = at >> (kRegionBits - kPageBits);
    if (region >= kRegions) continue;
    auto* const pages = reinterpret_cast<std::uint64_t*>(
        made_at(&reinterpret_cast<std::uint64_t*>(s.regions)[region]));
    if (pages == nullptr || made_at(&pages[at & (kRegionPages - 1)]) == 0) {
      atomic_add(&s.heap_not_checked, std::uint64_t{1});
    }
  }
}

// The allocation's entry; with `make` a new one. nullptr: there is none, or no room.
REDFLAG_DEVICE Allocation* allocation_of(std::uint64_t address, bool make) {
  State& s = state_of(block());
  auto* const table = reinterpret_cast<Allocation*>(s.allocations);
  const std::uint32_t mask = s.allocation_count - 1;
  if (table == nullptr) return nullptr;
  std::uint32_t at = static_cast<std::uint32_t>(mixed(address)) & mask;
  for (std::uint32_t i = 0; i < 64; ++i, at = (at + 1) & mask) {
    const std::uint64_t have = load_relaxed<Reach::kDevice>(&table[at].address);
    if (have == address) return &table[at];
    if (make && (have == 0 || have == kGone) &&
        compare_swap(&table[at].address, have, address) == have) {
      return &table[at];
    }
    if (!make && have == 0) return nullptr;
  }
  return nullptr;
}

// Words of a line that the allocation has: [from, end) of it.
REDFLAG_DEVICE std::uint32_t words_between(std::uint64_t line, std::uint64_t from,
                                           std::uint64_t end) {
  const std::uint64_t first_word = from > line ? (from - line) / kUnit : 0;
  const std::uint64_t behind = end - line >= kLineBytes ? kLineWords : (end - line) / kUnit;
  const std::uint32_t upto = behind >= 32 ? kAllLanes : (1U << behind) - 1;
  return upto & ~((1U << first_word) - 1);
}

REDFLAG_DEVICE void forget_words(Line* line, std::uint32_t words) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    const Seen seen = look_at(line);
    if (seen.owner.map_bits() == gpu::compact::kBusy) continue;
    if (seen.owner.map_bits() == kCells) {
      for (std::uint32_t rest = words; rest != 0; rest &= rest - 1) {
        if (Cell* const cell = cell_at(seen, first(rest))) store_pair(cell, 0, 0);
      }
      return;
    }
    if (words == kAllLanes &&
        compare_swap(&line->owner.bits, seen.owner.bits, std::uint64_t{0}) != seen.owner.bits) {
      continue;
    }
    atomic_and(&line->reads, ~words);
    atomic_and(&line->writes, ~words);
    atomic_and(&line->others.bits, ~std::uint64_t{words});
    return;
  }
}
REDFLAG_SLOW void forget(std::uint64_t from, std::uint64_t end) {
  for (std::uint64_t at = from / kLineBytes * kLineBytes; at < end; at += kLineBytes) {
    if (Line* const line = line_at(at)) forget_words(line, words_between(at, from, end));
  }
}

// A write of all of it by one lane, which changes nothing.
REDFLAG_SLOW void compare_all(std::uint64_t from, std::uint64_t end, std::uint32_t site,
                              std::uint32_t what, std::uint32_t time) {
  const Doing doing = doing_of(site, what, 1U << lane(), time);
  const auto ordered = [&](const Epoch& e) { return is_ordered(e, doing); };
  Access access = access_of(What::of(what), doing, true);
  for (std::uint64_t at = from / kLineBytes * kLineBytes; at < end; at += kLineBytes) {
    Line* const line = line_at(at);
    if (line == nullptr) continue;
    const Seen seen = look_at(line);
    if (seen.owner.bits == 0 || seen.owner.launch() != launch_at(at)) continue;
    Piece p;
    p.address = at;
    p.lanes = doing.active;
    p.words = p.own = words_between(at, from, end);
    p.writes = true;
    if (seen.owner.map_bits() != kCells) {
      compare_with_owner(line, seen, p, doing);
      compare_with_others(line, p, doing);
      continue;
    }
    for (std::uint32_t rest = p.own; rest != 0; rest &= rest - 1) {
      const Cell* const cell = cell_at(seen, first(rest));
      if (cell == nullptr) break;
      const Pair have = load_pair(cell);
      const Decision decision = decide({{have.first}, {have.second}}, access, ordered);
      if (decision.verdict == Verdict::kFine) continue;
      const bool with_write = decision.verdict != Verdict::kWithRead;
      tell(doing, at + first(rest) * kUnit, Word{with_write ? have.first : have.second},
           with_write ? kFirstWrote : 0U);
    }
  }
}

REDFLAG_DEVICE void allocated(std::uint64_t address, std::uint64_t bytes) {
  if (address == 0 || bytes == 0) return;
  make_lines(address, address + bytes);
  forget(address, address + bytes);
  if (Allocation* const made = allocation_of(address, true)) made->bytes = bytes;
}
REDFLAG_DEVICE void freed(std::uint64_t address, std::uint32_t site) {
  What what;
  what.deed = Deed::kWrite;
  what.memory = Memory::kGlobal;
  what.bytes = kUnit;
  const Doing doing = doing_now(site, what.packed());
  Allocation* const was = address == 0 ? nullptr : allocation_of(address, false);
  if (was == nullptr) return;
  const std::uint64_t end = address + was->bytes;
  const std::uint64_t some = was->bytes < kMostCompared ? end : address + kMostCompared;
  compare_all(address, some, site, doing.what, doing.time);
  forget(address, end);
  fence<Reach::kDevice>();
  store_relaxed<Reach::kDevice>(&was->address, kGone);
}

}  // namespace redflag::device::compact
