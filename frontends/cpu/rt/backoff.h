// Back-off: how many executions of a region pass between two that are sampled.
//
// Park et al. (UPC-Thrille, section 4.2) sample a region with probability p, 1 at first, and multiply p
// by a factor each time it is sampled. Here the executions to let pass are counted down instead of
// throwing dice at each: their mean is (1 - p) / p, as it is there, and they spread evenly from 0 to
// twice that. The spread is a function of the region and of how often it was sampled, not of the thread: threads
// that do the same work sample the same of it, and a race takes two. p stays above kLeast, so that
// nothing is forgotten for ever, unless the factor is 0: then the first execution is the only one.
//
// Whole numbers only: the runtime decides without touching the program's vector registers.
#pragma once

#include <cstdint>

namespace redflag::rt {

inline constexpr std::uint32_t kFactorOne = 1U << 16;
inline constexpr std::uint32_t kLevels = 1U << 10;  // beyond, p stays as it is
inline constexpr std::uint32_t kMostWait = (1U << 21) - 1;

class Backoff {
 public:
  // `factor`: of kFactorOne, at most that.
  void set(std::uint32_t factor) {
    constexpr std::uint64_t kOne = std::uint64_t{1} << 40;
    constexpr std::uint64_t kLeast = kOne >> 20;
    factor_ = factor;
    std::uint64_t p = kOne;
    for (std::uint32_t& mean : means_) {
      mean = static_cast<std::uint32_t>(((kOne - p) << 12) / p);
      p = (p >> 16) * factor + (((p & 0xffff) * factor) >> 16);
      if (p < kLeast) p = kLeast;
    }
  }
  bool is_always() const { return factor_ == kFactorOne; }
  // After the first, none.
  bool is_once() const { return factor_ == 0; }
  // Executions to let pass after the `level`-th that was sampled. `noise`: any 32 bits.
  std::uint32_t wait(std::uint32_t level, std::uint32_t noise) const {
    if (is_always() || level == 0) return 0;
    if (is_once()) return kMostWait;
    const std::uint64_t twice = std::uint64_t{means_[level < kLevels ? level : kLevels - 1]} * 2;
    const std::uint64_t spread = (twice * (noise >> 16)) >> 16;
    const std::uint64_t wait =
        (spread + (noise & 0xfff)) >> 12;  // rounded up as often as it should
    return wait < kMostWait ? static_cast<std::uint32_t>(wait) : kMostWait;
  }

 private:
  std::uint32_t factor_ = kFactorOne;
  std::uint32_t means_[kLevels] = {};  // by level, times 2^12
};

// Of a region and its level.
constexpr std::uint32_t noise_of(std::uint64_t region, std::uint32_t level) {
  std::uint64_t z = (region << 10 ^ level) + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
}

}  // namespace redflag::rt
