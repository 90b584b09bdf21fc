// compact on global memory: an access of lanes together becomes pieces of lines, or words.
//
// Lanes that access one after the other do so line by line, together (compact_lines.h); what has no such
// pattern is told by each lane for itself. An access that was made before, in the same epoch, ends
// after a look at its line. Device code.
#pragma once

#include "frontends/cuda/device/compact_lines.h"

namespace redflag::device::compact {

// Whether this lane has made the access before, in the same epoch, or one of a line that is only read.
// Then nothing changes: what was written since has been compared with it.
REDFLAG_DEVICE bool is_repeated(const Line* line, std::uint64_t address, std::uint32_t bytes,
                                bool writes, const Doing& doing) {
  const std::uint32_t width = bytes == 4 ? 0 : bytes == 8 ? 1 : 2;
  const std::uint32_t word = static_cast<std::uint32_t>(address) % kLineBytes / kUnit;
  const std::uint32_t own = ((1U << (1U << width)) - 1) << word;
  const Map map{width, ((word >> width) - doing.lane) & 31};
  const std::uint32_t launch = launch_at(address);
  const Owner mine = Owner::of(launch, doing.block, doing.warp, map.bits());
  const Seen seen = look_at(line);
  const bool has = (own & ~(writes ? seen.writes : seen.reads)) == 0 &&
                   (writes ? seen.owner.write_time() : seen.owner.read_time()) == doing.time;
  const bool own_warp = seen.owner.key() >> kMapBits == mine.key() >> kMapBits;
  if (!writes && own_warp && has) return true;
  if (!writes && (seen.owner.launch() != launch || seen.owner.map_bits() >= kCells ||
                  (seen.writes & own) != 0)) {
    return false;
  }
  const Others others{load_relaxed<Reach::kDevice>(&line->others.bits)};
  const bool others_here = others.launch() == launch;
  if (writes) return seen.owner.key() == mine.key() && has && !others_here;
  return others_here && (own & ~others.words()) == 0 &&
         (others.other_block() ||
          (seen.owner.block() == doing.block && others.time() >= doing.time));
}

// An access of lanes together, each `bytes` wide.
REDFLAG_DEVICE void check_lanes_of_global(std::uint64_t address, std::uint32_t bytes, bool writes,
                                          bool is_atomic, bool is_copy, const Doing& doing) {
  if (block().concurrent != 0) compare_with_host(address, bytes, writes, doing.site, doing.what);
  const std::uint32_t leader = first(doing.active);
  const std::uint64_t base = address - std::uint64_t{doing.lane} * bytes;
  const std::uint64_t common = shuffle(doing.active, base, leader);
  Piece p;
  p.writes = writes;
  if (bytes >= kUnit && bytes <= 16 && !is_atomic && !is_copy &&
      all(doing.active, base == common)) {
    p.map.width = bytes == 4 ? 0 : bytes == 8 ? 1 : 2;
    const std::uint64_t begin = common + std::uint64_t{leader} * bytes;
    const std::uint64_t end = common + std::uint64_t{last(doing.active)} * bytes;
    for (std::uint64_t at = begin / kLineBytes * kLineBytes; at <= end; at += kLineBytes) {
      const bool is_in = address / kLineBytes * kLineBytes == at;
      p.lanes = ballot(doing.active, is_in);
      if (!is_in) continue;
      Line* const line = line_at(at);
      if (line == nullptr) continue;
      p.address = at;
      p.map.shift = static_cast<std::uint32_t>((common - at) / bytes) & 31;
      p.words = p.map.words_of(p.lanes);
      p.own = ((1U << (1U << p.map.width)) - 1) << (address % kLineBytes / kUnit);
      check_line_slowly<false>(line, p, 15, false, doing);
    }
    return;
  }
  // One place for all: one of them reads for the others. (Stores were compared before.)
  if (!is_atomic && all(doing.active, address == shuffle(doing.active, address, leader)) &&
      doing.lane != leader) {
    return;
  }
  // Each lane for itself.
  const std::uint64_t end = address + bytes;
  for (std::uint64_t unit = address / kUnit * kUnit; unit < end; unit += kUnit) {
    Line* const line = line_at(unit);
    if (line == nullptr) continue;
    const std::uint32_t from = address > unit ? static_cast<std::uint32_t>(address - unit) : 0;
    const std::uint32_t to = end < unit + kUnit ? static_cast<std::uint32_t>(end - unit) : kUnit;
    const std::uint32_t mask = ((1U << to) - 1) & ~((1U << from) - 1);
    const std::uint32_t word = static_cast<std::uint32_t>(unit % kLineBytes / kUnit);
    p.address = unit / kLineBytes * kLineBytes;
    p.lanes = 1U << doing.lane;
    p.words = p.own = 1U << word;
    p.map = {0, (word - doing.lane) & 31};
    // Copies have cells, as atomics do.
    check_line_slowly<true>(line, p, mask, is_atomic || mask != 15 || is_copy, doing);
  }
}
// `flags`: bytes, 256 if it writes, 512 if it is atomic.
REDFLAG_SLOW void check_global_now(std::uint64_t address, std::uint32_t flags, std::uint32_t site,
                                   std::uint32_t what, std::uint32_t active, std::uint32_t time) {
  const Doing doing = doing_of(site, what, active & active_mask(), time);
  check_lanes_of_global(address, flags & 255, (flags & 256) != 0, (flags & 512) != 0,
                        What::of(what).aligned, doing);
}

// Whether the last atomic of the warp was this one: then it has been told, and is not again while only other
// atomics have come since. One who spins changes nothing.
REDFLAG_DEVICE bool is_spinning(const Warp& w, std::uint64_t address, const Pair& have,
                                const Doing& doing) {
  if (look(w.atomic_address) != address || look(w.atomic_time) != doing.time ||
      look(w.atomic_what) != doing.what || (doing.active & ~look(w.atomic_lanes)) != 0) {
    return false;
  }
  const Word write{have.first}, read{have.second};
  return (!write || write.kind() == Kind::kAtomic) && (!read || read.kind() == Kind::kAtomic);
}
// Words of a line that is known to have cells. `flags`: bytes, 256 if it writes, 512 if it is atomic.
REDFLAG_SLOW void check_kept(Cell* cells, std::uint64_t address, std::uint32_t flags,
                             std::uint32_t site, std::uint32_t packed, std::uint32_t active,
                             std::uint32_t time) {
  const Doing doing = doing_of(site, packed, active & active_mask(), time);
  const std::uint32_t bytes = flags & 255;
  const bool writes = (flags & 256) != 0, is_atomic = (flags & 512) != 0;
  const bool is_uniform =
      doing.active == 1U << doing.lane ||
      all(doing.active, address == shuffle(doing.active, address, first(doing.active)));
  // One of them does it for all. (Plain stores were compared before.)
  if (is_uniform && !is_first(doing.active)) return;
  const Scope scope = What::of(packed).scope;
  const bool narrow = scope == Scope::kBlock || scope == Scope::kWarp;
  const Kind kind = !is_atomic ? Kind::kPlain : narrow ? Kind::kBlockAtomic : Kind::kAtomic;
  const Word mine = Word::of(kind, 15, site, now(doing));
  Warp& w = block().warps[doing.warp];
  for (std::uint32_t i = 0; i < bytes / kUnit; ++i) {
    const Pair have = load_pair(&cells[i]);
    if (has_access(have, mine, writes)) continue;
    if (is_uniform && kind == Kind::kAtomic && is_spinning(w, address, have, doing)) continue;
    const Word write{have.first}, read{have.second};
    const bool read_far = read.kind() == Kind::kAtomic && read.epoch().block != doing.block;
    const bool after_atomic = write.kind() == Kind::kAtomic || (!write && read_far);
    if (writes && kind == Kind::kAtomic && after_atomic && (!read || read_far)) {
      // It takes the other atomic's place, and nothing is asked. Whoever wrote between the look and this
      // has compared with that one; nobody waits.
      store_relaxed<Reach::kDevice>(&cells[i].write.bits, mine.bits);
      continue;
    }
    check_cell(&cells[i], have, address + i * kUnit, 15, writes, doing);
  }
  if (!is_uniform || kind != Kind::kAtomic) return;
  put(w.atomic_address, address);
  put(w.atomic_time, time);
  put(w.atomic_lanes, doing.active);
  put(w.atomic_what, packed);
}

// Plain words of lanes together, where it is known who they are (compact_hot.cu).
REDFLAG_DEVICE void check_words(std::uint64_t address, std::uint32_t bytes, bool writes,
                                const Doing& doing) {
  Line* const line = line_at(address);
  if (line == nullptr) return;
  if (!writes && is_repeated(line, address, bytes, false, doing)) return;
  // Those who are left.
  Doing left = doing;
  left.active = doing.active & active_mask();
  if (left.active != 1U << doing.lane) {
    return check_lanes_of_global(address, bytes, writes, false, false, left);
  }
  // One lane, one line.
  if (block().concurrent != 0) compare_with_host(address, bytes, writes, doing.site, doing.what);
  Piece p;
  p.writes = writes;
  p.map.width = bytes == 4 ? 0 : bytes == 8 ? 1 : 2;
  const std::uint32_t word = static_cast<std::uint32_t>(address) % kLineBytes / kUnit;
  p.address = address / kLineBytes * kLineBytes;
  p.lanes = left.active;
  p.words = p.own = ((1U << (1U << p.map.width)) - 1) << word;
  p.map.shift = ((word >> p.map.width) - doing.lane) & 31;
  check_line_slowly<true>(line, p, 15, false, left);
}

REDFLAG_DEVICE void check_global(std::uint64_t address, std::uint32_t bytes, bool writes,
                                 bool is_atomic, const Doing& doing) {
  const std::uint32_t flags = bytes | (writes ? 256U : 0U) | (is_atomic ? 512U : 0U);
  if (bytes >= kUnit && bytes <= 16 && address % bytes == 0) {
    Cell* const cells = kept_cell(address);
    if (cells != nullptr) {
      return check_kept(cells, address, flags, doing.site, doing.what, doing.active, doing.time);
    }
  }
  // One lane alone would look at the line once more.
  const bool is_alone = block().threads != 0 && doing.active == 1U << doing.lane;
  if (!is_atomic && !is_alone && (bytes == 4 || bytes == 8 || bytes == 16)) {
    const Line* const line = line_at(address);
    if (line == nullptr || is_repeated(line, address, bytes, writes, doing)) return;
  }
  check_global_now(address, flags, doing.site, doing.what, doing.active, doing.time);
}

}  // namespace redflag::device::compact
