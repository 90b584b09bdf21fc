// GpuRace: two accesses of a GPU program that nothing orders, or a barrier that lanes reach apart.
//
// Plain data, as core/model/race.h: no source lines, only the sites that the frontend numbered. The
// class says where the fault lies (iGUARD, table 4; ScoRD, section III; Barracuda, section 5.4.3),
// and `enough` what would have ordered the two. That is not a guess from the class: the model
// keeps the order also as it would be with wider scopes and with the fences that are missing
// (ordering.h), and names the smallest change under which the pair is ordered.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/event.h"
#include "core/model/finding.h"
#include "core/model/gpu.h"

namespace redflag::gpu {

enum class RaceClass : std::uint8_t {
  kScopedAtomic,
  kScopedFence,
  kMissingFence,
  kLock,
  kIntraWarp,
  kIntraBlock,
  kInterBlock,
  kInterCluster,
  kBarrierDivergence,
  kBranchOrdering,
  kAsyncCopy,
  kHostDevice,
};
inline constexpr int kRaceClassCount = 12;

// The smallest change that orders the pair.
enum class Enough : std::uint8_t {
  kNothingKnown,
  kWarpSync,        // __syncwarp() between
  kBlockBarrier,    // __syncthreads() between
  kClusterBarrier,  // cluster.sync() between
  kGridOrder,       // a flag with release and acquire, a grid barrier, or a kernel boundary
  kWiderFence,      // the fences' scope must include the other thread
  kWiderAtomic,     // the atomics' scope must include the other thread
  kReleaseFence,    // a fence after the producer's access, before it signals
  kAcquireFence,    // a fence after the consumer's atomic, before its access
  kSameLock,        // both sides under the lock that one of them held
  kWaitForCopy,     // cp.async.wait_group or the copy's barrier, then a barrier for other threads
  kHostSync,        // the host, or the other stream, waits
  kWholeWarp,       // all lanes reach the barrier together
  kAtomicAccess,    // the plain side made atomic too
  kStrongAccess,    // both sides volatile or atomic: a fence orders no others (ScoRD, table IV)
};
inline constexpr int kEnoughCount = 15;

struct RaceClassInfo {
  RaceClass kind;
  Rule rule;
  std::string_view name;
};
inline constexpr std::array<RaceClassInfo, kRaceClassCount> kRaceClasses{{
    {RaceClass::kScopedAtomic, Rule::kGpuScopedAtomic, "scoped-atomic"},
    {RaceClass::kScopedFence, Rule::kGpuScopedFence, "scoped-fence"},
    {RaceClass::kMissingFence, Rule::kGpuMissingFence, "missing-fence"},
    {RaceClass::kLock, Rule::kGpuLock, "lock"},
    {RaceClass::kIntraWarp, Rule::kGpuIntraWarp, "intra-warp"},
    {RaceClass::kIntraBlock, Rule::kGpuIntraBlock, "intra-block"},
    {RaceClass::kInterBlock, Rule::kGpuInterBlock, "inter-block"},
    {RaceClass::kInterCluster, Rule::kGpuInterCluster, "inter-cluster"},
    {RaceClass::kBarrierDivergence, Rule::kGpuBarrierDivergence, "barrier-divergence"},
    {RaceClass::kBranchOrdering, Rule::kGpuBranchOrdering, "branch-ordering"},
    {RaceClass::kAsyncCopy, Rule::kGpuAsyncCopy, "async-copy"},
    {RaceClass::kHostDevice, Rule::kGpuHostDevice, "host-device"},
}};
constexpr std::string_view name(RaceClass c) {
  return kRaceClasses[static_cast<std::size_t>(c)].name;
}

// Who made an access. Of a host operation `launch` is 0, and `host_thread` and `stream` tell.
struct GpuSide {
  LaunchId launch{0};
  std::uint64_t block = 0;   // linear, in its grid
  std::uint32_t thread = 0;  // linear, in its block
  SiteId site{0};
  EventKind kind = EventKind::kRead;
  Order order = Order::kPlain;
  Scope scope = Scope::kSystem;
  bool is_volatile = false;
  bool is_async = false;         // by a copy that the thread started
  bool locked = false;           // between taking and giving back of a lock
  bool any_thread = false;       // of the block; which one is not known
  bool last_of_several = false;  // sites whose accesses were kept as one
  std::uint8_t size = 0;
  ThreadId host_thread{0};
  StreamId stream{0};

  friend bool operator==(const GpuSide&, const GpuSide&) = default;
};

struct GpuRace {
  RaceClass kind = RaceClass::kInterBlock;
  Enough enough = Enough::kNothingKnown;
  Space space = Space::kGlobal;
  bool same_value = false;     // lanes of one instruction wrote the same value
  bool needs_acquire = false;  // a race only at level `ptx`: the consumer's acquire is missing
  Scope wide_enough =
      Scope::kSystem;  // kWiderFence, kWiderAtomic: the narrowest scope that will do
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  std::uint64_t barrier = 0;  // kBarrierDivergence: its number
  GpuSide first;              // of barrier divergence: who arrived
  GpuSide second;             // and who did not, or elsewhere
  std::uint64_t count = 1;    // pairs of the same two sites and class

  friend bool operator==(const GpuRace&, const GpuRace&) = default;
};

// What the frontend knows about sites and launches. Either may be empty.
struct SiteFrames {
  std::function<Stack(LaunchId, SiteId)> frames;
  std::function<const Launch*(LaunchId)> launch;
};

// The sentence about what was missing, and the advice.
std::string missing_text(const GpuRace& race);
std::string advice(const GpuRace& race);

Finding to_finding(const GpuRace& race, const SiteFrames& sites);

}  // namespace redflag::gpu
