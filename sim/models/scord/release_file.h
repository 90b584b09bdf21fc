// Release and acquire, as ScoRD's authors would add them (section VI).
//
// A counter of all releases; a file with the counter's value at each warp's last release; for every
// unit of memory the value when it was accessed last, and, if that was a release, whose and which one it
// was. Who acquires what was released remembers the warp and the value, a few of them in a circle. An
// access is ordered behind another one of a warp that it remembers, if that warp's release came later
// than its access. Nothing is passed on: who acquired from one that had acquired knows only the last.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace redflag::sim {

inline constexpr unsigned kReleaseBits = 25;  // of the counter, which then begins again

// Beside an entry of metadata: 8 bytes.
struct ReleaseWord {
  std::uint64_t accessed : kReleaseBits = 0;  // the counter at the last access
  std::uint64_t released : kReleaseBits = 0;  // the counter's value of the release; 0: none
  std::uint64_t warp : 12 = 0;                // who released: number of block and of warp
  std::uint64_t block_scope : 1 = 0;
  std::uint64_t unused : 1 = 0;
};
static_assert(sizeof(ReleaseWord) == 8);

class ReleaseFile {
 public:
  ReleaseFile(std::size_t warps, std::size_t remembered)
      : remembered_(remembered), last_(warps, 0), known_(warps * remembered), next_(warps, 0) {}

  void clear() {
    count_ = 0;
    last_.assign(last_.size(), 0);
    known_.assign(known_.size(), Known{});
  }
  std::uint32_t count() const { return count_; }
  std::uint32_t last(std::size_t warp) const { return last_[warp]; }
  // A warp releases: the value.
  std::uint32_t release(std::size_t warp) {
    count_ = (count_ + 1) & ((1U << kReleaseBits) - 1);
    return last_[warp] = count_;
  }
  // `warp` has seen the release `value` of `other`.
  void acquire(std::size_t warp, std::size_t other, std::uint32_t value) {
    Known* const own = &known_[warp * remembered_];
    for (std::size_t i = 0; i < remembered_; ++i) {
      if (own[i].value == 0 || own[i].warp != other) continue;
      if (own[i].value < value) own[i].value = value;
      return;
    }
    own[next_[warp]] = {static_cast<std::uint32_t>(other), value};
    next_[warp] = static_cast<std::uint32_t>((next_[warp] + 1) % remembered_);
  }
  // Whether what `other` accessed when the counter was `accessed` is known to `warp`.
  bool ordered(std::size_t warp, std::size_t other, std::uint32_t accessed) const {
    const Known* const own = &known_[warp * remembered_];
    for (std::size_t i = 0; i < remembered_; ++i) {
      if (own[i].value > accessed && own[i].warp == other) return true;
    }
    return false;
  }

 private:
  struct Known {
    std::uint32_t warp = 0;
    std::uint32_t value = 0;  // 0: none
  };
  std::size_t remembered_;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> last_;
  std::vector<Known> known_;
  std::vector<std::uint32_t> next_;
};

}  // namespace redflag::sim
