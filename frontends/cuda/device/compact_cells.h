// compact on single words: the cells of lines whose accesses have no common pattern.
//
// One lane, four bytes at a time. A cell is read, decided upon (core/detect/gpu/compact/rules.h)
// and, where it changes, replaced by compare-and-swap; an access that changes nothing ends with one
// load of both words. Device code.
#pragma once

#include "frontends/cuda/device/compact_order.h"

namespace redflag::device::compact {

using gpu::compact::Access;
using gpu::compact::decide;
using gpu::compact::Decision;
using gpu::compact::Direct;
using gpu::compact::kUnit;
using gpu::compact::Verdict;

REDFLAG_DEVICE Access access_of(const What& what, const Doing& doing, bool writes) {
  const Block& b = block();
  Access access;
  access.at = now(doing);
  access.site = doing.site;
  access.writes = writes;
  access.is_copy = what.aligned;
  access.is_atomic = what.deed >= Deed::kAtomicLoad && what.deed <= Deed::kAtomicRmw;
  access.block_scope = what.scope == Scope::kBlock || what.scope == Scope::kWarp;
  const Warp& w = b.warps[doing.warp];
  access.barrier = look(w.barrier);
  const std::uint32_t met = look(w.meet), part = look(w.part_time);
  access.meet = met > part ? met : part;
  access.has_signals = b.threads != 0;
  return access;
}

// Whether a cell has this very access already, and nothing since that could race with it.
REDFLAG_DEVICE bool has_access(const Pair& have, Word mine, bool writes) {
  const Word write{have.first}, read{have.second};
  const bool is_atomic = mine.kind() == Kind::kAtomic;
  if (writes) return write == mine && (!read || (is_atomic && read.kind() == Kind::kAtomic));
  return read == mine && (!write.is_atomic() || (is_atomic && write.kind() == Kind::kAtomic));
}

inline constexpr unsigned kFlagsStampAt = 20;
// `flags`: bytes of the unit, 16 if it is written, from bit 8 on the thread that accesses it, and from
// kFlagsStampAt on the stamp of words, where they have one (core/detect/gpu/compact/direct.h).
// `write`, `read`: what the cell has, as it is.
REDFLAG_SLOW void check_cell_now(Cell* cell, std::uint64_t write, std::uint64_t read,
                                 std::uint64_t address, std::uint32_t flags, std::uint32_t site,
                                 std::uint32_t what, std::uint32_t active, std::uint32_t time) {
  Doing doing = doing_of(site, what, active, time);
  doing.lane = flags >> 8 & 31;
  doing.warp = flags >> 13 & 31;
  const Direct stamp{flags >> kFlagsStampAt};
  const bool writes = (flags & 16) != 0;
  Access access = access_of(What::of(doing.what), doing, writes);
  access.bytes = flags & 15;
  const auto ordered = [&](const Epoch& e) { return is_ordered(e, doing); };
  const auto surely = [&](const Epoch& e) { return is_ordered(e, doing, kNoSearch); };
  Pair have{write, read};
  for (int tries = 0; tries < 8; ++tries) {
    const Cell before{stamp.take(have.first), stamp.take(have.second)};
    const Decision decision = decide(before, access, ordered, surely);
    // Both are waited for together: what was there has been compared with, whoever comes between.
    std::uint64_t write_was = have.first, read_was = have.second;
    if (decision.next.write != before.write) {
      write_was = compare_swap(&cell->write.bits, have.first, stamp.put(decision.next.write));
    }
    if (decision.next.read != before.read) {
      read_was = compare_swap(&cell->read.bits, have.second, stamp.put(decision.next.read));
    }
    const bool lost = write_was != have.first || read_was != have.second;
    if (decision.verdict != Verdict::kFine) {
      const bool with_write = decision.verdict != Verdict::kWithRead;
      tell(doing, address, with_write ? before.write : before.read,
           (with_write ? kFirstWrote : 0U) | (decision.verdict == Verdict::kScope ? kScopes : 0U));
      return;
    }
    // Who came while it was decided has looked before this was told.
    const Pair is{decision.next.write == before.write ? have.first : stamp.put(decision.next.write),
                  decision.next.read == before.read ? have.second : stamp.put(decision.next.read)};
    have = load_pair(cell);
    if (!lost && have.first == is.first && have.second == is.second) return;
  }
}

REDFLAG_DEVICE void check_cell(Cell* cell, const Pair& have, std::uint64_t address,
                               std::uint32_t bytes, bool writes, const Doing& doing) {
  check_cell_now(cell, have.first, have.second, address,
                 bytes | (writes ? 16U : 0U) | doing.lane << 8 | doing.warp << 13, doing.site,
                 doing.what, doing.active, doing.time);
}

}  // namespace redflag::device::compact
