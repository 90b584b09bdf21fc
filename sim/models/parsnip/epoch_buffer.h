// EpochBuffers: the cores' epoch store buffers, where epochs wait on their way to software (PARSNIP,
// section 4.1).
//
// Each core has 32 entries: the address of the location with its length, the kind of access, the
// thread and its clock. A new epoch of the same location, kind and thread takes the place of the old
// one. (The paper coalesces by address and kind alone; where threads share a core, or one core saves
// another thread's read, that would lose reads.) Entries do not cross lines.
//
// The bit that the paper's extra byte leaves over says `supersedes`: the epoch makes software's
// reads of the location stale. A write does; a read does when the refs say that no reads in software
// count; the last write of a Secondary ref does not.
//
// The buffers of all cores can be searched by line, as hardware would snoop them, newest first. The
// order in which entries came is kept, so that software applies them in it. No allocation after
// construction.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/base/check.h"
#include "core/base/flat_map.h"
#include "core/clock/epoch.h"

namespace redflag::sim::parsnip {

struct PendingEpoch {
  std::uint64_t line = 0;  // number of the line
  std::uint8_t low = 0;    // bytes [low, high) of it
  std::uint8_t high = 0;
  bool write = false;
  bool supersedes = false;
  Epoch epoch;
};

class EpochBuffers {
 public:
  EpochBuffers(std::uint32_t cores, std::uint32_t entries)
      : entries_(entries), pool_(std::size_t{cores} * entries), used_(cores) {
    REDFLAG_CHECK(pool_.size() < kNone);
    heads_.fill(kNone);
    found_.reserve(pool_.size());
  }

  bool full(std::uint32_t core) const { return used_[core] == entries_; }
  std::uint32_t used(std::uint32_t core) const { return used_[core]; }

  // Takes the place of an entry for the same location, kind and thread in this core's buffer.
  bool coalesce(std::uint32_t core, const PendingEpoch& e) {
    for (std::uint16_t i = heads_[bucket(e.line)]; i != kNone; i = pool_[i].next) {
      Entry& old = pool_[i];
      if (old.core == core && old.what.line == e.line && old.what.low == e.low &&
          old.what.high == e.high && old.what.write == e.write &&
          old.what.epoch.slot() == e.epoch.slot()) {
        old.what = e;
        old.order = ++order_;
        return true;
      }
    }
    return false;
  }
  // A new entry; the buffer must not be full.
  void insert(std::uint32_t core, const PendingEpoch& e) {
    std::size_t i = std::size_t{core} * entries_;
    while (pool_[i].busy) ++i;
    std::uint16_t& head = heads_[bucket(e.line)];
    pool_[i] = {e, ++order_, core, head, true};
    head = static_cast<std::uint16_t>(i);
    ++used_[core];
  }

  // The epoch of a location's last access of this kind, if it is the thread's and waits here; which
  // core has it.
  const PendingEpoch* find(std::uint64_t line, unsigned low, unsigned high, bool write, Slot thread,
                           std::uint32_t& core) const {
    const Entry* newest = nullptr;
    for (std::uint16_t i = heads_[bucket(line)]; i != kNone; i = pool_[i].next) {
      const Entry& e = pool_[i];
      if (e.what.line != line || e.what.write != write || e.what.high <= low ||
          e.what.low >= high) {
        continue;
      }
      if (!write && e.what.epoch.slot() != thread) continue;
      if (newest == nullptr || e.order > newest->order) newest = &e;
    }
    // Parts of a location that came at different times are software's business.
    if (newest == nullptr || newest->what.low > low || newest->what.high < high ||
        newest->what.epoch.slot() != thread) {
      return nullptr;
    }
    core = newest->core;
    return &newest->what;
  }

  // Any entry of this core; the buffer must not be empty.
  const PendingEpoch& some(std::uint32_t core) const {
    std::size_t i = std::size_t{core} * entries_;
    while (!pool_[i].busy) ++i;
    return pool_[i].what;
  }

  // Takes out all entries for this line, of all cores, and gives them to apply() in the order in
  // which they came.
  template <typename Apply>
  void take(std::uint64_t line, Apply apply) {
    found_.clear();
    for (std::uint16_t* at = &heads_[bucket(line)]; *at != kNone;) {
      Entry& e = pool_[*at];
      if (e.what.line != line) {
        at = &e.next;
        continue;
      }
      found_.push_back(*at);
      *at = e.next;
    }
    std::sort(found_.begin(), found_.end(),
              [this](auto a, auto b) { return pool_[a].order < pool_[b].order; });
    for (const std::uint16_t i : found_) {
      pool_[i].busy = false;
      --used_[pool_[i].core];
      apply(pool_[i].what);
    }
  }
  // Is there an entry for bytes of this line other than [low, high)?
  bool any_beside(std::uint64_t line, unsigned low, unsigned high) const {
    for (std::uint16_t i = heads_[bucket(line)]; i != kNone; i = pool_[i].next) {
      const PendingEpoch& e = pool_[i].what;
      if (e.line == line && (e.low < low || e.high > high)) return true;
    }
    return false;
  }

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  static constexpr std::size_t kBuckets = 4096;
  struct Entry {
    PendingEpoch what;
    std::uint64_t order = 0;
    std::uint32_t core = 0;
    std::uint16_t next = kNone;
    bool busy = false;
  };

  static std::size_t bucket(std::uint64_t line) { return mix_bits(line) % kBuckets; }

  std::uint32_t entries_;
  std::vector<Entry> pool_;  // by core
  std::vector<std::uint32_t> used_;
  std::array<std::uint16_t, kBuckets> heads_{};
  std::vector<std::uint16_t> found_;  // by take()
  std::uint64_t order_ = 0;
};

}  // namespace redflag::sim::parsnip
