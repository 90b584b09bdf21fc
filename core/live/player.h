// Player: a thread that accesses some memory in every way the detector has, at random.
//
// What is accessed is the caller's to say, and so is whether that may race; how is chosen here: one
// access, parts of granules, walks, scattered accesses, ranges, steps, atomics, memory with a new life. Every byte touched lies in the window given.
#pragma once

#include <random>

#include "core/live/rig.h"

namespace redflag::live {

struct Part {
  std::uint64_t begin;
  std::uint64_t size;  // at least 32
};

class Player {
 public:
  Player(Detector& detector, Thread& thread, std::uint64_t seed)
      : d(detector), t(thread), random_(seed) {}

  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  enum class May : std::uint8_t { kRead, kWrite, kRenew };  // each may do what those before may

  void act(Part w, May may) {
    const bool write = may != May::kRead && below(2) == 0;
    switch (below(may == May::kRenew ? 11 : may == May::kWrite ? 10 : 9)) {
      case 0:
        return one(w, write, [&](std::uint64_t at, unsigned n) { d.access(t, at, n, write, 1); });
      case 1:
      case 2:
        return one(w, write, [&](std::uint64_t at, unsigned n) {
          write ? d.check_few<true>(t, at, n, 1) : d.check_few<false>(t, at, n, 1);
        });
      case 3:
        return walk(w, write);
      case 4:
        return rows(w, write);
      case 5:
        return scatter(w, write);
      case 6: {
        const std::uint64_t at = below(w.size);
        return d.range(t, w.begin + at, 1 + below(w.size - at),
                       write ? LogKind::kWrite : LogKind::kRead, 1);
      }
      case 7:
        return parts(w, write);
      case 8:
        return steps(w, write);
      case 9:
        return atomic(w);
      default:
        return renew(w);
    }
  }

  // An atomic of 1, 2, 4 or 8 bytes, naturally aligned.
  void atomic(Part w) {
    const unsigned size = 1U << below(4);
    const std::uint64_t at = (w.begin + below(w.size - 15) + 7) / 8 * 8 + below(8 / size) * size;
    const auto op = static_cast<AtomicOp>(below(3));
    LockedRecords records;
    d.atomic_begin(t, at, size, records);
    d.atomic_end(t, at, size, op, static_cast<MemoryOrder>(below(4)), 1, 0, records);
  }

  // Whole granules only: those at the edges may be others' too.
  void renew(Part w) {
    const std::uint64_t first = (w.begin + 7) / 8;
    const std::uint64_t n = (w.begin + w.size) / 8 - first;
    const std::uint64_t at = (first + below(n)) * 8;
    const std::uint64_t size = (1 + below((w.begin + w.size) / 8 - at / 8)) * 8;
    if (below(2) == 0) return d.made(t, at, size, 1);
    d.world.enter(t);
    d.forget(at, size);
    d.world.leave(t);
  }

  void walk_on(std::uint64_t at, unsigned n, bool write, std::uint64_t which) {
    d.access(t, at, n, write, 0x2000 + which * 16 + (write ? 8 : 0));
  }

  Detector& d;
  Thread& t;

 private:
  unsigned some_size() { return 1U << below(5); }
  template <typename F>
  void one(Part w, bool, F&& f) {
    const unsigned n = below(2) == 0 ? some_size() : 1 + static_cast<unsigned>(below(16));
    f(w.begin + below(w.size - n + 1), n);
  }
  void walk(Part w, bool write) {
    const unsigned n = some_size();
    const std::uint64_t step = below(2) == 0 ? n : 1 + below(24);
    const std::uint64_t most = (w.size - n) / step + 1;
    const std::uint64_t count = 1 + below(most < 40 ? most : 40);
    const std::uint64_t start = below(w.size - n - step * (count - 1) + 1);
    const bool down = below(4) == 0;
    const std::uint64_t which = below(12);
    for (std::uint64_t k = 0; k < count; ++k) {
      walk_on(w.begin + start + step * (down ? count - 1 - k : k), n, write, which);
    }
  }
  // Side by side, mostly: a text, a struct of ints.
  void parts(Part w, bool write) {
    std::uint64_t at = below(w.size - 15);
    for (std::uint64_t k = below(12); k > 0; --k) {
      const unsigned n = below(4) == 0 ? some_size() : 1U << below(3);
      if (at + n > w.size) return;
      d.access(t, w.begin + at, n, write, 1);
      at += n;
    }
  }
  void steps(Part w, bool write) {
    const unsigned n = some_size();
    const std::uint64_t step = n + below(24);
    const std::uint64_t most = (w.size - n) / step + 1;
    const std::uint64_t count = 1 + below(most < 40 ? most : 40);
    const std::uint64_t start = below(w.size - n - step * (count - 1) + 1);
    d.strided(t, w.begin + start, static_cast<std::int64_t>(step), count, n, write, 1);
  }
  void rows(Part w, bool write) {
    const unsigned n = some_size() / 2 + 1;
    const std::uint64_t inner = 2 + below(3);
    const std::uint64_t row = n * inner + below(4) * 8;
    const std::uint64_t which = below(12);
    for (std::uint64_t at = 0; at + n * inner <= w.size && at < 20 * row; at += row) {
      for (std::uint64_t k = 0; k < inner; ++k) walk_on(w.begin + at + k * n, n, write, which);
    }
  }
  void scatter(Part w, bool write) {
    const unsigned n = some_size();
    const std::uint64_t which = 12 + below(4);
    for (std::uint64_t k = below(40); k > 0; --k) {
      walk_on(w.begin + below(w.size - n + 1), n, write, which);
    }
  }

  std::mt19937_64 random_;
};

}  // namespace redflag::live
