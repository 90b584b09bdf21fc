#include "core/detect/gpu/iguard/iguard.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/check.h"

namespace redflag::gpu::iguard {
namespace {

bool is_block_scope(Scope scope) {
  return scope == Scope::kBlock || scope == Scope::kWarp;
}
// Lanes of an atomic that changed memory: a compare-and-swap that failed is a load.
Lanes wrote(const Step& step) {
  if (step.kind == StepKind::kAtomicLoad) return 0;
  return step.kind == StepKind::kAtomicRmw ? step.lanes & step.wrote : step.lanes;
}
std::pmr::memory_resource* memory_of(const Options& options) {
  return options.memory != nullptr ? options.memory : std::pmr::get_default_resource();
}

struct Verdict {
  RaceClass kind;
  Enough enough;
};
// What a race is called, by its rule (table 4: AS, ITS, BR, DR, IL).
Verdict verdict_of(Rule rule, bool block_fenced) {
  switch (rule) {
    case Rule::kScopedAtomic:
      return {RaceClass::kScopedAtomic, Enough::kWiderAtomic};
    case Rule::kIntraWarp:
      return {RaceClass::kIntraWarp, Enough::kWarpSync};
    case Rule::kIntraBlock:
      return {RaceClass::kIntraBlock, Enough::kBlockBarrier};
    case Rule::kMissingLock:
      return {RaceClass::kLock, Enough::kSameLock};
    default:
      break;
  }
  if (block_fenced) return {RaceClass::kScopedFence, Enough::kWiderFence};
  return {RaceClass::kInterBlock, Enough::kGridOrder};
}

}  // namespace

Iguard::Iguard(Options options)
    : options_(std::move(options)),
      races_(options_.most_races, options_.on_race, memory_of(options_)),
      pages_(memory_of(options_)),
      entries_(memory_of(options_)),
      histories_(memory_of(options_)),
      fences_(memory_of(options_)),
      warp_barriers_(memory_of(options_)),
      block_barriers_(memory_of(options_)),
      barriers_(memory_of(options_)),
      warp_locks_(memory_of(options_)),
      thread_locks_(memory_of(options_)) {
  REDFLAG_CHECK(std::has_single_bit(options_.granularity) && options_.granularity <= 16);
  REDFLAG_CHECK(options_.history >= 1 && options_.history <= kMostHistory);
}

void Iguard::launch_begins(const Launch& launch) {
  launch_ = launch;
  running_ = true;
  block_warps_ = launch.block_warps();
  entries_.restart();
  histories_.restart();
  const std::uint64_t all = launch.grid.count() * block_warps_;
  const auto warps = static_cast<std::size_t>(std::min(all, std::uint64_t{1} << kWarpBits));
  fences_.assign(warps << kLaneBits, {});
  warp_barriers_.assign(warps, 0);
  block_barriers_.assign(static_cast<std::size_t>(launch.grid.count()), 0);
  barriers_.clear();
  warp_locks_.assign(warps, {});
  thread_locks_.clear();
}

void Iguard::step(const Step& step) {
  ++steps_;
  if (step.lanes == 0 || step.block >= block_barriers_.size() || step.warp >= block_warps_) return;
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
      if (is_acquire(step.order)) activate(step, step.scope);
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
    case StepKind::kWarpSync:
      ++warp_barriers_[warp_of(step)];
      return;
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

Counters Iguard::fences_of(const Last& last) const {
  const std::size_t thread = thread_of(last.warp, last.lane);
  if (thread >= fences_.size()) return {};
  return {wrapped<kFenceBits>(fences_[thread].device), wrapped<kFenceBits>(fences_[thread].block),
          0, 0};
}

LockTable& Iguard::table_of(std::uint32_t warp, std::uint32_t lane) {
  LockTable& table = warp_locks_[warp];
  return table.is_thread() ? thread_locks_[thread_of(warp, lane)] : table;
}

void Iguard::activate(const Step& step, Scope scope) {
  const std::uint32_t warp = warp_of(step);
  for (Lanes rest = step.lanes; rest != 0; rest &= rest - 1) {
    table_of(warp, static_cast<std::uint32_t>(std::countr_zero(rest))).fence(is_block_scope(scope));
  }
}

void Iguard::fence(const Step& step, Scope scope) {
  const std::uint32_t warp = warp_of(step);
  for (Lanes rest = step.lanes; rest != 0; rest &= rest - 1) {
    Fences& fences = fences_[thread_of(warp, static_cast<std::uint32_t>(std::countr_zero(rest)))];
    ++(is_block_scope(scope) ? fences.block : fences.device);
  }
  activate(step, scope);
}

// The block's counter goes on when the first warp passes: until then others may be before the
// barrier.
void Iguard::barrier(const Step& step) {
  Barrier& barrier = barriers_[step.block << 4 | (step.object & 15)];
  if (step.kind == StepKind::kBarrierArrive) {
    barrier.whole = step.expected == 0 || step.expected >= launch_.block_threads();
    if (!barrier.whole) fence(step, Scope::kBlock);
    return;
  }
  if (!barrier.whole || step.round < barrier.passed) return;
  barrier.passed = step.round + 1;
  ++block_barriers_[step.block];
}

void Iguard::memory(const Step& step, AccessKind kind, bool is_atomic, Lanes lanes) {
  if (lanes == 0 || step.address == nullptr || step.space == Space::kShared) return;
  Access access;
  access.kind = kind;
  access.is_atomic = is_atomic;
  access.block_scope = is_atomic && is_block_scope(step.scope);
  access.warp = warp_of(step);
  access.block_warps = block_warps_;
  access.counters.block_barrier = block_barriers_[step.block];
  access.counters.warp_barrier = wrapped<kWarpBarrierBits>(warp_barriers_[access.warp]);
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  if (options_.coalesce && (kind == AccessKind::kLoad || is_atomic)) {
    bool same = true;
    for (Lanes rest = lanes; rest != 0; rest &= rest - 1) {
      same &= step.address[std::countr_zero(rest)] == step.address[first];
    }
    if (same && !std::has_single_bit(lanes)) {
      coalesced_ += static_cast<unsigned>(std::popcount(lanes)) - 1;
      lanes = Lanes{1} << first;
    }
  }
  const std::uint64_t mask = ~std::uint64_t{options_.granularity - 1};
  for (Lanes rest = lanes; rest != 0; rest &= rest - 1) {
    access.lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t begin = step.address[access.lane];
    if (is_shared(begin)) continue;
    access.active = step.converged | Lanes{1} << access.lane;
    const Fences& fences = fences_[thread_of(access.warp, access.lane)];
    access.counters.device_fence = wrapped<kFenceBits>(fences.device);
    access.counters.block_fence = wrapped<kFenceBits>(fences.block);
    access.locks = table_of(access.warp, access.lane).filter();
    const std::uint64_t end = begin + (step.size == 0 ? 1 : step.size);
    for (std::uint64_t a = begin & mask; a < end; a += options_.granularity) unit(step, a, access);
  }
}

Iguard::Place Iguard::place_of(std::uint64_t address) {
  const std::uint64_t unit = pages_.physical(address) / options_.granularity;
  const std::uint64_t entries = options_.device_bytes / options_.granularity;
  return {unit % entries, wrapped<kTagBits>(unit / entries)};
}

void Iguard::unit(const Step& step, std::uint64_t address, const Access& access) {
  const Place place = place_of(address);
  Entry& mm = entries_.at(place.index);
  if (mm.accessor.tag != place.tag) {
    mm = Entry{};
    mm.accessor.tag = place.tag & ((1U << kTagBits) - 1);
  }
  const Counters sm = fences_of(compared(mm, access));
  Rule rule = decide(mm, access, sm);
  if (is_race(rule)) declare(step, address, mm, access, sm, rule);
  if (options_.history > 1) {
    History& history = histories_.at(place.index);
    if (rule == Rule::kFirstAccess) history = {};
    for (unsigned i = 0; i + 1 < options_.history && !is_race(rule); ++i) {
      const Past& past = history.older[i];
      if (!past.valid) break;
      const Entry then = entry_of(past, access.locks);
      const Counters counters = fences_of(compared(then, access));
      const Rule older = decide(then, access, counters);
      if (!is_race(older)) continue;
      rule = older;
      declare(step, address, then, access, counters, rule);
    }
    if (is_race(rule)) {
      history = {};
    } else if (mm.writer.valid &&
               (mm.accessor.warp != access.warp || mm.accessor.lane != access.lane)) {
      history.push(past_of(mm));
    }
  }
  counts_.add(rule);
  if (options_.on_decision) options_.on_decision(address, rule);
  mm = updated(mm, access, fences_of(last_accessor(mm)), rule);
}

// Several lanes that take locks together have one each: from then on every thread has its own
// table.
void Iguard::infer_locks(const Step& step) {
  if (step.kind != StepKind::kAtomicRmw || step.address == nullptr) return;
  if (step.op != RmwOp::kCompareSwap && step.op != RmwOp::kExchange) return;
  const std::uint32_t warp = warp_of(step);
  if (step.op == RmwOp::kCompareSwap && !std::has_single_bit(step.lanes) &&
      !warp_locks_[warp].is_thread()) {
    if (thread_locks_.empty()) thread_locks_.resize(fences_.size());
    warp_locks_[warp].set_thread();
  }
  const bool block_scope = is_block_scope(step.scope);
  for (Lanes rest = step.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t hash = lock_hash(step.address[lane], block_scope, step.block);
    LockTable& table = table_of(warp, lane);
    if (step.op == RmwOp::kCompareSwap) {
      table.take(hash, block_scope);
    } else {
      table.give_back(hash, block_scope);
    }
  }
}

void Iguard::declare(const Step& step, std::uint64_t address, const Entry& mm, const Access& access,
                     const Counters& sm, Rule rule) {
  const Last md = compared(mm, access);
  const bool block_fenced = md.counters.block_fence != sm.block_fence;
  const Verdict verdict = verdict_of(rule, block_fenced);
  const bool same_block = md.warp / block_warps_ == access.warp / block_warps_;
  GpuRace race;
  race.kind = verdict.kind;
  race.enough = verdict.enough;
  race.wide_enough = same_block ? Scope::kBlock : Scope::kDevice;
  race.address = address;
  race.size = options_.granularity;
  race.first.launch = race.second.launch = launch_.id;
  race.first.block = md.warp / block_warps_;
  race.first.thread = md.warp % block_warps_ * kWarp + md.lane;
  const bool wrote = access.kind == AccessKind::kLoad || past_of(mm).writes != 0;
  race.first.kind = mm.writer.is_atomic ? EventKind::kAtomicRmw
                    : wrote             ? EventKind::kWrite
                                        : EventKind::kRead;
  race.first.scope = mm.writer.is_atomic && mm.writer.block_scope ? Scope::kBlock : Scope::kDevice;
  race.first.locked = mm.locks() != 0;
  race.second.block = step.block;
  race.second.thread = step.warp * kWarp + access.lane;
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
void Iguard::host(const HostStep& step) {
  if (!running_ || (step.kind != HostKind::kAlloc && step.kind != HostKind::kFree)) return;
  const std::uint64_t mask = ~std::uint64_t{options_.granularity - 1};
  const std::uint64_t end = step.address + step.size;
  for (std::uint64_t a = step.address & mask; a < end; a += options_.granularity) {
    Entry& mm = entries_.at(place_of(a).index);
    if (mm.writer.valid) mm = Entry{};
  }
}

std::size_t Iguard::metadata_bytes() const {
  return entries_.bytes() + (options_.history > 1 ? histories_.bytes() : 0) +
         fences_.capacity() * sizeof(Fences) + warp_barriers_.capacity() +
         block_barriers_.capacity() + barriers_.size() * (sizeof(Barrier) + 24) +
         (warp_locks_.capacity() + thread_locks_.capacity()) * sizeof(LockTable);
}

std::vector<Counter> Iguard::stats() const {
  std::vector<Counter> out{{"steps", static_cast<double>(steps_), ""}};
  counts_.put(kRules, out);
  out.push_back({"checks coalesced", static_cast<double>(coalesced_), ""});
  out.push_back({"races", static_cast<double>(races_.size()), ""});
  out.push_back({"metadata", static_cast<double>(metadata_bytes()), "bytes"});
  return out;
}

}  // namespace redflag::gpu::iguard
