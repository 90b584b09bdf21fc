// compact's hooks of versions of kernels that may have direct cells (abi.h, kDirectHooks; compact_direct.h).
//
// Plain accesses of whole words of global memory. A word of four bytes is looked at in place; what is wider, and launches
// without cells, for which the same version goes to lines, are rarer and called. Part of the translation unit of compact.cu.
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
