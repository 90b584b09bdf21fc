// compact on lines: what a warp does with 128 bytes of global memory, told once.
//
// core/detect/gpu/compact/line.h has the layout and the idea. Lanes that access a line together look
// at its owner together; the first of them writes. A line is changed by whoever has exchanged its
// owner for kBusy, then stored as a whole; times and masks of the same owner grow without that.
// When the accesses of two patterns meet and one writes, the line gets cells.
//
// Atomics always go to cells, as does what is narrower than a word. Device code.
#pragma once

#include "core/model/gpu.h"
#include "frontends/cuda/device/compact_concurrent.h"

namespace redflag::device::compact {

using gpu::compact::kCells;
using gpu::compact::kLaunchMask;
using gpu::compact::kLineBytes;
using gpu::compact::kLineWords;
using gpu::compact::kMapBits;
using gpu::compact::Map;
using gpu::compact::Others;
using gpu::compact::Owner;

inline constexpr int kMostTries = 64;

// Of shared memory of a block of a cluster (compact_cluster.h).
REDFLAG_DEVICE Line* line_in_cluster(std::uint64_t address) {
  const Block& b = block();
  const std::uint64_t line = gpu::shared_offset(address) / kLineBytes;
  if (!gpu::is_shared(address) || b.cluster_slots == 0 || line >= b.cluster_line_count) {
    return nullptr;
  }
  const std::uint64_t slot = gpu::shared_block(address) % b.cluster_slots;
  return &reinterpret_cast<Line*>(b.cluster_lines)[slot * b.cluster_line_count + line];
}

REDFLAG_DEVICE Line* line_at(std::uint64_t address) {
  const Block& b = block();
  const auto region = static_cast<std::uint32_t>(address >> kRegionBits);
  const auto* pages = reinterpret_cast<const std::uint64_t*>(b.pages);
  if (region != b.region) {  // most memory is in one
    if (region >= kRegions) return line_in_cluster(address);
    pages = reinterpret_cast<const std::uint64_t* const*>(state_of(b).regions)[region];
  }
  if (pages == nullptr) return nullptr;
  auto* const lines =
      reinterpret_cast<Line*>(pages[address >> kPageBits & (kRegionPages - 1)] & ~kTagMask);
  if (lines == nullptr) return nullptr;
  return &lines[(address & ((1U << kPageBits) - 1)) / kLineBytes];
}

// The launch as owners of that line have it: where pages share lines, with the page's tag.
REDFLAG_SLOW std::uint32_t tagged_launch(std::uint64_t address) {
  const Block& b = block();
  const auto region = static_cast<std::uint32_t>(address >> kRegionBits);
  if (region >= kRegions) return b.launch & kLaunchMask;
  const auto* const pages =
      reinterpret_cast<const std::uint64_t* const*>(state_of(b).regions)[region];
  if (pages == nullptr) return b.launch & kLaunchMask;
  const std::uint64_t tag = pages[address >> kPageBits & (kRegionPages - 1)] & kTagMask;
  const std::uint32_t rest = gpu::compact::kLaunchBits - b.tag_bits;
  return static_cast<std::uint32_t>(tag) << rest | (b.launch & ((1U << rest) - 1));
}
REDFLAG_DEVICE std::uint32_t launch_at(std::uint64_t address) {
  const Block& b = block();
  return b.tag_bits == 0 ? b.launch & kLaunchMask : tagged_launch(address);
}

// Lines of a launch keep their cells. A block with signals remembers where some are: line (41 bits), chunk from
// 1 on. Written by whoever has found it, read by all.
inline constexpr unsigned kChunkAt = 23;
REDFLAG_DEVICE void keep_chunk(std::uint64_t address, std::uint32_t chunk) {
  Block& b = block();
  if (b.threads == 0 || b.tag_bits != 0 || b.concurrent != 0) return;
  if (address >> kAddressBits != 0 || chunk >= (1U << kChunkAt) - 1) return;
  const std::uint64_t line = address / kLineBytes;
  put(b.chunks[line % kChunksKept], line << kChunkAt | (chunk + 1));
}
REDFLAG_DEVICE Cell* kept_cell(std::uint64_t address) {  // nullptr: not known
  Block& b = block();
  const std::uint64_t line = address / kLineBytes;
  const std::uint64_t kept = look(b.chunks[line % kChunksKept]);
  if (kept >> kChunkAt != line || kept == 0) return nullptr;
  const std::uint64_t chunk = (kept & ((1U << kChunkAt) - 1)) - 1;
  auto* const cells = reinterpret_cast<Cell*>(state_of(b).chunks + chunk * kChunkBytes);
  return &cells[address % kLineBytes / kUnit];
}

// Some lanes of a warp and the words of one line that they access.
struct Piece {
  std::uint64_t address = 0;  // of the line
  std::uint32_t lanes = 0;    // who calls, all of them together
  std::uint32_t words = 0;    // of all lanes
  std::uint32_t own = 0;      // of this one
  Map map;
  bool writes = false;
  bool is_mixed = false;  // reads of other maps too
};

struct Seen {
  Owner owner;
  std::uint32_t reads = 0, writes = 0;
};
REDFLAG_DEVICE Seen look_at(const Line* line) {
  const Pair pair = load_pair(line);
  return {{pair.first},
          static_cast<std::uint32_t>(pair.second),
          static_cast<std::uint32_t>(pair.second >> 32)};
}
// Of lanes that do the same to a line, `alone` says at compile time that there is only one: nothing
// is asked of the others then.
template <bool alone>
REDFLAG_DEVICE bool leads(std::uint32_t lanes) {
  return alone || is_first(lanes);
}
template <bool alone, typename T>
REDFLAG_DEVICE T of_first(std::uint32_t lanes, T value) {
  if constexpr (alone) {
    return value;
  } else {
    return shuffle(lanes, value, first(lanes));
  }
}
template <bool alone = false>
REDFLAG_DEVICE bool seize(Line* line, Owner from, std::uint32_t lanes, std::uint32_t launch) {
  bool mine = false;
  if (leads<alone>(lanes)) {
    const Owner busy = Owner::of(launch, 0, 0, gpu::compact::kBusy);
    mine = compare_swap(&line->owner.bits, from.bits, busy.bits) == from.bits;
  }
  return alone ? mine : any(lanes, mine);
}

REDFLAG_DEVICE void note_site(Line* line, bool writes, std::uint32_t site) {
  auto& at = writes ? line->write_site : line->read_site;
  if (at != site) at = static_cast<std::uint16_t>(site);
}

// The line begins with this access.
template <bool alone>
REDFLAG_DEVICE bool begin_line(Line* line, Owner before, Owner mine, const Piece& p,
                               const Doing& doing) {
  if (!seize<alone>(line, before, p.lanes, mine.launch())) return false;
  if (leads<alone>(p.lanes)) {
    const std::uint64_t words = p.writes ? std::uint64_t{p.words} << 32 : p.words;
    note_site(line, p.writes, doing.site);
    const std::uint16_t mixed = p.is_mixed ? 1 : 0;
    if (line->is_mixed != mixed) line->is_mixed = mixed;
    store_pair(line, mine.with_time(p.writes, doing.time).bits, words);
  }
  return true;
}

// The owner has more words. Only who has the line may change its masks: of a line with cells they are the
// chunk's number.
template <bool alone>
REDFLAG_DEVICE bool grow_line(Line* line, Owner before, Owner next, const Piece& p,
                              std::uint32_t site) {
  if (!seize<alone>(line, before, p.lanes, next.launch())) return false;
  if (leads<alone>(p.lanes)) {
    const std::uint64_t words = p.writes ? std::uint64_t{p.words} << 32 : p.words;
    note_site(line, p.writes, site);  // before others see the words
    store_pair(line, next.bits, load_pair(line).second | words);
  }
  return true;
}

// Cells from now on, with what the owner did.
REDFLAG_SLOW void give_cells_now(Line* line, std::uint64_t owner, std::uint32_t reads,
                                 std::uint32_t writes, std::uint32_t lanes, std::uint32_t launch) {
  State& s = state_of(block());
  const Seen seen{{owner}, reads, writes};
  Piece p;
  p.lanes = lanes;
  if (!seize(line, seen.owner, p.lanes, launch)) return;
  std::uint32_t chunk = 0;
  if (is_first(p.lanes)) {
    chunk = atomic_add(&s.next_chunk, 1U);
    if (chunk >= s.chunk_count) {
      atomic_add(&s.out_of_chunks, std::uint64_t{1});
      chunk = ~0U;
    }
  }
  chunk = shuffle(p.lanes, chunk, first(p.lanes));
  if (chunk != ~0U) {
    auto* const cells = reinterpret_cast<Cell*>(s.chunks + std::uint64_t{chunk} * kChunkBytes);
    // Cells of the pool are clear: only what is known is written, each lane every so many words.
    const std::uint32_t reads_known = line->is_mixed == 0 ? seen.reads : 0;
    std::uint32_t rest = seen.owner.launch() == launch ? seen.writes | reads_known : 0;
    const std::uint32_t step = count(p.lanes), mine = count(p.lanes & lanes_below());
    for (std::uint32_t k = 0; rest != 0; ++k, rest &= rest - 1) {
      if (step != 1 && k % step != mine) continue;
      const std::uint32_t i = first(rest);
      Word write, read;
      if ((seen.writes >> i & 1) != 0) {
        write = Word::of(Kind::kPlain, 15, line->write_site, seen.owner.epoch(i, true));
      }
      if ((reads_known >> i & 1) != 0) {
        read = Word::of(Kind::kPlain, 15, line->read_site, seen.owner.epoch(i, false));
      }
      store_pair(&cells[i], write.bits, read.bits);
    }
    fence<Reach::kDevice>();
  }
  sync_warp(p.lanes);
  if (is_first(p.lanes)) {
    store_pair(line, Owner::of(launch, 0, 0, kCells).bits, chunk);
  }
}
REDFLAG_DEVICE void give_cells(Line* line, const Seen& seen, const Piece& p) {
  give_cells_now(line, seen.owner.bits, seen.reads, seen.writes, p.lanes, launch_at(p.address));
}

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

// The owner writes what others have read.
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

// A read besides the owner's.
REDFLAG_DEVICE void join_others(Line* line, const Seen& seen, const Piece& p, const Doing& doing) {
  const std::uint32_t launch = launch_at(p.address);
  const bool elsewhere = seen.owner.block() != doing.block;
  Others old{load_relaxed<Reach::kDevice>(&line->others.bits)};
  if (old.launch() == launch && (p.words & ~old.words()) == 0 &&
      (old.other_block() || !elsewhere) && (elsewhere || old.time() >= doing.time)) {
    return;
  }
  if (!is_first(p.lanes)) return;
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
    if (is_here && seen.owner.map_bits() == gpu::compact::kBusy) continue;
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
    if (!p.writes && (seen.writes & p.words) == 0) return join_others(line, seen, p, doing);
    give_cells(line, seen, p);
  }
}

}  // namespace redflag::device::compact
