#include "core/detect/gpu/scord/scord.h"

#include <bit>
#include <utility>

#include "core/base/check.h"

namespace redflag::gpu::scord {
namespace {

bool is_block_scope(Scope scope) {
  return scope == Scope::kBlock || scope == Scope::kWarp;
}
// Lanes of an atomic that changed memory: a compare-and-swap that failed is a load.
Lanes wrote(const Step& step) {
  if (step.kind == StepKind::kAtomicLoad) return 0;
  return step.kind == StepKind::kAtomicRmw ? step.lanes & step.wrote : step.lanes;
}

struct Verdict {
  RaceClass kind;
  Enough enough;
};
// What a race is called, by its rule.
Verdict verdict_of(Rule rule, bool same_block, bool block_fenced) {
  switch (rule) {
    case Rule::kScopedAtomic:
      return {RaceClass::kScopedAtomic, Enough::kWiderAtomic};
    case Rule::kLockOnLoad:
    case Rule::kLockOnStore:
      return {RaceClass::kLock, Enough::kSameLock};
    case Rule::kDeviceFence:
      if (block_fenced) return {RaceClass::kScopedFence, Enough::kWiderFence};
      break;
    default:
      break;
  }
  const bool weak = rule == Rule::kNotStrong;
  if (same_block) {
    return {RaceClass::kIntraBlock, weak ? Enough::kStrongAccess : Enough::kBlockBarrier};
  }
  return {RaceClass::kInterBlock, weak ? Enough::kStrongAccess : Enough::kGridOrder};
}

}  // namespace

Scord::Scord(Options options)
    : options_(std::move(options)),
      races_(options_.most_races, options_.on_race,
             options_.memory != nullptr ? options_.memory : std::pmr::get_default_resource()),
      pages_(options_.memory != nullptr ? options_.memory : std::pmr::get_default_resource()),
      entries_(options_.memory != nullptr ? options_.memory : std::pmr::get_default_resource()) {
  REDFLAG_CHECK(std::has_single_bit(options_.granularity) && options_.granularity <= 16);
}

void Scord::launch_begins(const Launch& launch) {
  launch_ = launch;
  running_ = true;
  entries_.restart();
  fences_.fill({});
  locks_.fill({});
  barriers_.fill(0);
  rounds_.fill({});
}

void Scord::step(const Step& step) {
  ++steps_;
  if (step.lanes == 0 || !running_) return;
  switch (step.kind) {
    case StepKind::kRead:
      return memory(step, AccessKind::kLoad, false, step.lanes);
    case StepKind::kWrite:
      return memory(step, AccessKind::kStore, false, step.lanes);
    case StepKind::kAtomicLoad:
    case StepKind::kAtomicStore:
    case StepKind::kAtomicRmw:
      if (is_release(step.order)) fence(step, step.scope);
      memory(step, AccessKind::kLoad, true, step.lanes & ~wrote(step));
      memory(step, AccessKind::kStore, true, wrote(step));
      infer_locks(step);
      if (is_acquire(step.order)) {
        locks_[slot(step.block, step.warp)].fence(is_block_scope(step.scope));
      }
      return;
    case StepKind::
        kAsyncCopy: {  // the copy's load from global memory; its store is of shared memory
      if (step.source == nullptr) return;
      Step load = step;
      load.address = step.source;
      load.space = Space::kGlobal;
      return memory(load, AccessKind::kLoad, false, step.lanes);
    }
    case StepKind::kFence:
      return fence(step, step.scope);
    case StepKind::kClusterArrive:
      if (is_release(step.order)) fence(step, Scope::kDevice);
      return;
    case StepKind::kMbarrierArrive:
      if (is_release(step.order)) fence(step, step.scope);
      return;
    case StepKind::kBarrierArrive:
    case StepKind::kBarrierPass:
      return barrier(step);
    default:
      return;
  }
}

void Scord::fence(const Step& step, Scope scope) {
  const std::size_t at = slot(step.block, step.warp);
  const bool block_scope = is_block_scope(scope);
  Fences& fences = fences_[at];
  if (block_scope) {
    fences.block = wrapped<kFenceBits>(fences.block + 1U) & 63U;
  } else {
    fences.device = wrapped<kFenceBits>(fences.device + 1U) & 63U;
  }
  locks_[at].fence(block_scope);
}

// The block's counter goes on when the first warp passes: until then others may be before the
// barrier.
void Scord::barrier(const Step& step) {
  const std::size_t block = wrapped<kBlockBits>(step.block);
  Barrier& barrier = rounds_[block][step.object % kBarriers];
  if (step.kind == StepKind::kBarrierArrive) {
    barrier.whole = step.expected == 0 || step.expected >= launch_.block_threads();
    if (!barrier.whole) fence(step, Scope::kBlock);
    return;
  }
  if (!barrier.whole || step.round < barrier.passed) return;
  barrier.passed = step.round + 1;
  ++barriers_[block];
}

void Scord::memory(const Step& step, AccessKind kind, bool is_atomic, Lanes lanes) {
  if (lanes == 0 || step.address == nullptr || step.space == Space::kShared) return;
  const std::size_t at = slot(step.block, step.warp);
  Access access;
  access.kind = kind;
  access.is_atomic = is_atomic;
  access.strong = is_atomic || step.is_volatile;
  access.block_scope = is_atomic && is_block_scope(step.scope);
  access.block = wrapped<kBlockBits>(step.block);
  access.warp = wrapped<kWarpBits>(step.warp);
  access.barrier = barriers_[access.block];
  access.locks = locks_[at].filter();
  access.fences = fences_[at];
  // A step of a warp reaches the detector once for each unit of memory, as the coalescer sends it.
  std::uint64_t last = ~std::uint64_t{0};
  for (Lanes rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t begin = step.address[lane];
    if (is_shared(begin)) continue;
    const std::uint64_t mask = ~std::uint64_t{options_.granularity - 1};
    const std::uint64_t end = begin + (step.size == 0 ? 1 : step.size);
    for (std::uint64_t a = begin & mask; a < end; a += options_.granularity) {
      if (a == last) continue;
      last = a;
      unit(step, lane, a, access);
    }
  }
}

Scord::Place Scord::place_of(std::uint64_t address) {
  const std::uint64_t unit = pages_.physical(address) / options_.granularity;
  if (!options_.metadata_cache) return {unit, 0};
  const std::uint64_t entries = options_.device_bytes / options_.granularity / kCachedUnits;
  return {unit % entries, wrapped<kTagBits>(unit / entries)};
}

void Scord::unit(const Step& step, unsigned lane, std::uint64_t address, const Access& access) {
  const Place place = place_of(address);
  Entry& md = entries_.at(place.index);
  if (md.tag != place.tag) {  // another address was here: it is forgotten
    if (!holds(Rule::kInitialisation, md, access, {})) ++evictions_;
    md = Entry{};
    md.tag = place.tag & 15U;
  }
  const Fences& file = fences_[md.block << kWarpBits | md.warp];
  const Rule rule = decide(md, access, file);
  counts_.add(rule);
  if (options_.on_decision) options_.on_decision(address, rule);
  if (is_race(rule)) declare(step, lane, address, md, access, rule);
  md = updated(md, access, file, rule);
}

void Scord::infer_locks(const Step& step) {
  if (step.kind != StepKind::kAtomicRmw || step.address == nullptr) return;
  if (step.op != RmwOp::kCompareSwap && step.op != RmwOp::kExchange) return;
  LockTable& table = locks_[slot(step.block, step.warp)];
  const bool block_scope = is_block_scope(step.scope);
  for (Lanes rest = step.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = step.address[std::countr_zero(rest)];
    const std::uint32_t hash = lock_hash(address, block_scope, step.block);
    if (step.op == RmwOp::kCompareSwap) {
      table.take(hash, block_scope);
    } else {
      table.give_back(hash, block_scope);
    }
  }
}

void Scord::declare(const Step& step, unsigned lane, std::uint64_t address, const Entry& md,
                    const Access& access, Rule rule) {
  const bool same_block = md.block == access.block;
  const Fences& file = fences_[md.block << kWarpBits | md.warp];
  const Verdict verdict = verdict_of(rule, same_block, md.block_fence != file.block);
  GpuRace race;
  race.kind = verdict.kind;
  race.enough = verdict.enough;
  race.wide_enough = same_block ? Scope::kBlock : Scope::kDevice;
  race.address = address;
  race.size = options_.granularity;
  race.first.launch = race.second.launch = launch_.id;
  race.first.block = md.block;
  race.first.thread = static_cast<std::uint32_t>(md.warp) * kWarp;
  race.first.kind = md.is_atomic  ? EventKind::kAtomicRmw
                    : md.modified ? EventKind::kWrite
                                  : EventKind::kRead;
  race.first.scope = md.is_atomic && md.block_scope ? Scope::kBlock : Scope::kDevice;
  race.first.locked = md.locks != 0;
  race.second.block = step.block;
  race.second.thread = step.warp * kWarp + lane;
  race.second.site = step.site;
  race.second.kind = access.is_atomic                    ? EventKind::kAtomicRmw
                     : access.kind == AccessKind::kStore ? EventKind::kWrite
                                                         : EventKind::kRead;
  race.second.order = step.order;
  race.second.scope = step.scope;
  race.second.is_volatile = step.is_volatile;
  race.second.locked = access.locks != 0;
  race.second.size = step.size;
  races_.put(race);
}

// Memory that a kernel allocates has no past. (Between launches all entries are new anyway.)
void Scord::host(const HostStep& step) {
  if (!running_ || (step.kind != HostKind::kAlloc && step.kind != HostKind::kFree)) return;
  const std::uint64_t mask = ~std::uint64_t{options_.granularity - 1};
  const std::uint64_t end = step.address + step.size;
  for (std::uint64_t a = step.address & mask; a < end; a += options_.granularity) {
    const Place place = place_of(a);
    Entry& md = entries_.at(place.index);
    if (md.tag == place.tag) md = Entry{};
  }
}

std::vector<Counter> Scord::stats() const {
  std::vector<Counter> out{{"steps", static_cast<double>(steps_), ""}};
  counts_.put(kRules, out);
  out.push_back({"entries evicted", static_cast<double>(evictions_), ""});
  out.push_back({"races", static_cast<double>(races_.size()), ""});
  out.push_back({"metadata", static_cast<double>(metadata_bytes()), "bytes"});
  return out;
}

}  // namespace redflag::gpu::scord
