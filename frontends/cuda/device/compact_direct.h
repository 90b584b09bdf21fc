// compact on direct cells (core/detect/gpu/compact/direct.h): words whose cells are at a fixed place.
//
// Kernels with signals of which only what may race is told. A plain access tells first, by a store or an exchange, and looks then, so
// that of two at one instant at least one sees the other; both go to the one cell, and are waited for together. Most find
// that what was there is of the thread itself, of its warp, of before the block's last barrier or of what the
// block has just learnt; the rest is asked as for all cells (compact_cells.h), which atomics go to. Rules are the
// same (rules.h), but for what is decided without asking for signals.
//
// Limits: of several readers the last one is kept, and readers are forgotten when somebody writes. Device code.
#pragma once

#include "frontends/cuda/device/compact_cells.h"
#include "frontends/cuda/device/compact_global.h"

namespace redflag::device::compact {

// nullptr: the word has none, and what happens there cannot race.
REDFLAG_DEVICE Cell* direct_cell(std::uint64_t address) {
  Block& b = block();
  if (static_cast<std::uint32_t>(address >> kRegionBits) != b.direct_region) return nullptr;
  const std::uint32_t page = static_cast<std::uint32_t>(address >> kPageBits) & (kRegionPages - 1);
  const std::uint64_t kept = look(b.cell_pages[page % kCellPages]);
  std::uint64_t cells = kept & ((std::uint64_t{1} << kCellPageAt) - 1);
  if (kept >> kCellPageAt != page || cells == 0) {
    cells = load_relaxed<Reach::kDevice>(&reinterpret_cast<const std::uint64_t*>(b.direct)[page]);
    if (cells == 0) return nullptr;
    put(b.cell_pages[page % kCellPages], std::uint64_t{page} << kCellPageAt | cells);
  }
  constexpr std::uint64_t kInPage = (std::uint64_t{1} << kPageBits) - kUnit;
  static_assert(sizeof(Cell) == 4 * kUnit);
  return reinterpret_cast<Cell*>(cells + (address & kInPage) * (sizeof(Cell) / kUnit));
}

// Whether it is ordered before the access, as far as shared memory tells.
REDFLAG_DEVICE bool is_settled(Word word, const Doing& doing) {
  const Epoch e = word.epoch();
  if (e.block != doing.block) return is_kept(block(), e, doing.warp, doing.active);
  return is_ordered_here(e.warp, e.lane, e.time, doing);
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

// What a plain access of one lane, which is told already, found in the cell: where more has to be asked.
REDFLAG_SLOW void compare_direct(std::uint64_t write_bits, std::uint64_t read_bits,
                                 std::uint64_t address, std::uint32_t site, std::uint32_t what,
                                 std::uint32_t active, std::uint32_t time) {
  const Doing doing = doing_of(site, what, active, time);
  const Direct stamp{block().direct_stamp};
  const What deed = What::of(what);
  const bool writes = deed.deed == Deed::kWrite;
  const Cell before{stamp.take(write_bits), stamp.take(read_bits)};
  if ((!before.write || is_settled(before.write, doing)) &&
      (!writes || !before.read || is_settled(before.read, doing))) {
    return;
  }
  const auto ordered = [&](const Epoch& e) { return is_ordered(e, doing); };
  const auto unknown = [](const Epoch&) { return false; };
  const Decision decision = decide(before, access_of(deed, doing, writes), ordered, unknown);
  if (decision.verdict == Verdict::kFine) return;
  const bool with_write = decision.verdict != Verdict::kWithRead;
  tell(doing, address, with_write ? before.write : before.read, with_write ? kFirstWrote : 0U);
}

// Plain accesses of one lane.
REDFLAG_DEVICE void load_direct(Cell* cell, std::uint64_t address, const Doing& doing) {
  const Block& b = block();
  const Word mine = Word::of(Kind::kPlain, b.direct_stamp, doing.site, now(doing));
  store_relaxed<Reach::kDevice>(&cell->read.bits, mine.bits);
  const std::uint64_t write = load_relaxed<Reach::kDevice>(&cell->write.bits);
  const std::uint32_t barrier = look(b.warps[doing.warp].barrier);
  if (is_old(write, mine) || is_near(write, mine, barrier, doing.active)) return;
  compare_direct(write, 0, address, doing.site, doing.what, doing.active, doing.time);
}
REDFLAG_DEVICE void store_direct(Cell* cell, std::uint64_t address, const Doing& doing) {
  const Block& b = block();
  const Word mine = Word::of(Kind::kPlain, b.direct_stamp, doing.site, now(doing));
  const std::uint64_t write = atomic_exchange(&cell->write.bits, mine.bits);
  const std::uint64_t read = load_relaxed<Reach::kDevice>(&cell->read.bits);
  const std::uint32_t barrier = look(b.warps[doing.warp].barrier);
  const bool has_read = !is_old(read, mine);
  // Who reads from now on sees the write, and need not be seen by the next one.
  if (has_read) store_relaxed<Reach::kDevice>(&cell->read.bits, std::uint64_t{0});
  if ((is_old(write, mine) || is_near(write, mine, barrier, doing.active)) &&
      (!has_read || is_near(read, mine, barrier, doing.active))) {
    return;
  }
  compare_direct(write, read, address, doing.site, doing.what, doing.active, doing.time);
}

// An atomic of one lane: as check_kept has it.
REDFLAG_DEVICE void atomic_direct(Cell* cell, const Pair& have, std::uint64_t address, Kind kind,
                                  bool writes, bool is_uniform, const Doing& doing) {
  const Direct stamp{block().direct_stamp};
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

// Whether all lanes access one place: then the first one does for all.
REDFLAG_DEVICE bool is_one_place(std::uint64_t address, const Doing& doing) {
  return doing.active == 1U << doing.lane ||
         all(doing.active, address == shuffle(doing.active, address, first(doing.active)));
}
// Plain accesses. `flags`: bytes, 256 if it writes.
REDFLAG_SLOW void check_direct(std::uint64_t address, std::uint32_t flags, std::uint32_t site,
                               std::uint32_t packed, std::uint32_t active, std::uint32_t time) {
  const Doing doing = doing_of(site, packed, active & active_mask(), time);
  if (is_one_place(address, doing) && !is_first(doing.active)) return;
  Cell* const cells = direct_cell(address);
  if (cells == nullptr) return;
#pragma unroll 1
  for (std::uint32_t i = 0; i < (flags & 255) / kUnit; ++i) {
    const std::uint64_t at = address + std::uint64_t{i} * kUnit;
    if ((flags & 256) != 0) {
      store_direct(&cells[i], at, doing);
    } else {
      load_direct(&cells[i], at, doing);
    }
  }
}

// Atomics. The first cell was loaded together with what else had to be.
REDFLAG_SLOW void check_direct_atomic(Cell* cells, std::uint64_t write, std::uint64_t read,
                                      std::uint64_t address, std::uint32_t flags,
                                      std::uint32_t site, std::uint32_t packed,
                                      std::uint32_t active, std::uint32_t time) {
  const Doing doing = doing_of(site, packed, active, time);
  const bool is_uniform = is_one_place(address, doing);
  if ((is_uniform && !is_first(doing.active)) || cells == nullptr) return;
  const Scope scope = What::of(packed).scope;
  const bool narrow = scope == Scope::kBlock || scope == Scope::kWarp;
  const Kind kind = narrow ? Kind::kBlockAtomic : Kind::kAtomic;
  Pair have{write, read};
#pragma unroll 1
  for (std::uint32_t i = 0; i < (flags & 255) / kUnit; ++i) {
    if (i != 0) have = load_pair(&cells[i]);
    atomic_direct(&cells[i], have, address + std::uint64_t{i} * kUnit, kind, (flags & 256) != 0,
                  is_uniform, doing);
  }
  if (!is_uniform || narrow) return;
  Warp& w = block().warps[doing.warp];
  put(w.atomic_address, address);
  put(w.atomic_time, time);
  put(w.atomic_lanes, doing.active);
  put(w.atomic_what, packed);
}

// The first cell of an atomic; its load is begun before others are waited for.
struct FirstLook {
  Cell* cells = nullptr;  // nullptr: there is none
  Pair have{0, 0};
};
REDFLAG_DEVICE FirstLook first_look(std::uint64_t address) {
  FirstLook look;
  if (block().direct == 0) return look;
  look.cells = direct_cell(address);
  if (look.cells != nullptr) look.have = load_pair(look.cells);
  return look;
}
REDFLAG_DEVICE void check_looked_at(const FirstLook& at, std::uint64_t address, std::uint32_t flags,
                                    const Doing& doing) {
  check_direct_atomic(at.cells, at.have.first, at.have.second, address, flags, doing.site,
                      doing.what, doing.active, doing.time);
}

}  // namespace redflag::device::compact
