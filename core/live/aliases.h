// Aliases: memory that the program reaches at several addresses.
//
// Two shared mappings of the same pages of a file are the same bytes, so they must have one history.
// Every shared mapping is known here, by address. Pages that are mapped once keep their
// cells where all memory has them. When a page is mapped a second time, the cells of its mapping move
// to a home: addresses that no program is given (kHomes, linear.h), so that none of the mappings is the
// first among equals and any of them may go. From then on the cells at the program's own addresses
// stay 0, by which the fast paths know nothing, and a check asks for the granule's home before it looks
// at a cell (Detector::home). Only cells and records are looked for there: logs, locks held and reports
// have the addresses that the program used.
//
// Homes instead of shadow pages that are mapped twice: any page may be the same as any other, also
// where their addresses differ by an odd number of pages, and a forked process needs nothing done.
// The price is that what has a home is never known to the fast paths that look at cells.
//
// Limits: kMost mappings, and 1 TiB of homes that are in use at a time or have been since last there
// were none; what is mapped beyond is checked as memory of its own. Private mappings are not the same
// as the file's shared ones, though they are until they are written to. Recorded traces (redflag
// record) have the program's addresses and so do not know.
//
// Changed only with the world stopped; read inside. Who reads it outside may get a wrong answer while
// it changes, and nothing worse. All zero to begin with.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace redflag::live {

// What is mapped: a file by its device and inode, or anything else that two numbers name.
struct Backing {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const Backing&) const = default;
};

struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  Backing of;
  std::uint64_t offset = 0;
  std::uint64_t home = 0;  // 0: nobody else has mapped it

  std::uint64_t end() const { return begin + size; }
};

class Aliases {
 public:
  static constexpr std::uint32_t kMost = 4096;
  static constexpr std::uint32_t kRemembered = 64;

  // Has any address a home elsewhere?
  [[gnu::always_inline]] bool any() const { return homes_.load(std::memory_order_relaxed) != 0; }
  // Where the cells of `addr` are, and for how many bytes from there on they lie side by side: at
  // most `room`, which is cut down.
  std::uint64_t home(std::uint64_t addr, std::uint64_t& room) const;
  // The mapping that has the address; nullptr: none.
  const Mapping* find(std::uint64_t addr) const;
  bool touches(std::uint64_t addr, std::uint64_t size) const;
  // The first mapping that has any of the bytes [begin, end); nullptr: none.
  const Mapping* first_in(std::uint64_t begin, std::uint64_t end) const;
  // Calls f(address) for every other address of the byte, until it returns true; last, for those that
  // it had until lately.
  template <typename F>
  void for_each_other_name(std::uint64_t addr, F&& f) const {
    std::uint64_t room = 1;
    const std::uint64_t there = home(addr, room);
    if (there == addr) return;
    const auto named_by = [&](const Mapping& m) {
      if (m.home == 0 || there - m.home >= m.size) return false;
      const std::uint64_t name = m.begin + (there - m.home);
      return name != addr && f(name);
    };
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (named_by(maps_[i])) return;
    }
    for (const Mapping& m : gone_) {
      if (named_by(m)) return;
    }
  }

  // --- World stopped.
  std::uint32_t count() const { return count_; }
  const Mapping& at(std::uint32_t i) const { return maps_[i]; }
  // False: the table is full.
  bool insert(const Mapping& m);
  // The part of mapping i in [begin, end) is no more: which that was. The rest stays,
  // unless the table is full: then all of it is gone.
  Mapping cut_out(std::uint32_t i, std::uint64_t begin, std::uint64_t end);
  // Mapping i gets a home and has none yet. False: there is no room.
  bool settle(std::uint32_t i);

 private:
  std::uint32_t first_after(std::uint64_t addr) const;  // the first that begins above addr

  std::atomic<std::uint32_t> homes_{0};  // mappings that have one
  std::uint32_t count_ = 0;
  std::uint64_t homes_taken_ = 0;  // bytes
  std::uint32_t gone_count_ = 0;
  Mapping gone_[kRemembered] = {};  // the last that had a home
  Mapping maps_[kMost] = {};        // by address
};

}  // namespace redflag::live
