#include "core/detect/gpu/iguard/iguard.h"

#include <algorithm>
#include <bit>

#include "core/base/check.h"

namespace redflag::gpu::iguard {
namespace {

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

Iguard::Iguard(const Options& options)
    : EntryDetector(options, options.device_bytes / options.granularity),
      accessors_(options.history),
      coalesce_(options.coalesce),
      histories_(memory_),
      fences_(memory_),
      warp_barriers_(memory_),
      block_barriers_(memory_),
      rounds_(memory_),
      warp_locks_(memory_),
      thread_locks_(memory_) {
  REDFLAG_CHECK(accessors_ >= 1 && accessors_ <= kMostHistory);
}

void Iguard::launch_begins(const Launch& launch) {
  begin(launch);
  block_warps_ = launch.block_warps();
  histories_.restart();
  const std::uint64_t all = launch.grid.count() * block_warps_;
  const auto warps = static_cast<std::size_t>(std::min(all, std::uint64_t{1} << kWarpBits));
  fences_.assign(warps << kLaneBits, {});
  warp_barriers_.assign(warps, 0);
  block_barriers_.assign(static_cast<std::size_t>(launch.grid.count()), 0);
  rounds_.clear();
  warp_locks_.assign(warps, {});
  thread_locks_.clear();
}

void Iguard::acquired(const Step& step, Scope scope) {
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
  acquired(step, scope);
}

void Iguard::memory(const Step& step, bool store, bool is_atomic, Lanes lanes) {
  if (lanes == 0 || step.address == nullptr || step.space == Space::kShared) return;
  Access access;
  access.kind = store ? AccessKind::kStore : AccessKind::kLoad;
  access.is_atomic = is_atomic;
  access.block_scope = is_atomic && is_block_scope(step.scope);
  access.warp = warp_of(step);
  access.block_warps = block_warps_;
  access.counters.block_barrier = block_barriers_[step.block];
  access.counters.warp_barrier = wrapped<kWarpBarrierBits>(warp_barriers_[access.warp]);
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  if (coalesce_ && (!store || is_atomic)) {
    bool same = true;
    for (Lanes rest = lanes; rest != 0 && same; rest &= rest - 1) {
      same = step.address[std::countr_zero(rest)] == step.address[first];
    }
    if (same && !std::has_single_bit(lanes)) {
      coalesced_ += static_cast<unsigned>(std::popcount(lanes)) - 1;
      lanes = Lanes{1} << first;
    }
  }
  for (Lanes rest = lanes; rest != 0; rest &= rest - 1) {
    access.lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    access.active = step.converged | Lanes{1} << access.lane;
    const Fences& fences = fences_[thread_of(access.warp, access.lane)];
    access.counters.device_fence = wrapped<kFenceBits>(fences.device);
    access.counters.block_fence = wrapped<kFenceBits>(fences.block);
    access.locks = table_of(access.warp, access.lane).filter();
    each_unit(step, access.lane, [&](std::uint64_t address) { unit(step, address, access); });
  }
}

void Iguard::unit(const Step& step, std::uint64_t address, const Access& access) {
  const Place place = place_of(address);
  Entry& mm = entries_.at(place.index);
  if (const std::uint32_t tag = wrapped<kTagBits>(place.tag); mm.accessor.tag != tag) {
    mm = Entry{};
    mm.accessor.tag = tag & ((1U << kTagBits) - 1);
  }
  const Counters sm = fences_of(compared(mm, access));
  Rule rule = decide(mm, access, sm);
  if (is_race(rule)) declare(step, address, mm, access, sm, rule);
  if (accessors_ > 1) rule = older(step, address, place.index, mm, access, rule);
  decided(address, rule);
  mm = updated(mm, access, fences_of(last_accessor(mm)), rule);
}

// Asks those before the last accessor, too, and keeps that one with them. The rule that decides.
Rule Iguard::older(const Step& step, std::uint64_t address, std::uint64_t index, const Entry& mm,
                   const Access& access, Rule rule) {
  History& history = histories_.at(index);
  if (rule == Rule::kFirstAccess) history = {};
  for (unsigned i = 0; i + 1 < accessors_ && !is_race(rule); ++i) {
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
  return rule;
}

// Several lanes that take locks together have one each: from then on every thread has its own
// table.
void Iguard::infer_locks(const Step& step) {
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
  const bool store = access.kind == AccessKind::kStore;
  GpuRace race = race_at(step, access.lane, address, store, access.is_atomic, access.locks != 0);
  race.kind = verdict.kind;
  race.enough = verdict.enough;
  race.wide_enough = same_block ? Scope::kBlock : Scope::kDevice;
  race.first.block = md.warp / block_warps_;
  race.first.thread = md.warp % block_warps_ * kWarp + md.lane;
  race.first.kind = event_of(!store || past_of(mm).writes != 0, mm.writer.is_atomic != 0);
  race.first.scope = mm.writer.is_atomic && mm.writer.block_scope ? Scope::kBlock : Scope::kDevice;
  race.first.locked = mm.locks() != 0;
  races_.put(race);
}

void Iguard::forget(std::uint64_t address) {
  Entry& mm = entries_.at(place_of(address).index);
  if (mm.writer.valid) mm = Entry{};
}

std::size_t Iguard::metadata_bytes() const {
  return entries_.bytes() + (accessors_ > 1 ? histories_.bytes() : 0) +
         fences_.capacity() * sizeof(Fences) + warp_barriers_.capacity() +
         block_barriers_.capacity() + rounds_.size() * (sizeof(CountedBarrier) + 24) +
         (warp_locks_.capacity() + thread_locks_.capacity()) * sizeof(LockTable);
}

void Iguard::own_stats(std::vector<Counter>& out) const {
  out.push_back({"checks coalesced", static_cast<double>(coalesced_), ""});
}

}  // namespace redflag::gpu::iguard
