// What `compact` keeps of signals: layouts of what threads know, of nodes, and of the locations that they are found by.
//
// A thread has a list of what it has learnt, and remembers the locations that it had to do with last. Nodes tell what was
// published and learnt; a location has its last release and counts them; an outbox has the last of each block. How
// they are used is in compact_signals.h and compact_search.h. All of it is the device's, but for clearing.
#pragma once

#include <cstdint>

#include "core/detect/gpu/compact/line.h"
#include "core/detect/gpu/compact/word.h"
#include "core/detect/gpu/portable.h"

namespace redflag::device::compact {

// What is known, and can be published: of one thread, or of all those lanes of a warp that have done nothing by
// themselves. Numbers are of nodes, which are lists.
struct Knowledge {
  std::uint32_t know;     // what was learnt since the block's last barrier
  std::uint32_t pending;  // what was read, and is learnt at the next fence
  // What it, and its block, had learnt at the last fence of device scope, and at that of any scope.
  std::uint32_t device_know, device_block_know;
  std::uint32_t here_know, here_block_know;
  std::uint16_t device_fence;  // times of those; 0: none
  std::uint16_t block_fence;
  std::uint32_t last_pending;  // of the block: what was learnt of that
};
static_assert(sizeof(Knowledge) == 32);

// What was published at a location last, so that one who spins does not publish the same again.
struct Published {
  std::uint64_t key;
  std::uint32_t position;
  std::uint16_t own;      // time of the fence; kNoFence: by a release
  std::uint16_t barrier;  // and of the barrier
};
static_assert(sizeof(Published) == 16);
inline constexpr std::uint16_t kNoFence = 0xFFFF;
// What a thread has to do with a location.
inline constexpr std::uint32_t kOnlyHere = 1U << 30;
struct Recent {
  Published published;
  std::uint32_t head;  // the node of which it knows all, with kOnlyHere: as far as its block goes
  std::uint32_t element;   // of its list, while nobody else has that: it can be changed. 0: none
  std::uint32_t position;  // that the element has
  std::uint32_t told;      // its last atomic there that was told (atomic_told)
};
static_assert(sizeof(Recent) == 32);
inline constexpr std::uint32_t kRecent = 5;

// A lane of a warp in a kernel with signals, once it has done something by itself (Warp::apart). Its own
// only, but for `knowledge.know`, which lanes that it is together with read.
struct Thread {
  Knowledge knowledge;
  Recent recent[kRecent];
  std::uint8_t oldest;    // of those, which is replaced next
  std::uint8_t updates;   // elements of its list that it has changed since others have that
  std::uint16_t round;    // of the barrier with a number of threads that it arrived at
  std::uint32_t waiting;  // release that it has read last, and learns at its next fence; 0: none
  std::uint32_t
      unheard;          // that it has learnt last, and has not looked at; 0: none (compact_kept.h)
  std::uint32_t heard;  // the release there that it has known before
};
static_assert(sizeof(Thread) == 208);

// Nodes: 64 bytes in four parts of 16, each loaded at once. Who makes one writes it, and nobody changes it
// when others can find it.
enum NodeFlags : std::uint32_t {
  kBlockScope = 1,
  kLearnt = 2,   // an element of a list: a release that was learnt of
  kLink = 4,     // an element of a list: another list
  kCopies = 8,   // of what the lanes copied before `own`, and nothing else
  kFenced = 16,  // of a write behind a fence, which the node covers too
};
inline constexpr unsigned kNodeBits = 26;
inline constexpr unsigned kNodeWarpAt = 5, kNodeTimeAt = 16;
struct alignas(16) NodeWho {
  std::uint32_t flags =
      0;  // the warp at kNodeWarpAt; at kNodeTimeAt: all that the block did before this time
  std::uint32_t block = 0;  // who published, or learnt
  std::uint32_t own = 0;  // what the lanes did before this time is published; in the upper half: to
                          // the block itself
  std::uint32_t before = 0;  // what the block did before; in the upper half: the warp
};
struct alignas(16) NodeWhere {
  std::uint32_t lanes = 0;     // who published
  std::uint32_t fences = 0;    // node with the warps' fences, where `before` is not all published
  std::uint32_t location = 0;  // where; of kLearnt: of what was learnt
  std::uint32_t position = 0;  // there (Slot)
};
struct alignas(16) NodeKnown {  // lists: what those had learnt who published
  std::uint32_t know = 0, block_know = 0;
  std::uint32_t here_know = 0, here_block_know = 0;  // for the block itself
};
struct alignas(16) NodeLinks {
  std::uint32_t before =
      0;  // release: the one at the location before it, or kNotLinked. Else: the list's rest
  std::uint32_t learnt = 0;    // kLearnt: the release. kLink: a list
  std::uint32_t previous = 0;  // release: the one of its block before it
  std::uint32_t unused = 0;
};
struct Node {
  NodeWho who;
  NodeWhere where;
  NodeKnown known;
  NodeLinks links;
};
static_assert(sizeof(Node) == 64);

// Where the one before a release is not known yet: somebody else is just appending, too.
inline constexpr std::uint32_t kNotLinked = ~0U;

// Positions at a location: a sequence (one that a store ended is followed by the next) and the number in it.
// Whoever knows a position knows all of the same sequence that are not behind it. There are fewer nodes than
// numbers, so that these do not end.
inline constexpr unsigned kIndexBits = 20;
inline constexpr std::uint32_t kMostNodes = 1U << kIndexBits;
REDFLAG_HD constexpr std::uint32_t next_sequence(std::uint32_t position) {
  return ((position >> kIndexBits) + 1) << kIndexBits;
}
REDFLAG_HD constexpr bool is_same_sequence(std::uint32_t one, std::uint32_t other) {
  return one >> kIndexBits == other >> kIndexBits;
}
// Whether who knows the later position knows the earlier one.
REDFLAG_HD constexpr bool is_within(std::uint32_t earlier, std::uint32_t later) {
  return is_same_sequence(earlier, later) && earlier <= later;
}

REDFLAG_HD constexpr std::uint64_t mixed(std::uint64_t key) {
  key *= 0x9E3779B97F4A7C15ULL;
  return key ^ key >> 29;
}
// Through what signals go, an address or another key, as its location has it: where to look first, and tags.
// Keys that have all in common are taken for one, so that more is ordered than is: one in 2^57.
struct LocationKey {
  std::uint64_t bits = 0;  // mixed

  REDFLAG_HD static constexpr LocationKey of(std::uint64_t key) { return {mixed(key)}; }
  REDFLAG_HD constexpr std::uint32_t place() const { return static_cast<std::uint32_t>(bits); }
  REDFLAG_HD constexpr std::uint32_t head_tag() const {
    return static_cast<std::uint32_t>(bits >> 32);
  }
  REDFLAG_HD constexpr std::uint32_t count_tag() const {
    return (static_cast<std::uint32_t>(bits) & kCountTagMask) | 1U << 25;  // never 0
  }
  static constexpr std::uint32_t kCountTagMask = (1U << 26) - 1;
};
// A location's last release: launch (6), node (26), tag (32).
struct Head {
  std::uint64_t bits = 0;  // 0: there was none yet

  REDFLAG_HD static constexpr Head of(std::uint32_t launch, std::uint32_t node, LocationKey key) {
    return {std::uint64_t{launch & gpu::compact::kLaunchMask} << 58 | std::uint64_t{node} << 32 |
            key.head_tag()};
  }
  REDFLAG_HD constexpr bool is_of(LocationKey key) const {
    return bits == 0 || static_cast<std::uint32_t>(bits) == key.head_tag();
  }
  REDFLAG_HD constexpr std::uint32_t in(std::uint32_t launch) const {  // 0: none
    const bool is = bits >> 58 == (launch & gpu::compact::kLaunchMask);
    return is ? static_cast<std::uint32_t>(bits >> 32) & ((1U << kNodeBits) - 1) : 0;
  }
};
// The last position there: launch (6), tag (26), position (32), which can be added to.
struct Count {
  std::uint64_t bits = 0;  // 0: the location is nobody's

  REDFLAG_HD static constexpr Count of(std::uint32_t launch, std::uint32_t position,
                                       LocationKey key) {
    return {std::uint64_t{launch & gpu::compact::kLaunchMask} << 58 |
            std::uint64_t{key.count_tag()} << 32 | position};
  }
  REDFLAG_HD constexpr bool is_of(LocationKey key) const {
    return bits != 0 &&
           (static_cast<std::uint32_t>(bits >> 32) & LocationKey::kCountTagMask) == key.count_tag();
  }
  REDFLAG_HD constexpr bool is_in(std::uint32_t launch) const {
    return bits >> 58 == (launch & gpu::compact::kLaunchMask);
  }
  REDFLAG_HD constexpr std::uint32_t in(std::uint32_t launch) const {
    return is_in(launch) ? static_cast<std::uint32_t>(bits) : 0;
  }
};

// By hash; cleared when launches' numbers begin again. Whoever appends a release adds to `count` and takes
// the place of `head`, at once: in which order is seen by nobody who acquires it.
struct alignas(16) Location {
  Head head;
  Count count;
};
static_assert(sizeof(Location) == 16);

// What a block has published last, by its number: time, and node. Nothing later can be known to others. It
// only grows, launch by launch.
inline constexpr std::uint32_t kOutboxes = 1U << 16;
inline constexpr unsigned kOutboxTimeAt = 40;
struct Outbox {
  std::uint64_t bits = 0;

  REDFLAG_HD static constexpr Outbox of(std::uint32_t launch, std::uint32_t time,
                                        std::uint32_t node) {
    return {std::uint64_t{launch & gpu::compact::kLaunchMask} << 58 |
            std::uint64_t{time} << kOutboxTimeAt | node};
  }
  REDFLAG_HD constexpr std::uint32_t launch() const {
    return static_cast<std::uint32_t>(bits >> 58);
  }
  REDFLAG_HD constexpr std::uint32_t time() const {
    return static_cast<std::uint32_t>(bits >> kOutboxTimeAt) & (2 * gpu::compact::kLastTime + 1);
  }
  REDFLAG_HD constexpr std::uint32_t node() const { return static_cast<std::uint32_t>(bits); }
};

}  // namespace redflag::device::compact
