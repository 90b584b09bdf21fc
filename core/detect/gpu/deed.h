// Deed: one thing that changes what threads know of each other, in 32 bytes.
//
// The model turns steps into deeds; Ordering (ordering.h) takes them, in the real world at once, and in
// the worlds that only explain races when a race asks (worlds.h). So a deed holds all that any world
// needs, and nothing that depends on one.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/detect/gpu/grid.h"
#include "core/model/ids.h"

namespace redflag::gpu {

enum class DeedKind : std::uint8_t {
  kTogether,       // lanes execute an instruction together
  kSyncWarp,       // lanes wait for each other
  kSyncBlock,      // all threads of the block have met
  kFence,          //
  kObserve,        // a strong read of one lane, at `object`
  kPublish,        // a strong write of one lane
  kModify,         // a read-modify-write of one lane that wrote: observes, then publishes
  kOverwrite,      // a weak write: who reads `object` observes no release
  kArrive,         // at a meeting
  kArriveRelaxed,  // the same, with only what fences published
  kPass,           //
  kForget,         // nobody will pass that meeting any more
  kCopyKnown,      // the lanes know their own copies up to `now`
  kCopyArrive,     // copies of the lanes up to `now` arrive at a meeting
  kBlockEnds,      //
};

// Where threads meet: barriers of blocks and clusters, phases of barrier objects.
enum class MeetingKind : std::uint8_t { kBlockBarrier, kClusterBarrier, kBarrierObject };
struct Meeting {
  MeetingKind kind = MeetingKind::kBlockBarrier;
  std::uint64_t object = 0;
  std::uint32_t round = 0;
  friend auto operator<=>(const Meeting&, const Meeting&) = default;
};

struct Deed {
  DeedKind kind = DeedKind::kTogether;
  Order order = Order::kPlain;
  Level level = Level::kBlock;
  bool is_compare_swap : 1 = false;
  bool is_reduction : 1 = false;
  bool is_volatile : 1 = false;
  std::uint8_t meeting_kind : 2 = 0;
  std::uint32_t block = 0;
  std::uint32_t warp = 0;  // in its block
  Lanes lanes = 0;
  Time now = 0;
  std::uint32_t round = 0;   // of the meeting
  std::uint64_t object = 0;  // address, or object of the meeting

  Meeting meeting() const { return {static_cast<MeetingKind>(meeting_kind), object, round}; }
};
static_assert(sizeof(Deed) == 32, "a million of them are kept (worlds.h)");
static_assert(std::is_trivially_copyable_v<Deed>);

inline Deed deed(DeedKind kind, const WarpAt& at, Lanes lanes, Time now = 0) {
  Deed out;
  out.kind = kind;
  out.block = at.block;
  out.warp = at.warp;
  out.lanes = lanes;
  out.now = now;
  return out;
}
inline Deed deed(DeedKind kind, const WarpAt& at, Lanes lanes, const Meeting& meeting,
                 Time now = 0) {
  Deed out = deed(kind, at, lanes, now);
  out.meeting_kind = static_cast<std::uint8_t>(meeting.kind) & 3U;
  out.object = meeting.object;
  out.round = meeting.round;
  return out;
}

}  // namespace redflag::gpu
