// compact in kernels that synchronise by barriers alone: what whole warps do to global memory is written
// down (core/detect/gpu/compact/log.h), and looked at by 32 records at once.
//
// The log is in shared memory, 256 bytes for each warp; where its next record goes is a register that
// the rewriter keeps (hot.h), the same in all lanes, since only accesses of all lanes move it. A warp
// whose log is full looks at it, and so does one that comes to a barrier, so that what is in it is always of
// one barrier interval. Where no barrier comes any more, the last lanes of the block to end look at the
// logs of all. Nothing is ever lost. Each lane takes a record; lines that several of them name are taken
// one after the other.
//
// The block's time behind its last barrier is a register of the kernel: warps learn of it when they need it
// (catch_up). It goes on by one at a barrier, or to where the furthest of its warps has come (Block::ticks).
//
// What a part of a warp does, and what has no pattern, goes to the lines at once. Both know of each
// other by the warp's time: an access by a part, behind one by all, is later (time_of_access). Device code.
#pragma once

#include "frontends/cuda/device/compact_global.h"

namespace redflag::device::compact {

using gpu::compact::kLogBytes;
using gpu::compact::LogPiece;
using gpu::compact::Pattern;
using gpu::compact::Record;
using gpu::compact::Tag;

// The warp passed a barrier since it was here last: `time` with kFlips, as the kernel has it. By one lane. The barrier
// comes last: parts of a warp may be here at one instant, and none goes on before the rest is set.
REDFLAG_DEVICE void catch_up(Warp& w, std::uint32_t time) {
  const std::uint32_t now = time & ~kFlips;
  if (look(w.barrier) == now) return;
  atomic_max(&w.time, now);
  atomic_max(&w.meet, now);
  atomic_max(&w.barrier, now);
  if (now >= gpu::compact::kLastTime) end_of_time();
}
// When a part of the warp accessed something last, by the phase of its tag; 0: not in this phase, behind this
// barrier. (Warp::parted)
REDFLAG_DEVICE std::uint32_t parted_at(std::uint32_t parted, Tag tag, std::uint32_t time) {
  const std::uint32_t phase = tag.phase(), at = parted & gpu::compact::kLastTime;
  const bool is_it = phase != Tag::kLastPhase && parted >> kPartedPhaseAt == phase;
  return is_it && at > (time & ~kFlips) ? at : 0;
}
// When lanes with this tag access something, all of the warp or a part of it. All have met if they have
// accessed something together since the last access by a part: then time goes on, and so it will
// for all warps behind the next barrier. Of parts that come at one instant it goes on for one. By one lane.
REDFLAG_DEVICE std::uint32_t time_of_access(Warp& w, Tag tag, std::uint32_t time, bool is_part) {
  catch_up(w, time);
  if (!is_part) return look(w.time);
  for (;;) {
    const std::uint32_t parted = look(w.parted);
    if (const std::uint32_t at = parted_at(parted, tag, time); at != 0) {
      if (look(w.meet) < at) atomic_max(&w.meet, at);
      return at;
    }
    const std::uint32_t now = look(w.time) + 1, flips = time & kFlips;
    const std::uint32_t next = tag.phase() << kPartedPhaseAt | now;
    if (compare_swap(&w.parted, parted, next) != parted) continue;
    if (now >= gpu::compact::kLastTime) end_of_time();
    atomic_max(&w.time, now);
    atomic_max(&w.meet, now);
    atomic_max(&block().ticks[flips != 0 ? 1 : 0], (now + 1) | (flips ^ kFlips));
    return now;
  }
}

// When what is in the log was: before the last meeting, unless all lanes have met since.
REDFLAG_DEVICE std::uint32_t log_time(const Warp& w, Tag tag, std::uint32_t time) {
  const std::uint32_t at = parted_at(look(w.parted), tag, time);
  return at != 0 ? at - 1 : look(w.time);
}

REDFLAG_DEVICE std::uint64_t load_record(std::uint32_t at) {
  std::uint64_t record;
  asm volatile("ld.shared.u64 %0, [%1];" : "=l"(record) : "r"(at) : "memory");
  return record;
}
REDFLAG_DEVICE void store_record(std::uint32_t at, Record record) {
  asm volatile("st.shared.u64 [%0], %1;" ::"r"(at), "l"(record.bits) : "memory");
}

// One line of a record, by one lane for all of a warp: `map` has the warp from bit 8 on, and 128 where
// not all words are of its lanes.
REDFLAG_SLOW void check_piece(Line* line, std::uint64_t at, std::uint32_t words, std::uint32_t map,
                              std::uint32_t what, std::uint32_t site, std::uint32_t time) {
  Piece p;
  p.address = at;
  p.lanes = 1U << lane();
  p.words = p.own = words;
  p.map = {map >> 5 & 3, map & 31};
  p.is_mixed = (map & 128) != 0;
  p.writes = What::of(what).deed == Deed::kWrite;
  Doing doing = doing_of(site, what, kAllLanes, time);
  doing.warp = map >> 8;
  check_line_slowly<true>(line, p, 15, false, doing);
}

// The words that lanes of `same` have, each through the place of the first of them.
REDFLAG_DEVICE std::uint32_t united(std::uint32_t begin, std::uint32_t same, std::uint32_t words,
                                    std::uint32_t lanes) {
  const std::uint32_t place = begin + first(same) * 8;
  const std::uint32_t own = begin + lane() * 8;
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(own), "r"(0) : "memory");
  sync_warp(lanes);
  asm volatile("red.shared.or.b32 [%0], %1;" ::"r"(place), "r"(words) : "memory");
  sync_warp(lanes);
  std::uint32_t all;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(all) : "r"(place) : "memory");
  sync_warp(lanes);
  return all;
}

// Of warps that have read the same at the same site, two are enough: whoever writes there races with one of
// them, if with any.
REDFLAG_DEVICE bool is_one_more_reader(const Record& record, std::uint32_t warp,
                                       std::uint32_t active) {
  const std::uint32_t same = match_any(active, record.bits);
  const bool is_other = warp != shuffle(active, warp, first(same));
  const std::uint32_t others = same & ballot(active, is_other);
  const bool is_kept = lane() == first(same) || (is_other && lane() == first(others));
  return !record.writes() && !is_kept;
}

// Each lane of `active` has a record of that warp, or 0. Loops read a line many times at one site: what
// they read is united, in shared memory at `scratch`, if there is any. Lanes with the same line take
// turns.
REDFLAG_SLOW void check_records(std::uint64_t bits, std::uint32_t warp, std::uint32_t time,
                                std::uint32_t scratch) {
  const std::uint32_t active = active_mask();
  const Record record{bits};
  const std::uint32_t threads = block().size - warp * 32;
  const std::uint32_t all_lanes = threads >= 32 ? kAllLanes : (1U << threads) - 1;
  const std::uint64_t end = bits != 0 ? record.end(all_lanes) : 0;
  std::uint64_t at = bits != 0 ? record.begin(all_lanes) / kLineBytes * kLineBytes : 0;
  What what;
  what.deed = record.writes() ? Deed::kWrite : Deed::kRead;
  what.memory = Memory::kGlobal;
  what.bytes = static_cast<std::uint8_t>(4U << record.width());
  // Of one site and warp, for reads; a line's address leaves 7 bits.
  const std::uint64_t key = bits >> 48 << 48 | (record.writes() ? 32 + lane() : warp);
  while (true) {
    const std::uint32_t left = ballot(active, at < end);
    if (left == 0) return;
    if (at < end) {
      const LogPiece piece = record.piece(at, all_lanes);
      const std::uint32_t turn = match_any(left, at);
      std::uint32_t same = 1U << lane(), words = piece.words;
      if (scratch != 0 && any(left, turn != same)) {
        same = match_any(left, key | at);
        words = united(scratch, same, piece.words, left);
      }
      Line* const line = is_first(turn) ? line_at(at) : nullptr;
      if (line != nullptr) {
        const std::uint32_t mixed = words != piece.words ? 128 : 0;
        check_piece(line, at, words, piece.map.bits() | mixed | warp << 8, what.packed(),
                    record.site(), time);
      }
      if ((same >> first(turn) & 1) != 0) at += kLineBytes;
    }
    sync_warp(active);
  }
}

// Looks at what is in the warp's log; where the next record goes.
REDFLAG_SLOW std::uint32_t flush(std::uint32_t log, std::uint32_t tag, std::uint32_t time) {
  const std::uint32_t active = active_mask(), warp = Tag{tag}.thread() / 32;
  const std::uint32_t begin = block().log + warp * kLogBytes;
  // A block that is not checked any further goes on with an empty log.
  if (block().state == 0) return begin;
  Warp& w = block().warps[warp];
  if (is_first(active)) catch_up(w, time);
  sync_warp(active);
  const std::uint32_t at_time = log_time(w, {tag}, time);
  const std::uint32_t step = count(active) * 8;
  for (std::uint32_t at = begin; at < log; at += step) {
    const std::uint32_t own = at + count(active & lanes_below()) * 8;
    const std::uint64_t record = own < log ? load_record(own) : 0;
    sync_warp(active);
    // When all of them are loaded their places are free.
    check_records(record, warp, at_time, step == kLogBytes ? begin : 0);
  }
  sync_warp(active);
  return begin;
}

// Looks at all logs of the block, when everybody else has ended.
REDFLAG_SLOW void flush_block() {
  Block& b = block();
  const std::uint32_t active = active_mask(), lanes = count(active);
  const std::uint32_t rank = count(active & lanes_below());
  const std::uint32_t warps = (b.size + 31) / 32;
  const std::uint32_t scratch = b.log + warps * kLogBytes;
  fence<Reach::kBlock>();
  // Records are numbered over all warps; each lane finds those that are its turn.
  std::uint32_t all = 0;
  for (std::uint32_t base = 0; base == 0 || base < all; base += lanes) {
    std::uint32_t before = 0, warp = 0, at = 0;
    for (std::uint32_t i = 0; i < warps; ++i) {
      const std::uint32_t own = base + rank - before, logged = look(b.warps[i].logged);
      if (own < logged) {
        warp = i;
        at = b.log + i * kLogBytes + own * 8;
      }
      before += logged;
    }
    all = before;
    if (all == 0) return;
    std::uint64_t record = at != 0 ? load_record(at) : 0;
    if (is_one_more_reader({record}, warp, active)) record = 0;
    check_records(record, warp, look(b.warps[warp].log_at), scratch);
  }
}

// Lanes that end, where no barrier comes any more: the last ones of the block look at all logs.
REDFLAG_DEVICE void stop(std::uint32_t log, std::uint32_t tag, std::uint32_t time) {
  Block& b = block();
  const std::uint32_t active = active_mask(), warp = Tag{tag}.thread() / 32;
  const std::uint32_t logged = log % kLogBytes / 8;
  Warp& w = b.warps[warp];
  std::uint32_t now = 0;
  if (is_first(active)) {
    if (logged != 0) {
      catch_up(w, time);
      put(w.log_at, log_time(w, {tag}, time));
      put(w.logged, logged);
      fence<Reach::kBlock>();
    }
    now = atomic_add(&b.together, count(active)) + count(active);
  }
  if (shuffle(active, now, first(active)) == b.size) flush_block();
}

// An access of a whole warp of 32 lanes that is not one lane after the other: halves of it that are, or
// one place for all. False: neither.
REDFLAG_DEVICE bool append_odd(std::uint32_t& log, std::uint32_t tag, std::uint32_t time,
                               std::uint64_t address, std::uint32_t site, const What& what) {
  const bool writes = what.deed == Deed::kWrite;
  if (!writes && (what.bytes == 4 || what.bytes == 8 || what.bytes == 16) &&
      match_all(kAllLanes, address)) {
    const Pattern pattern = what.bytes == 4   ? Pattern::kOneWord
                            : what.bytes == 8 ? Pattern::kOnePair
                                              : Pattern::kOneQuad;
    if (lane() == 0) store_record(log, Record::of(address, false, site, pattern));
    log += 8;
    if (log % kLogBytes == 0) log = flush(log, tag, time);
    return true;
  }
  if (what.bytes != 4) return false;
  const std::uint64_t base = address - std::uint64_t{lane()} * 4;
  const bool is_high = lane() >= 16;
  const bool is_half = match_any(kAllLanes, base) == (is_high ? 0xFFFF0000U : 0xFFFFU);
  // Two lanes that store to one place are told by check_lanes.
  if (!all(kAllLanes, is_half && (!writes || match_any(kAllLanes, address) == 1U << lane()))) {
    return false;
  }
  if ((log + 8) % kLogBytes == 0) log = flush(log, tag, time);
  if (lane() % 16 == 0) {
    const Pattern pattern = is_high ? Pattern::kHigh : Pattern::kLow;
    store_record(is_high ? log + 8 : log, Record::of(base, writes, site, pattern));
  }
  log += 16;
  if (log % kLogBytes == 0) log = flush(log, tag, time);
  return true;
}

}  // namespace redflag::device::compact
