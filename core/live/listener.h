// Listener: somebody outside the detector who is told of accesses to some memory.
//
// Others see more than threads: processes that share memory (frontends/cpu/rt/between.h), operations of
// other ranks (rt/watch.cpp). They are told of bytes that are about to be checked, once in an epoch
// for each location, more or less. Accesses of different places are not checked as one there, so that
// each is told with its own.
//
// In a process that never had a second thread nobody else needs to know (is_all): what it does is before
// whatever a thread does that begins later. Memory that nobody listens to is then not checked at all
// (alone.cpp).
//
// Set with the world stopped, read inside. That nobody listens, or to memory elsewhere, costs a load
// and a comparison.
#pragma once

#include <cstddef>
#include <cstdint>

namespace redflag::live {

struct Thread;
struct Access;

struct Heard {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// [begin, end), and the same every `step` bytes, `count` times in all.
struct Strided {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t step = 0;
  std::uint64_t count = 1;
  std::uint64_t last() const { return end + step * (count - 1); }
};

struct Listener {
  using Tell = void (*)(Thread& t, const Access& a, std::uint64_t begin, std::uint64_t end);
  using TellStrided = void (*)(Thread& t, const Access& a, const Strided& all);

  Tell tell = nullptr;
  TellStrided tell_strided = nullptr;  // nullptr: is told one by one
  const Heard* ranges = nullptr;       // in order, apart from each other; the listener's
  std::size_t count = 0;
  // Of all ranges; nobody listens: none. (Zero, as all of the runtime that a program begins with.)
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool is_all = false;  // who needs to know; of one thread then, that sets it and may ask outside
  // With that: ranges are told each time, and leave no mark in cells. The listener's own choice.
  bool takes_ranges = false;
  static constexpr std::uint64_t kRange = 256;  // bytes

  bool any() const { return high != 0; }
  // Of an access of so many bytes.
  bool needs_cells(std::uint64_t bytes) const { return !takes_ranges || bytes < kRange; }
  [[gnu::always_inline]] bool hears(std::uint64_t begin, std::uint64_t end) const {
    if (begin >= high || end <= low) [[likely]]
      return false;
    return first_behind(begin) != count && ranges[first_behind(begin)].begin < end;
  }
  // Does anybody need to know of it?
  [[gnu::always_inline]] bool needs(std::uint64_t begin, std::uint64_t end) const {
    return !is_all || hears(begin, end);
  }
  // The first range that ends behind an address.
  std::size_t first_behind(std::uint64_t address) const {
    std::size_t from = 0;
    std::size_t to = count;
    while (from < to) {
      const std::size_t middle = (from + to) / 2;
      if (ranges[middle].end > address) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from;
  }
};

inline Listener listener_to(Listener::Tell tell, const Heard* ranges, std::size_t count) {
  Listener made;
  if (count == 0) return made;
  made.tell = tell;
  made.ranges = ranges;
  made.count = count;
  made.low = ranges[0].begin;
  made.high = ranges[count - 1].end;
  return made;
}

}  // namespace redflag::live
