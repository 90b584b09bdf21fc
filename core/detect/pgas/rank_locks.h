// Locks that a rank holds while it makes an access.
//
// The locks of one-sided programs are a rank's, not a thread's: that of a window at a target, held
// exclusively or with others, or an OpenSHMEM lock. Two accesses under one lock exclude each other in
// every run, unless both hold it with others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace redflag::pgas {

// MPI_Win_lock_all: the locks of a window at all its ranks.
inline constexpr std::uint32_t kEveryRank = ~std::uint32_t{0};

struct RankLock {
  std::uint64_t object = 0;     // the window; of OpenSHMEM, the symmetric object
  std::uint64_t offset = 0;     // in the object; 0 for MPI
  std::uint32_t rank = 0;       // at which; 0 for OpenSHMEM, whose locks are the whole job's
  std::uint32_t exclusive = 0;  // 1, or 0: with others that hold it so

  friend bool operator==(const RankLock&, const RankLock&) = default;
};
static_assert(sizeof(RankLock) == 24);

inline bool exclude(const RankLock& a, const RankLock& b) {
  return a.object == b.object && a.offset == b.offset && (a.exclusive != 0 || b.exclusive != 0) &&
         (a.rank == b.rank || a.rank == kEveryRank || b.rank == kEveryRank);
}

using RankLocks = std::vector<RankLock>;  // a few, in the order they were taken

inline bool exclude(const RankLocks& a, const RankLocks& b) {
  return std::any_of(a.begin(), a.end(), [&](const RankLock& x) {
    return std::any_of(b.begin(), b.end(), [&](const RankLock& y) { return exclude(x, y); });
  });
}

inline bool contains_all(const RankLocks& all, const RankLocks& some) {
  return std::all_of(some.begin(), some.end(), [&](const RankLock& each) {
    return std::find(all.begin(), all.end(), each) != all.end();
  });
}

}  // namespace redflag::pgas
