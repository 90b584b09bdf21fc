// Shadow: who accessed each word, kept as FastTrack keeps it, with atomics besides.
//
// A cell has the last plain write, and the reads and atomics since. An access replaces those that it
// covers: that are ordered before it, and that nothing can race with unless it races with the new one
// too. Mostly one record is left; else the rest stands in a set beside. So the first race of a byte is
// always found, and none is invented (as FastTrack proves for reads and writes; the rule for atomics
// is covers()).
//
// Cells are of four bytes, in pages of 4 KiB of memory; the first access of one or two bytes turns its
// page into cells of single bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/detect/gpu/record.h"

namespace redflag::gpu {

class Shadow {
 public:
  static constexpr unsigned kPageBits = 12;

  // Judge: conflict(past, now); unordered(past, its lanes, lanes): those of `lanes` that race;
  // behind(past, its lanes, lanes): all of it is ordered before; observes(now, past): an atomic comes
  // after another, as far as their own location goes.
  // Report: (past, its lanes, racing lanes, address, bytes).
  template <typename Judge, typename Report>
  void access(const Record& record, Lanes lanes, std::uint64_t address, unsigned size, Judge& judge,
              Report report) {
    while (size > 0) {
      Page& page = page_at(address >> kPageBits);
      const auto offset = static_cast<unsigned>(address & (kPageSize - 1));
      const unsigned here = std::min<unsigned>(size, kPageSize - offset);
      if (page.unit != 1 && ((offset | here) % kWordSize) != 0) to_bytes(page);
      for (unsigned at = offset; at < offset + here; at += page.unit) {
        cell(page.cells[at / page.unit], record, lanes, address - offset + at, page.unit, judge,
             report);
      }
      address += here;
      size -= here;
    }
  }

  // f(record, lanes, address, bytes) for all that is known of [address, address + size).
  template <typename F>
  void in_range(std::uint64_t address, std::uint64_t size, F f) {
    for (auto& [number, page] : pages_) {
      const std::uint64_t begin = number << kPageBits;
      if (begin + kPageSize <= address || begin >= address + size) continue;
      for (unsigned at = 0; at < kPageSize; at += page.unit) {
        if (begin + at + page.unit <= address || begin + at >= address + size) continue;
        const Cell& one = page.cells[at / page.unit];
        if (one.write.time != 0) f(one.write, one.write_lanes, begin + at, page.unit);
        if (one.since.time != 0) f(one.since, one.since_lanes, begin + at, page.unit);
        if (one.set == 0) continue;
        for (const Entry& entry : sets_[one.set].entries) {
          f(entry.record, entry.lanes, begin + at, page.unit);
        }
      }
    }
  }

  void forget(std::uint64_t address, std::uint64_t size);
  void forget_shared();
  void clear();
  std::size_t bytes() const;

 private:
  static constexpr unsigned kPageSize = 1U << kPageBits;
  static constexpr unsigned kWordSize = 4;
  static constexpr unsigned kUsualSize = 2;  // log_size of most atomics

  struct Entry {
    Record record;
    Lanes lanes = 0;
  };
  struct Set {
    std::vector<Entry> entries;
    std::size_t prune_at = 16;  // when the whole set is gone through for what is covered
    std::size_t new_from = 0;   // entries from here on came after the last read-modify-write
    bool plain_reads = false;   // what may be in it, so that most checks need not look
    bool atomics = false;
    bool unobserved = false;  // atomics before new_from that no later one has observed
    bool narrow = false;  // atomics of less than device scope, or of another size than four bytes
  };
  struct Cell {
    Record write;
    Record since;
    Lanes write_lanes = 0;
    Lanes since_lanes = 0;
    std::uint32_t set = 0;  // in sets_; 0: none
  };
  static_assert(sizeof(Cell) == 44);
  struct Page {
    std::unique_ptr<Cell[]> cells;
    unsigned unit = kWordSize;
  };

  template <typename Judge, typename Report>
  void cell(Cell& c, const Record& record, Lanes lanes, std::uint64_t address, unsigned bytes,
            Judge& judge, Report& report) {
    // The same lanes read again, at the same time, and nobody wrote.
    if (c.set == 0 && c.since == record && (lanes & ~c.since_lanes) == 0 && !record.writes) return;
    const auto check = [&](const Record& past, Lanes its) {
      if (!judge.conflict(past, record)) return;
      const Lanes racing = judge.unordered(past, its, lanes);
      if (racing != 0) report(past, its, racing, address, bytes);
    };
    if (c.write.time != 0) check(c.write, c.write_lanes);
    if (c.since.time != 0) {
      check(c.since, c.since_lanes);
      if (c.set != 0 && must_look(sets_[c.set], record)) {
        for (const Entry& entry : sets_[c.set].entries) check(entry.record, entry.lanes);
      }
    }
    if (record.writes && !record.strong) {
      c.write = record;
      c.write_lanes = lanes;
      c.since.time = 0;
      if (c.set != 0) free_set(c);
      return;
    }
    if (c.since.time != 0 && c.since == record) {
      c.since_lanes |= lanes;
      return;
    }
    if (c.set != 0 && may_observe(record)) seen_by(sets_[c.set], record, judge);
    if (c.since.time == 0 || covers(record, lanes, c.since, c.since_lanes, judge)) {
      c.since = record;
      c.since_lanes = lanes;
    } else {
      insert(c, record, lanes, judge);
    }
  }

  // Can an entry of the set conflict with this access at all?
  static bool must_look(const Set& set, const Record& record) {
    if (!record.strong) {
      return (record.writes && set.plain_reads) ||
             (set.atomics && (set.unobserved || set.new_from < set.entries.size()));
    }
    if (record.writes && set.plain_reads) return true;
    return set.narrow || record.level() != Level::kDevice || record.log_size != kUsualSize;
  }

  // May `now` stand for `past`, ordered before it: does all that races with past race with now?
  template <typename Judge>
  bool covers(const Record& now, Lanes lanes, const Record& past, Lanes its, Judge& judge) const {
    if (past.is_async != now.is_async) return false;
    if (!now.strong) {  // a plain read: covers reads
      if (past.writes) return false;
    } else {
      if (!past.strong || now.writes < past.writes || now.log_size != past.log_size) return false;
      // From another block, an atomic of narrow scope may reach the one and not the other.
      if (now.level() > past.level() || !judge.same_block(now, past)) return false;
    }
    return judge.observes(now, past) || judge.behind(past, its, lanes);
  }

  // Nobody else counts as the first that follows: a compare-and-swap that failed, a reduction.
  static bool may_observe(const Record& record) {
    return record.event() == EventKind::kAtomicRmw && record.writes && !record.is_reduction;
  }

  // A read-modify-write comes after all atomics in the set that it can observe. Each entry is gone
  // through once, by the first that follows it; those out of that one's scope again by the next.
  template <typename Judge>
  static void seen_by(Set& set, const Record& now, Judge& judge) {
    std::size_t left = set.entries.size();
    for (std::size_t i = set.new_from; i < set.entries.size(); ++i) {
      Record& past = set.entries[i].record;
      if (!past.strong || past.observed) continue;
      if (judge.observes(now, past)) {
        past.observed = 1;
      } else if (past.writes && set.narrow) {
        left = std::min(left, i);
      } else {
        set.unobserved = true;
      }
    }
    set.new_from = left;
  }

  template <typename Judge>
  void insert(Cell& c, const Record& record, Lanes lanes, Judge& judge) {
    if (c.set == 0) c.set = new_set();
    Set& set = sets_[c.set];
    std::vector<Entry>& all = set.entries;
    const auto covered = [&](const Entry& entry) {
      return covers(record, lanes, entry.record, entry.lanes, judge);
    };
    // Large sets are gone through only when they have doubled: otherwise their end must do.
    constexpr std::size_t kNear = 8;
    if (all.size() >= set.prune_at) {
      std::erase_if(all, covered);
      set.new_from = 0;
      set.prune_at = std::max<std::size_t>(16, 2 * all.size());
    } else {
      const std::size_t from = all.size() > kNear ? all.size() - kNear : 0;
      for (std::size_t i = all.size(); i > from; --i) {
        if (!covered(all[i - 1])) continue;
        set.new_from = std::min(set.new_from, i - 1);
        all[i - 1] = all.back();
        all.pop_back();
      }
    }
    // The newest stands in the cell, where it is found again at once.
    note(set, c.since);
    all.push_back({c.since, c.since_lanes});
    if (may_observe(record)) seen_by(set, record, judge);
    note(set, record);
    c.since = record;
    c.since_lanes = lanes;
  }

  static void note(Set& set, const Record& record) {
    set.plain_reads |= !record.strong;
    set.atomics |= record.strong;
    set.narrow |=
        record.strong && (record.level() != Level::kDevice || record.log_size != kUsualSize);
  }

  Page& page_at(std::uint64_t number) {
    if (number == last_number_ && last_ != nullptr) return *last_;
    Page& page = pages_[number];
    if (!page.cells) page.cells = new_cells(kPageSize / kWordSize);
    last_number_ = number;
    last_ = &page;
    return page;
  }
  using Pages = std::unordered_map<std::uint64_t, Page>;
  Pages::iterator forget_in(Pages::iterator at, std::uint64_t address, std::uint64_t end);
  std::unique_ptr<Cell[]> new_cells(unsigned count);
  void to_bytes(Page& page);
  void drop(Page& page);
  std::uint32_t new_set();
  void free_set(Cell& c);

  Pages pages_;
  std::uint64_t last_number_ = 0;
  Page* last_ = nullptr;
  std::vector<Set> sets_ = std::vector<Set>(1);  // the first is none
  std::vector<std::uint32_t> free_;
  std::size_t cells_ = 0;
};

}  // namespace redflag::gpu
