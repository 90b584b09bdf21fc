// compact on direct cells (core/detect/gpu/compact/direct.h): words whose cells are at a fixed place.
//
// Kernels with signals of which only what may race is told. One load of the table, which stays in the cache, and one of the
// cell; most accesses find that what was there is of the thread itself, of its warp, or of before the block's
// last barrier, and end with one store, or none. What else there is goes the way of all cells
// (compact_cells.h). Rules are the same, and a little of them is repeated here: what is decided without
// asking for signals. Device code.
#pragma once

#include "frontends/cuda/device/compact_cells.h"
#include "frontends/cuda/device/compact_global.h"

namespace redflag::device::compact {

// nullptr: the word has none, and what happens there cannot race.
REDFLAG_DEVICE Cell* direct_cell(std::uint64_t address) {
  const Block& b = block();
  if (static_cast<std::uint32_t>(address >> kRegionBits) != b.direct_region) return nullptr;
  const std::uint64_t entry =
      b.direct + (address >> kPageBits & (kRegionPages - 1)) * sizeof(std::uint64_t);
  std::uint64_t cells;
  asm volatile("ld.global.nc.u64 %0, [%1];" : "=l"(cells) : "l"(entry));
  if (cells == 0) return nullptr;
  constexpr std::uint64_t kInPage = (std::uint64_t{1} << kPageBits) - kUnit;
  static_assert(sizeof(Cell) == 4 * kUnit);
  return reinterpret_cast<Cell*>(cells + (address & kInPage) * (sizeof(Cell) / kUnit));
}

// Whether it is ordered before the access, as far as shared memory tells.
REDFLAG_DEVICE bool is_settled(Word word, const Doing& doing) {
  const Epoch e = word.epoch();
  Block& b = block();
  if (e.block != doing.block) return is_kept(b, e, b.warps[doing.warp]);
  return is_ordered_here(e.warp, e.lane, e.time, doing);
}
// Whether signals can have ordered what the block did behind its last barrier before what these lanes do.
REDFLAG_DEVICE bool has_learnt(const Doing& doing) {
  const Warp& w = block().warps[doing.warp];
  return (look(w.knows) & doing.active) != 0 || look(w.common.know) != 0;
}
REDFLAG_DEVICE void check_direct_cell(Cell* cell, const Pair& have, std::uint64_t address,
                                      bool writes, std::uint32_t stamp, const Doing& doing) {
  check_cell_now(
      cell, have.first, have.second, address,
      15U | (writes ? 16U : 0U) | doing.lane << 8 | doing.warp << 13 | stamp << kFlagsStampAt,
      doing.site, doing.what, doing.active, doing.time);
}

// Whether a word is of another launch.
REDFLAG_DEVICE bool is_old(std::uint64_t bits, Word mine) {
  return ((bits ^ mine.bits) & Direct::kStampBits) != 0;
}
// Whether what this launch did is of the block, before its barrier or by a lane that is here: most of what there is, told
// in few instructions.
REDFLAG_DEVICE bool is_near(std::uint64_t bits, Word mine, std::uint32_t barrier,
                            std::uint32_t active) {
  constexpr std::uint64_t kBlockField = std::uint64_t{kBlockMask} << 24;
  const std::uint64_t differs = bits ^ mine.bits;
  const auto low = static_cast<std::uint32_t>(bits);
  const bool is_here = (static_cast<std::uint32_t>(differs) >> 19 & 31) == 0 &&
                       (active >> (low >> 14 & 31) & 1) != 0;
  return (differs & kBlockField) == 0 && ((low & gpu::compact::kLastTime) < barrier || is_here);
}

// A plain load of one lane, where more has to be asked.
REDFLAG_SLOW void load_direct_now(Cell* cell, std::uint64_t write_bits, std::uint64_t read_bits,
                                  std::uint64_t address, std::uint32_t site, std::uint32_t what,
                                  std::uint32_t active, std::uint32_t time) {
  const Block& b = block();
  const Doing doing = doing_of(site, what, active, time);
  const Direct stamp{b.direct_stamp};
  const Word write = stamp.take(write_bits), read = stamp.take(read_bits);
  if (!write || is_settled(write, doing)) {
    const Word mine = Word::of(Kind::kPlain, stamp.stamp, doing.site, now(doing));
    if (!read || read.is_atomic()) {
      return store_relaxed<Reach::kDevice>(&cell->read.bits, mine.bits);
    }
    const Epoch e = read.epoch();
    if (is_settled(read, doing)) {
      const bool is_before = e.block == doing.block && e.time < look(b.warps[doing.warp].barrier);
      const bool is_many =
          read.kind() == Kind::kGridReaders || (read.kind() == Kind::kBlockReaders && !is_before);
      return store_relaxed<Reach::kDevice>(&cell->read.bits,
                                           (is_many ? mine.as(read.kind()) : mine).bits);
    }
    // Of two reads that nothing orders the first is kept. (A mark would say nothing: there are signals.)
    if (e.block == doing.block && !has_learnt(doing)) return;
  }
  check_direct_cell(cell, {write_bits, read_bits}, address, false, stamp.stamp, doing);
}
REDFLAG_DEVICE void load_direct(Cell* cell, std::uint64_t address, const Doing& doing) {
  const Block& b = block();
  const Pair have = load_pair(cell);
  const std::uint32_t barrier = look(b.warps[doing.warp].barrier);
  const Word mine = Word::of(Kind::kPlain, b.direct_stamp, doing.site, now(doing));
  const bool is_fine = is_old(have.first, mine) || is_near(have.first, mine, barrier, doing.active);
  const bool is_free =
      is_old(have.second, mine) || (Word{have.second}.kind() == Kind::kPlain &&
                                    is_near(have.second, mine, barrier, doing.active));
  if (is_fine && is_free) {
    if (have.second != mine.bits) store_relaxed<Reach::kDevice>(&cell->read.bits, mine.bits);
    return;
  }
  load_direct_now(cell, have.first, have.second, address, doing.site, doing.what, doing.active,
                  doing.time);
}

// A plain store of one lane, where more has to be asked.
REDFLAG_SLOW void store_direct_now(Cell* cell, std::uint64_t write_bits, std::uint64_t read_bits,
                                   std::uint64_t address, std::uint32_t site, std::uint32_t what,
                                   std::uint32_t active, std::uint32_t time) {
  const Doing doing = doing_of(site, what, active, time);
  const Direct stamp{block().direct_stamp};
  const Word write = stamp.take(write_bits), read = stamp.take(read_bits);
  Pair have{write_bits, read_bits};
  if ((!write || is_settled(write, doing)) && (!read || is_settled(read, doing))) {
    const Word mine = Word::of(Kind::kPlain, stamp.stamp, doing.site, now(doing));
    have.first = atomic_exchange(&cell->write.bits, mine.bits);
    if (read) have.second = compare_swap(&cell->read.bits, read_bits, std::uint64_t{0});
    if (have.first == write_bits && have.second == read_bits) return;
  }
  check_direct_cell(cell, have, address, true, stamp.stamp, doing);
}
// Whoever comes between the look and the exchange is compared with.
REDFLAG_DEVICE void store_direct(Cell* cell, std::uint64_t address, const Doing& doing) {
  const Block& b = block();
  Pair have = load_pair(cell);
  const std::uint32_t barrier = look(b.warps[doing.warp].barrier);
  const Word mine = Word::of(Kind::kPlain, b.direct_stamp, doing.site, now(doing));
  const bool has_read = !is_old(have.second, mine);
  const bool is_fine =
      (is_old(have.first, mine) || is_near(have.first, mine, barrier, doing.active)) &&
      (!has_read || is_near(have.second, mine, barrier, doing.active));
  if (is_fine) {
    if (have.first == mine.bits && !has_read) return;
    const std::uint64_t write_was = atomic_exchange(&cell->write.bits, mine.bits);
    std::uint64_t read_was = have.second;
    if (has_read) read_was = compare_swap(&cell->read.bits, have.second, std::uint64_t{0});
    if (write_was == have.first && read_was == have.second) return;
    have = {write_was, read_was};
  }
  store_direct_now(cell, have.first, have.second, address, doing.site, doing.what, doing.active,
                   doing.time);
}

// An atomic of one lane: as check_kept has it.
REDFLAG_DEVICE void atomic_direct(Cell* cell, std::uint64_t address, Kind kind, bool writes,
                                  bool is_uniform, const Doing& doing) {
  const Direct stamp{block().direct_stamp};
  const Pair have = load_pair(cell);
  const Word write = stamp.take(have.first), read = stamp.take(have.second);
  const Word mine = Word::of(kind, 15, doing.site, now(doing));
  if (has_access({write.bits, read.bits}, mine, writes)) return;
  const bool is_wide = kind == Kind::kAtomic;
  const Warp& w = block().warps[doing.warp];
  if (is_uniform && is_wide && is_spinning(w, address, {write.bits, read.bits}, doing)) return;
  const bool read_far = read.kind() == Kind::kAtomic && read.epoch().block != doing.block;
  const bool after_atomic = write.kind() == Kind::kAtomic || (!write && read_far);
  if (writes && is_wide && after_atomic && (!read || read_far)) {
    return store_relaxed<Reach::kDevice>(&cell->write.bits, stamp.put(mine));
  }
  check_direct_cell(cell, have, address, writes, stamp.stamp, doing);
}

// `flags`: bytes, 256 if it writes, 512 if it is atomic.
REDFLAG_SLOW void check_direct(std::uint64_t address, std::uint32_t flags, std::uint32_t site,
                               std::uint32_t packed, std::uint32_t active, std::uint32_t time) {
  const Doing doing = doing_of(site, packed, active & active_mask(), time);
  const bool writes = (flags & 256) != 0, is_atomic = (flags & 512) != 0;
  const bool is_uniform =
      doing.active == 1U << doing.lane ||
      all(doing.active, address == shuffle(doing.active, address, first(doing.active)));
  if (is_uniform && !is_first(doing.active)) return;
  Cell* const cells = direct_cell(address);
  if (cells == nullptr) return;
  const Scope scope = What::of(packed).scope;
  const bool narrow = scope == Scope::kBlock || scope == Scope::kWarp;
  const Kind kind = narrow ? Kind::kBlockAtomic : Kind::kAtomic;
#pragma unroll 1
  for (std::uint32_t i = 0; i < (flags & 255) / kUnit; ++i) {
    const std::uint64_t at = address + std::uint64_t{i} * kUnit;
    if (is_atomic) {
      atomic_direct(&cells[i], at, kind, writes, is_uniform, doing);
    } else if (writes) {
      store_direct(&cells[i], at, doing);
    } else {
      load_direct(&cells[i], at, doing);
    }
  }
  if (!is_uniform || !is_atomic || narrow) return;
  Warp& w = block().warps[doing.warp];
  put(w.atomic_address, address);
  put(w.atomic_time, time);
  put(w.atomic_lanes, doing.active);
  put(w.atomic_what, packed);
}

}  // namespace redflag::device::compact
