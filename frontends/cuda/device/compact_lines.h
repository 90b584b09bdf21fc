// compact on lines: what a warp does with 128 bytes of global memory, told once.
//
// core/detect/gpu/compact/line.h has the layout and the idea. Lanes that access a line together look
// at its owner together; the first of them writes. When the accesses of two patterns meet and one writes, the line gets
// cells. Atomics always go to cells, as does what is narrower than a word.
//
// Whoever tells of something beside the owner, or as one of many, looks at the line again behind that: of two at one
// instant at least one sees the other. Device code.
#pragma once

#include "frontends/cuda/device/compact_line_state.h"

namespace redflag::device::compact {

inline constexpr int kMostTries = 1024;
inline constexpr std::uint32_t kBusyNs = 100;

// The access of the lane whose word it is: a piece may be of many (compact_log.h).
REDFLAG_DEVICE Doing lane_at(const Doing& doing, const Piece& p, std::uint32_t word) {
  Doing one = doing;
  one.lane = p.map.lane_of(word);
  return one;
}

// Of a line that has cells; nullptr: there was no room for them.
REDFLAG_DEVICE Cell* cell_at(const Seen& seen, std::uint32_t word) {
  const State& s = state_of(block());
  if (seen.reads >= s.chunk_count) return nullptr;
  return reinterpret_cast<Cell*>(s.chunks + std::uint64_t{seen.reads} * kChunkBytes) + word;
}

// This lane's words of a line that has cells.
REDFLAG_DEVICE void check_cells(const Seen& seen, const Piece& p, std::uint32_t bytes,
                                const Doing& doing) {
  const State& s = state_of(block());
  if (seen.reads >= s.chunk_count) return;
  keep_chunk(p.address, seen.reads);
  auto* const cells = reinterpret_cast<Cell*>(s.chunks + std::uint64_t{seen.reads} * kChunkBytes);
  for (std::uint32_t rest = p.own; rest != 0; rest &= rest - 1) {
    const std::uint32_t i = first(rest);
    check_cell(&cells[i], load_pair(&cells[i]), p.address + i * kUnit, bytes, p.writes,
               lane_at(doing, p, i));
  }
}

// Whether this lane's access races with the owner's; told if it does.
REDFLAG_DEVICE void compare_with_owner(const Line* line, const Seen& seen, const Piece& p,
                                       const Doing& doing) {
  // Which lanes of the own warp have read is not known then.
  const bool own_warp = seen.owner.block() == doing.block && seen.owner.warp() == doing.warp;
  const std::uint32_t reads = own_warp && line->is_mixed != 0 ? 0 : seen.reads;
  std::uint32_t met = p.own & (p.writes ? seen.writes | reads : seen.writes);
  for (; met != 0; met &= met - 1) {
    const std::uint32_t i = first(met);
    const bool wrote = (seen.writes >> i & 1) != 0;
    if (wrote && !is_ordered(seen.owner.epoch(i, true), doing)) {
      tell(lane_at(doing, p, i), p.address + i * kUnit,
           Word::of(Kind::kPlain, 15, line->write_site, seen.owner.epoch(i, true)), kFirstWrote);
    } else if (p.writes && (reads >> i & 1) != 0 &&
               !is_ordered(seen.owner.epoch(i, false), doing)) {
      tell(lane_at(doing, p, i), p.address + i * kUnit,
           Word::of(Kind::kPlain, 15, line->read_site, seen.owner.epoch(i, false)), 0);
    }
  }
}

// What the line says of a word, whoever's it is.
REDFLAG_DEVICE Pair word_of(const Line* line, const Seen& seen, std::uint32_t word) {
  if (seen.owner.map_bits() == kCells) {
    const Cell* const cell = cell_at(seen, word);
    return cell == nullptr ? Pair{0, 0} : load_pair(cell);
  }
  Pair out{0, 0};
  if ((seen.writes >> word & 1) != 0) {
    out.first = Word::of(Kind::kPlain, 15, line->write_site, seen.owner.epoch(word, true)).bits;
  }
  if ((seen.reads >> word & 1) != 0) {
    out.second = Word::of(Kind::kPlain, 15, line->read_site, seen.owner.epoch(word, false)).bits;
  }
  return out;
}
// The line is of another launch, which may be concurrent.
REDFLAG_DEVICE void compare_with_launch(const Line* line, const Seen& seen, const Piece& p,
                                        std::uint32_t bytes, const Doing& doing) {
  const std::uint32_t launch = seen.owner.launch();
  if (seen.owner.bits == 0 || gpu::is_shared(p.address) || !is_concurrent(launch)) return;
  for (std::uint32_t rest = p.own; rest != 0; rest &= rest - 1) {
    const std::uint32_t i = first(rest);
    const std::uint32_t flags =
        bytes | (p.writes ? 16U : 0U) | p.map.lane_of(i) << 8 | doing.warp << 13;
    const Pair have = word_of(line, seen, i);
    compare_with_launch(have.first, have.second, launch, p.address + i * kUnit, flags, doing.site,
                        doing.what);
  }
}
// Readers besides the owner, of another launch.
REDFLAG_DEVICE void compare_with_others_of_launch(const Line* line, const Piece& p,
                                                  const Doing& doing) {
  if (block().concurrent == 0 || !p.writes || gpu::is_shared(p.address)) return;
  const Others others{load_relaxed<Reach::kDevice>(&line->others.bits)};
  if (others.launch() == (block().launch & kLaunchMask) || (others.words() & p.own) == 0 ||
      !is_concurrent(others.launch())) {
    return;
  }
  const std::uint32_t i = first(others.words() & p.own);
  tell(lane_at(doing, p, i), p.address + i * kUnit,
       Word::of(Kind::kGridReaders, 15, line->others_site, now(doing)),
       kAnyThread | of_launch(others.launch()));
}

// The owner's warp writes what others have read: they are of other warps.
REDFLAG_DEVICE void compare_with_others(const Line* line, const Piece& p, const Doing& doing) {
  const Others others{load_relaxed<Reach::kDevice>(&line->others.bits)};
  const Block& b = block();
  if (others.launch() != launch_at(p.address) || (others.words() & p.own) == 0) return;
  // Which ones of another block, is not known: signals may order them.
  if (others.other_block() ? b.threads != 0 : others.time() < look(b.warps[doing.warp].barrier)) {
    return;
  }
  const std::uint32_t i = first(others.words() & p.own);
  const Kind kind = others.other_block() ? Kind::kGridReaders : Kind::kBlockReaders;
  tell(lane_at(doing, p, i), p.address + i * kUnit,
       Word::of(kind, 15, line->others_site, now(doing)), kAnyThread);
}

// A read besides the owner's. Whether the line is still the owner's, so that whoever takes it sees this.
REDFLAG_DEVICE bool join_others(Line* line, const Seen& seen, const Piece& p, const Doing& doing) {
  const std::uint32_t launch = launch_at(p.address);
  const bool elsewhere = seen.owner.block() != doing.block;
  Others old{load_relaxed<Reach::kDevice>(&line->others.bits)};
  if (old.launch() == launch && (p.words & ~old.words()) == 0 &&
      (old.other_block() || !elsewhere) && (elsewhere || old.time() >= doing.time)) {
    return true;
  }
  if (!is_first(p.lanes)) return true;
  if (line->others_site != doing.site) line->others_site = static_cast<std::uint16_t>(doing.site);
  for (int tries = 0; tries < 8; ++tries) {
    const bool is_new = old.launch() != launch;
    const std::uint32_t time = !is_new && old.time() > doing.time ? old.time() : doing.time;
    const Others next = Others::of(launch, elsewhere || (!is_new && old.other_block()), time,
                                   p.words | (is_new ? 0 : old.words()));
    const std::uint64_t found = compare_swap(&line->others.bits, old.bits, next.bits);
    if (found == old.bits) break;
    old.bits = found;
  }
  return look_at(line).owner.key() == seen.owner.key();
}

// A read by other lanes of the owner's warp: to the rest of the program the warp has read it. (Lanes
// that part from each other here, and race, are not seen.)
template <bool alone>
REDFLAG_DEVICE bool join_owner(Line* line, const Seen& seen, const Piece& p, const Doing& doing) {
  const Owner next = seen.owner.with_time(false, doing.time);
  if ((p.words & ~seen.reads) != 0 && !grow_line<alone>(line, seen.owner, next, p, doing.site)) {
    return false;
  }
  if (!leads<alone>(p.lanes)) return true;
  const bool is_later = (p.words & ~seen.reads) == 0 && next.bits != seen.owner.bits;
  if (is_later) compare_swap(&line->owner.bits, seen.owner.bits, next.bits);
  if (line->is_mixed == 0) line->is_mixed = 1;
  note_site(line, false, doing.site);
  return true;
}

// Whether the lanes' access takes the place of all that the line knows.
REDFLAG_DEVICE bool takes_over(const Line* line, const Seen& seen, const Piece& p,
                               const Doing& doing) {
  if (((seen.reads | seen.writes) & ~p.words) != 0 || seen.owner.block() != doing.block)
    return false;
  const std::uint32_t barrier = look(block().warps[doing.warp].barrier);
  if (seen.owner.read_time() >= barrier || seen.owner.write_time() >= barrier) return false;
  if (!p.writes && seen.writes != 0) return false;  // the write must stay known to other blocks
  const Others others{load_relaxed<Reach::kDevice>(&line->others.bits)};
  return others.launch() != launch_at(p.address);
}

template <bool alone>
REDFLAG_DEVICE void check_line_slowly(Line* line, const Piece& p, std::uint32_t bytes,
                                      bool to_cells, const Doing& doing) {
  const std::uint32_t launch = launch_at(p.address);
  const Owner mine = Owner::of(launch, doing.block, doing.warp, p.map.bits());
  bool told = false, asked = false;
  for (int tries = 0; tries < kMostTries; ++tries) {
    Seen seen = look_at(line);
    // What the lanes do next must be one thing.
    seen.owner.bits = of_first<alone>(p.lanes, seen.owner.bits);
    seen.reads = of_first<alone>(p.lanes, seen.reads);
    seen.writes = of_first<alone>(p.lanes, seen.writes);
    const bool is_here = seen.owner.launch() == launch && seen.owner.bits != 0;
    if (is_here && seen.owner.map_bits() == gpu::compact::kBusy) {
      // Who has it may be another lane of this warp, and goes on when these sleep.
      if (tries != 0) sleep_ns(kBusyNs);
      continue;
    }
    if (is_here && seen.owner.map_bits() == kCells) return check_cells(seen, p, bytes, doing);
    if (!is_here && !asked) {
      // While another launch changes it, what it says is nobody's.
      const bool is_busy = seen.owner.map_bits() == gpu::compact::kBusy;
      if (is_busy && is_concurrent(seen.owner.launch())) continue;
      compare_with_launch(line, seen, p, bytes, doing);
      compare_with_others_of_launch(line, p, doing);
      asked = true;
    }
    if (to_cells) {
      if (!is_here) seen.reads = seen.writes = 0;
      give_cells(line, seen, p);
      continue;
    }
    if (!is_here) {
      if (begin_line<alone>(line, seen.owner, mine, p, doing)) return;
      continue;
    }
    if (seen.owner.key() == mine.key()) {
      if (p.writes) compare_with_others(line, p, doing);
      const Owner next = seen.owner.with_time(p.writes, doing.time);
      const bool has = (p.words & ~(p.writes ? seen.writes : seen.reads)) == 0;
      if (!has && !grow_line<alone>(line, seen.owner, next, p, doing.site)) continue;
      if (leads<alone>(p.lanes)) {
        // Only this warp changes it, unless somebody seizes it; then what happens there matters.
        if (has && next.bits != seen.owner.bits)
          compare_swap(&line->owner.bits, seen.owner.bits, next.bits);
        note_site(line, p.writes, doing.site);
        if (p.is_mixed && line->is_mixed == 0) line->is_mixed = 1;
      }
      return;
    }
    if (!told) compare_with_owner(line, seen, p, doing);
    told = true;
    const bool over =
        of_first<alone>(p.lanes, std::uint32_t{takes_over(line, seen, p, doing)}) != 0;
    if (over) {
      if (begin_line<alone>(line, seen.owner, mine, p, doing)) return;
      continue;
    }
    const bool own_warp = seen.owner.key() >> kMapBits == mine.key() >> kMapBits;
    if (!p.writes && own_warp) {
      if (join_owner<alone>(line, seen, p, doing)) return;
      continue;
    }
    if (!p.writes && (seen.writes & p.words) == 0) {
      const bool is_done = join_others(line, seen, p, doing);
      if (alone ? is_done : all(p.lanes, is_done)) return;
      continue;
    }
    if (give_cells(line, seen, p) && p.writes && own_warp) compare_with_others(line, p, doing);
  }
  if (leads<alone>(p.lanes)) atomic_add(&state_of(block()).not_compared, std::uint64_t{1});
}

}  // namespace redflag::device::compact
