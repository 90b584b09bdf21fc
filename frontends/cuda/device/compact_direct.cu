// compact's hooks of versions of kernels that may have direct cells (abi.h, kDirectHooks; compact_direct.h).
//
// Whole words of global memory. What is frequent is looked at in place: a word of four bytes, an atomic of one who spins; what
// is wider, and launches without cells, for which the same version goes to lines, are rarer and called. Part of the translation unit of compact.cu.
#include "frontends/cuda/device/compact_direct.h"

namespace redflag::device::compact {
namespace {

REDFLAG_SLOW void check_one_place(std::uint64_t address, std::uint64_t value, std::uint32_t site,
                                  std::uint32_t packed, std::uint32_t active, std::uint32_t time) {
  check_lanes(address, value, What::of(packed), doing_of(site, packed, active, time),
              {address, false, true});
}
// Plain accesses of versions that may have direct cells, where one has none, or several.
// `flags`: bytes, 256 if it writes.
REDFLAG_SLOW void check_whole_words(std::uint64_t address, std::uint32_t flags, std::uint32_t site,
                                    std::uint32_t packed, std::uint32_t active,
                                    std::uint32_t time) {
  if (block().direct != 0) return check_direct(address, flags, site, packed, active, time);
  check_global(address, flags & 255, (flags & 256) != 0, false,
               doing_of(site, packed, active, time));
}

// All of an atomic that writes, before it happens.
REDFLAG_SLOW void begin_atomic(std::uint64_t address, std::uint32_t site, std::uint32_t packed,
                               std::uint32_t active, std::uint32_t time) {
  const Doing doing = doing_of(site, packed, active, time);
  const What what = What::of(packed);
  const Place place{address, false, true};
  const bool has_signals = block().threads != 0;
  const bool is_access = what.bytes != 0;
  const FirstLook looked = is_access ? first_look(address) : FirstLook{};
  const Pair glanced = has_signals ? glance(address) : Pair{0, 0};
  if (looked.cells != nullptr) {
    check_looked_at(looked, address, what.bytes | 256U, doing);
  } else if (is_access) {
    check(place, what.bytes, true, true, doing);
  }
  if (!has_signals) return;
  publish_atomic(address, glanced, what, doing);
}
// An atomic that only reads, when it has.
REDFLAG_SLOW void check_atomic_load(std::uint64_t cells, std::uint64_t write, std::uint64_t read,
                                    std::uint64_t address, std::uint32_t site, std::uint32_t packed,
                                    std::uint32_t active, std::uint32_t time) {
  const Doing doing = doing_of(site, packed, active, time);
  const std::uint32_t bytes = What::of(packed).bytes;
  if (cells == 0) return check({address, false, true}, bytes, false, true, doing);
  check_looked_at({reinterpret_cast<Cell*>(cells), {write, read}}, address, bytes, doing);
}

}  // namespace
}  // namespace redflag::device::compact

REDFLAG_HOOK redflag_direct_load(uint64_t address, uint32_t site, uint32_t packed) {
  if (block().state == 0) return;
  const Doing doing = doing_now(site, packed);
  const uint32_t bytes = What::of(packed).bytes;
  if (block().direct == 0 || bytes != kUnit) {
    return check_whole_words(address, bytes, site, packed, doing.active, doing.time);
  }
  const uint64_t common = shuffle(doing.active, address, first(doing.active));
  // One of them reads for all.
  if (all(doing.active, address == common) && !is_first(doing.active)) return;
  Cell* const cell = direct_cell(address);
  if (cell != nullptr) load_direct(cell, address, doing);
}
REDFLAG_HOOK redflag_direct_store(uint64_t address, uint32_t site, uint32_t packed,
                                  uint64_t value) {
  if (block().state == 0) return;
  const What what = What::of(packed);
  const Doing doing = doing_now(site, packed);
  const uint32_t leader = first(doing.active);
  const uint64_t base = address - uint64_t{doing.lane - leader} * what.bytes;
  const uint64_t common = shuffle(doing.active, address, leader);
  bool is_told = false;  // by another lane
  if (!all(doing.active, base == common)) {
    check_one_place(address, value, site, packed, doing.active, doing.time);
    is_told = all(doing.active, address == common) && doing.lane != leader;
  }
  if (block().direct == 0 || what.bytes != kUnit) {
    return check_whole_words(address, what.bytes | 256U, site, packed, doing.active, doing.time);
  }
  Cell* const cell = is_told ? nullptr : direct_cell(address);
  if (cell != nullptr) store_direct(cell, address, doing);
}

REDFLAG_HOOK redflag_direct_atomic_begin(uint64_t address, uint32_t site, uint32_t packed,
                                         uint64_t) {
  if (block().state == 0) return;
  const Doing doing = doing_now(site, packed);
  begin_atomic(address, site, packed, doing.active, doing.time);
}
REDFLAG_HOOK redflag_direct_atomic_end(uint64_t address, uint32_t site, uint32_t packed, uint32_t) {
  if (block().state == 0) return;
  const What what = What::of(packed);
  const bool is_load = what.deed != Deed::kAtomicRmw && what.bytes != 0;  // told as an access
  const FirstLook looked = is_load ? first_look(address) : FirstLook{};
  const Pair glanced = block().threads != 0 ? glance(address) : Pair{0, 0};
  if (is_load) {
    const Doing doing = doing_now(site, packed);
    const Direct stamp{block().direct_stamp};
    const Word mine = Word::of(Kind::kAtomic, 15, site, now(doing));
    const bool is_there = what.bytes == kUnit && looked.cells != nullptr &&
                          looked.have.second == stamp.put(mine) &&
                          has_access({stamp.take(looked.have.first).bits, mine.bits}, mine, false);
    if (!is_there) {
      check_atomic_load(reinterpret_cast<uint64_t>(looked.cells), looked.have.first,
                        looked.have.second, address, site, packed, doing.active, doing.time);
    }
  }
  if (block().threads == 0) return;
  learn_at(address, glanced, is_narrow(what.scope), is_pending(what));
  if (what.deed == Deed::kAtomicLoad) hold_back(site);  // what it has read stays as it was
}
