// A small seeded random source whose numbers are the same on every machine and library version.
//
// std:: distributions differ between implementations; a seed printed by a failing test must give
// the same program everywhere. SplitMix64, public domain algorithm by Sebastiano Vigna.
#pragma once

#include <cstdint>

namespace redflag {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }
  // Uniform in [0, n), for 0 < n < 2^32.
  std::uint64_t below(std::uint64_t n) { return (next() >> 32) * n >> 32; }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace redflag
