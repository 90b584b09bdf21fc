// compact's lines: where they are, and how they change hands.
//
// core/detect/gpu/compact/line.h has the layout. A line is changed by whoever has exchanged its owner for kBusy, then stored
// as a whole; times and masks of the same owner grow without that. One that has got cells keeps them for the
// launch. What is compared is in compact_lines.h. Device code.
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
    const std::uint64_t state = look(b.state);  // 0: there are no more times
    if (state == 0) return nullptr;
    const std::uint64_t regions = reinterpret_cast<const State*>(state)->regions;
    pages = reinterpret_cast<const std::uint64_t* const*>(regions)[region];
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

// Cells from now on, with what the owner did. Whether it was done here.
REDFLAG_SLOW bool give_cells_now(Line* line, std::uint64_t owner, std::uint32_t reads,
                                 std::uint32_t writes, std::uint32_t lanes, std::uint32_t launch) {
  State& s = state_of(block());
  const Seen seen{{owner}, reads, writes};
  Piece p;
  p.lanes = lanes;
  if (!seize(line, seen.owner, p.lanes, launch)) return false;
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
  return true;
}
REDFLAG_DEVICE bool give_cells(Line* line, const Seen& seen, const Piece& p) {
  return give_cells_now(line, seen.owner.bits, seen.reads, seen.writes, p.lanes,
                        launch_at(p.address));
}

}  // namespace redflag::device::compact
