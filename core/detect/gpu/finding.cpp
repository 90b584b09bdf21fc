// GpuRace to Finding: the words. What happened and what would have been enough, with the names of
// CUDA's own functions; lines come from the frontend's callback.
#include <array>
#include <string>

#include "core/detect/gpu/gpu_race.h"

namespace redflag::gpu {
namespace {

struct EnoughInfo {
  Enough enough;
  Missing missing;
  std::string_view lacks;   // "nothing orders the two accesses" is said before
  std::string_view change;  // what to do
};
constexpr std::array<EnoughInfo, kEnoughCount> kEnough{{
    {Enough::kNothingKnown, Missing::kAnyOrder, "No synchronisation joins the two.", ""},
    {Enough::kWarpSync, Missing::kBarrier,
     "The two lanes are of one warp, and no warp barrier stands between.",
     "A __syncwarp() between the two accesses is enough."},
    {Enough::kBlockBarrier, Missing::kBarrier,
     "The two threads are of one block, and no barrier stands between.",
     "A __syncthreads() between the two accesses is enough."},
    {Enough::kClusterBarrier, Missing::kBarrier,
     "The two blocks are of one cluster, and no cluster barrier stands between.",
     "A cluster.sync() between the two accesses is enough."},
    {Enough::kGridOrder, Missing::kAnyOrder, "No synchronisation joins the two blocks.",
     "Signal by an atomic with a __threadfence() on both sides (or release and acquire at device "
     "scope), use a grid barrier, or put the second access into a later kernel."},
    {Enough::kWiderFence, Missing::kWiderScope,
     "A signal passes between the two threads, but a fence's scope does not include both.",
     "scope for the fences is enough"},
    {Enough::kWiderAtomic, Missing::kWiderScope,
     "The two threads meet at atomics, but the scope of one does not include the other thread.",
     "scope for the atomics is enough"},
    {Enough::kReleaseFence, Missing::kFence,
     "A signal passes from the first thread to the second, but no fence stands between the first "
     "access and the signal.",
     "A __threadfence() after the first access, before the atomic that signals it, is enough (or "
     "that atomic with release)."},
    {Enough::kAcquireFence, Missing::kFence,
     "A signal passes from the first thread to the second, but the second does not acquire it.",
     "A __threadfence() after the atomic that reads the signal, before the second access, is "
     "enough "
     "(or that atomic with acquire)."},
    {Enough::kSameLock, Missing::kLockOnOneSide, "One side holds a lock, the other does not.",
     "Take the same lock around the other access too."},
    {Enough::kWaitForCopy, Missing::kBarrier, "Nothing waits for the asynchronous copy.",
     "Wait for the copy (cp.async.wait_group, __pipeline_wait_prior, its barrier) in the thread "
     "that "
     "started it; threads other than that one also need a barrier after the wait."},
    {Enough::kHostSync, Missing::kHostSync,
     "The work may still be running: neither the host nor the other stream waits for it. "
     "(A cudaMemcpy from pageable memory returns when the source was read, before the data is "
     "there.)",
     "Call cudaStreamSynchronize or cudaDeviceSynchronize first, or let the stream wait for an "
     "event "
     "(cudaStreamWaitEvent)."},
    {Enough::kWholeWarp, Missing::kCorrectUse,
     "Threads of one block reach different barriers, or a part of a warp reaches one alone.",
     "Move the barrier out of the branch, or use one that names its threads (__syncwarp(mask), "
     "bar.sync with a count)."},
    {Enough::kAtomicAccess, Missing::kAtomicAccess, "One side is atomic, the other is not.",
     "Make the other access atomic too (a volatile access is none), or order the two."},
    {Enough::kStrongAccess, Missing::kAtomicAccess,
     "A fence stands between the two, but orders only volatile and atomic accesses, and one of "
     "them is neither.",
     "Make both accesses volatile or atomic."},
}};

const EnoughInfo& info_of(Enough enough) {
  return kEnough[static_cast<std::size_t>(enough)];
}
consteval bool enough_in_order() {
  for (std::size_t i = 0; i < kEnough.size(); ++i) {
    if (static_cast<std::size_t>(kEnough[i].enough) != i) return false;
  }
  return true;
}
static_assert(enough_in_order());

std::string coordinates(const std::array<std::uint32_t, 3>& at) {
  return "(" + std::to_string(at[0]) + "," + std::to_string(at[1]) + "," + std::to_string(at[2]) +
         ")";
}

std::array<std::uint32_t, 3> as_array(const Dim& dim) {
  return {dim.x, dim.y, dim.z};
}

Side side_of(const GpuSide& from, std::uint64_t address, const SiteFrames& sites) {
  Side side;
  side.access.addr = Addr{address};
  side.access.size = from.size;
  side.access.kind = from.kind;
  side.access.order = from.order;
  side.access.is_volatile = from.is_volatile;
  side.access.source = SourceId{raw(from.site)};
  if (sites.frames && raw(from.site) != 0) side.stack = sites.frames(from.launch, from.site);
  GpuPlace at;
  at.scope = from.scope;
  at.is_async = from.is_async;
  if (raw(from.launch) == 0) {
    side.access.thread = from.host_thread;
    side.thread_name = "host";
    if (raw(from.stream) != 0) side.thread_name += ", stream " + std::to_string(raw(from.stream));
    side.gpu = at;
    return side;
  }
  side.access.thread = kUnknownThread;
  const Launch* launch = sites.launch ? sites.launch(from.launch) : nullptr;
  at.launch = raw(from.launch);
  if (launch != nullptr) {
    at.kernel = launch->kernel;
    at.block = as_array(gpu::place(from.block, launch->grid));
    at.thread = as_array(gpu::place(from.thread, launch->block));
    if (sites.frames && raw(launch->site) != 0) {
      at.launched = sites.frames(from.launch, launch->site);
    }
  } else {
    at.kernel = "kernel " + std::to_string(raw(from.launch));
    at.block[0] = static_cast<std::uint32_t>(from.block);
    at.thread[0] = from.thread;
  }
  side.thread_name = (from.any_thread ? "a thread" : "thread " + coordinates(at.thread)) +
                     " of block " + coordinates(at.block) + " in " + at.kernel;
  side.gpu = std::move(at);
  return side;
}

}  // namespace

std::string missing_text(const GpuRace& race) {
  std::string text(info_of(race.enough).lacks);
  if (race.same_value) text += " Both lanes write the same value.";
  if (race.first.last_of_several || race.second.last_of_several) {
    text += " Accesses of several lines were kept as one: the line is that of the last.";
  }
  if (race.needs_acquire) text += " CUDA's practice allows this; the PTX memory model does not.";
  return text;
}

std::string advice(const GpuRace& race) {
  const std::string_view change = info_of(race.enough).change;
  if (race.enough != Enough::kWiderFence && race.enough != Enough::kWiderAtomic) {
    return std::string(change);
  }
  std::string scope(name(race.wide_enough));
  scope[0] = static_cast<char>(scope[0] - 'a' + 'A');
  std::string text = scope + " " + std::string(change);
  if (race.enough == Enough::kWiderFence) {
    text += race.wide_enough == Scope::kBlock ? ": __threadfence_block()." : ": __threadfence().";
    return text;
  }
  return text + " (atomicAdd instead of atomicAdd_block, and so on).";
}

Finding to_finding(const GpuRace& race, const SiteFrames& sites) {
  Finding finding;
  finding.rule = kRaceClasses[static_cast<std::size_t>(race.kind)].rule;
  const bool barrier = race.kind == RaceClass::kBarrierDivergence;
  const std::uint64_t address =
      is_shared(race.address) ? shared_offset(race.address) : race.address;
  finding.addr = Addr{barrier ? race.barrier : address};
  finding.size = race.size;
  if (race.space == Space::kShared && !barrier) {
    const Launch* launch = sites.launch ? sites.launch(race.second.launch) : nullptr;
    finding.memory.name = "shared memory";
    finding.memory.kind = RegionKind::kGlobal;
    finding.memory.size = launch == nullptr ? 0 : launch->shared_bytes;
  }
  finding.first = side_of(race.first, address, sites);
  finding.second = side_of(race.second, address, sites);
  finding.missing = info_of(race.enough).missing;
  finding.missing_text = missing_text(race);
  finding.advice = advice(race);
  finding.count = race.count;
  return finding;
}

}  // namespace redflag::gpu
