// Model, part four: from two unordered accesses to a race with its class. Included by model.h only.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "core/detect/gpu/model.h"

namespace redflag::gpu {

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash * 0x9E3779B97F4A7C15ULL ^ value) * 0xD6E8FEB86659FD93ULL;
  return hash ^ hash >> 32;
}

template <typename C, typename S>
GpuSide Model<C, S>::side(const Record& record, unsigned lane) const {
  GpuSide out;
  const auto past = std::find_if(launches_.begin(), launches_.end(),
                                 [&](const Past& one) { return one.number == record.launch; });
  if (past != launches_.end()) {
    out.launch = past->id;
    out.block = past->grid.block_of(record.thread);
    out.thread = past->grid.thread_of(record.thread) + lane;
  }
  out.site = SiteId{record.site};
  out.kind = record.event();
  out.order = static_cast<Order>(record.order);
  out.scope = static_cast<Scope>(record.scope);
  out.is_volatile = record.is_volatile;
  out.is_async = record.is_async;
  out.locked = record.locked;
  out.size = static_cast<std::uint8_t>(1U << record.log_size);
  return out;
}

template <typename C, typename S>
GpuSide Model<C, S>::side(const HostAccess& host) const {
  GpuSide out;
  out.site = host.step.site;
  out.kind = host.writes ? EventKind::kWrite : EventKind::kRead;
  out.host_thread = host.step.host_thread;
  out.stream = host.step.stream;
  return out;
}

template <typename C, typename S>
typename Model<C, S>::Relation Model<C, S>::relation(const Record& past, unsigned /*lane*/,
                                                     const Judge& judge) const {
  if (past.launch != number_) return Relation::kOutside;
  const ThreadIndex warp = past.thread - (grid_.is_agent(past.thread) ? grid_.agents : 0);
  if (warp == judge.at.base) return Relation::kSameWarp;
  const std::uint32_t block = grid_.block_of(past.thread);
  if (block == judge.at.block) return Relation::kSameBlock;
  return grid_.within(block, judge.at.block, Level::kCluster) ? Relation::kSameCluster
                                                              : Relation::kSameGrid;
}

template <typename C, typename S>
GpuRace* Model<C, S>::known(std::uint64_t key) {
  const auto found = keys_.find(key);
  if (found == keys_.end()) return nullptr;
  if (found->second >= races_.size()) {
    ++dropped_;
    static thread_local GpuRace ignored;
    return &ignored;
  }
  return &races_[found->second];
}

template <typename C, typename S>
void Model<C, S>::put(GpuRace race, std::uint64_t key) {
  keys_[key] = races_.size() < options_.most_races ? races_.size() : ~std::size_t{0};
  if (races_.size() >= options_.most_races) {
    ++dropped_;
    return;
  }
  races_.push_back(race);
  if (options_.on_race) options_.on_race(races_.back());
}

template <typename C, typename S>
void Model<C, S>::found(const Record& past, Lanes its, const Record& now, Lanes racing,
                        const Judge& judge, std::uint64_t address, unsigned bytes) {
  if (on_access) on_access(address, bytes);
  const auto lane = static_cast<unsigned>(std::countr_zero(racing));
  // Of several earlier lanes, one that does race with this lane.
  Lanes rest = its;
  while (std::popcount(rest) > 1 &&
         judge.unordered(past, rest & (~rest + 1), lane_bit(lane)) == 0) {
    rest &= rest - 1;
  }
  const auto past_lane = static_cast<unsigned>(std::countr_zero(rest));
  const Relation how = relation(past, past_lane, judge);
  const WarpState& warp = blocks_[judge.at.block]->warps[judge.at.warp];
  const bool parted = how == Relation::kSameWarp && warp.parted(past_lane, lane, past.time);
  std::uint64_t key = mix(past.site, now.site);
  key = mix(key, static_cast<std::uint64_t>(how) << 8 | std::uint64_t{past.kind} << 4 | now.kind);
  key = mix(key, (past.locked || now.locked ? 1U : 0U) | (parted ? 2U : 0U));
  if (GpuRace* race = known(key)) {
    ++race->count;
    return;
  }
  GpuRace race;
  race.space = is_shared(address) ? Space::kShared : Space::kGlobal;
  race.address = address;
  race.first = side(past, past_lane);
  race.second = side(now, lane);
  race.size = std::min(race.first.size, race.second.size);
  race.kind = parted ? RaceClass::kBranchOrdering : RaceClass::kIntraWarp;
  explain(race, past, past_lane, now, lane, judge, how);
  put(race, key);
}

template <typename C, typename S>
void Model<C, S>::explain(GpuRace& race, const Record& past, unsigned past_lane, const Record& now,
                          unsigned lane, const Judge& judge, Relation how) {
  if (how == Relation::kOutside) {
    race.kind = RaceClass::kHostDevice;
    race.enough = Enough::kHostSync;
    return;
  }
  race.wide_enough = how == Relation::kSameWarp || how == Relation::kSameBlock ? Scope::kBlock
                     : how == Relation::kSameCluster                           ? Scope::kCluster
                                                                               : Scope::kDevice;
  constexpr std::array<Enough, 5> kMeet{Enough::kWarpSync, Enough::kWarpSync, Enough::kBlockBarrier,
                                        Enough::kClusterBarrier, Enough::kGridOrder};
  race.enough = kMeet[static_cast<std::size_t>(how)];
  if (past.is_async || now.is_async) {
    race.kind = RaceClass::kAsyncCopy;
    if (past.is_async) race.enough = Enough::kWaitForCopy;
    return;
  }
  if (past.strong && now.strong && past.log_size == now.log_size) {
    race.kind = RaceClass::kScopedAtomic;
    race.enough = Enough::kWiderAtomic;
    return;
  }
  Enough helps = worlds_.would_order(judge.at, lane, past.thread + past_lane, past.time,
                                     past.is_volatile && now.is_volatile);
  // Where an atomic meets a plain access, the atomic may itself be the signal: no fence helps that.
  if (past.strong != now.strong && helps != Enough::kWiderFence && helps != Enough::kWiderAtomic) {
    helps = Enough::kNothingKnown;
  }
  race.needs_acquire = helps == Enough::kAcquireFence && options_.strictness == Strictness::kPtx;
  const bool locked = past.locked || now.locked;
  if (helps != Enough::kNothingKnown) {
    race.enough = helps;
  } else if (locked && past.locked != now.locked) {
    race.enough = Enough::kSameLock;
  } else if (past.strong != now.strong) {
    race.enough = Enough::kAtomicAccess;
  }
  if (locked) {
    race.kind = RaceClass::kLock;
  } else if (helps == Enough::kWiderFence) {
    race.kind = RaceClass::kScopedFence;
  } else if (helps == Enough::kWiderAtomic) {
    race.kind = RaceClass::kScopedAtomic;
  } else if (helps != Enough::kNothingKnown) {
    race.kind = RaceClass::kMissingFence;
  } else if (how == Relation::kSameBlock) {
    race.kind = RaceClass::kIntraBlock;
  } else if (how == Relation::kSameCluster) {
    race.kind = RaceClass::kInterBlock;
  } else if (how == Relation::kSameGrid) {
    race.kind = grid_.cluster.count() > 1 ? RaceClass::kInterCluster : RaceClass::kInterBlock;
  }
}

template <typename C, typename S>
void Model<C, S>::same_instruction(const WarpAt& /*at*/, const Step& step, const Record& record,
                                   std::uint64_t address, unsigned a, unsigned b) {
  const bool same_value = step.value != nullptr && step.value[a] == step.value[b];
  if (same_value && options_.filter_same_value) return;
  if (on_access) on_access(address, step.size);
  const std::uint64_t key = mix(mix(record.site, record.site), 0x5A3E + (same_value ? 1U : 0U));
  if (GpuRace* race = known(key)) {
    ++race->count;
    return;
  }
  GpuRace race;
  race.kind = RaceClass::kIntraWarp;
  race.enough = Enough::kAtomicAccess;
  race.same_value = same_value;
  race.space = is_shared(address) ? Space::kShared : Space::kGlobal;
  race.address = address;
  race.size = step.size;
  race.first = side(record, a);
  race.second = side(record, b);
  put(race, key);
}

template <typename C, typename S>
void Model<C, S>::divergence(const WarpAt& /*at*/, std::uint32_t object, const GpuSide& arrived,
                             const GpuSide& elsewhere) {
  std::uint64_t key = mix(raw(arrived.site), raw(elsewhere.site));
  key = mix(key, 0xBA22 + object);
  if (GpuRace* race = known(key)) {
    ++race->count;
    return;
  }
  GpuRace race;
  race.kind = RaceClass::kBarrierDivergence;
  race.enough = Enough::kWholeWarp;
  race.space = Space::kShared;
  race.barrier = object;
  race.first = arrived;
  race.second = elsewhere;
  put(race, key);
}

template <typename C, typename S>
void Model<C, S>::host_race(const Record& device, Lanes lanes, const HostAccess& host,
                            bool host_first, std::uint64_t address, unsigned bytes) {
  if (on_access) on_access(address, bytes);
  std::uint64_t key = mix(device.site, raw(host.step.site));
  key = mix(key, 0x4057U + (host_first ? 1U : 0U) + (host.writes ? 2U : 0U) + device.kind * 4U);
  if (GpuRace* race = known(key)) {
    ++race->count;
    return;
  }
  GpuRace race;
  race.kind = RaceClass::kHostDevice;
  race.enough = Enough::kHostSync;
  race.address = address;
  race.size = 1U << device.log_size;
  race.first = side(device, static_cast<unsigned>(std::countr_zero(lanes)));
  race.second = side(host);
  if (host_first) std::swap(race.first, race.second);
  put(race, key);
}

// Two operations of the host: copies in two streams, or a copy and the host itself.
template <typename C, typename S>
void Model<C, S>::host_pair(const HostAccess& first, const HostAccess& second) {
  const std::uint64_t key = mix(mix(raw(first.step.site), raw(second.step.site)), 0x4055);
  if (GpuRace* race = known(key)) {
    ++race->count;
    return;
  }
  GpuRace race;
  race.kind = RaceClass::kHostDevice;
  race.enough = Enough::kHostSync;
  race.address = std::max(first.step.address, second.step.address);
  race.size = static_cast<std::uint32_t>(
      std::min(first.step.address + first.step.size, second.step.address + second.step.size) -
      race.address);
  race.first = side(first);
  race.second = side(second);
  put(race, key);
}

template <typename C, typename S>
std::size_t Model<C, S>::bytes() const {
  std::size_t sum = shadow_.bytes() + worlds_.bytes() + blocks_.capacity() * 8;
  for (const auto& state : blocks_) {
    if (!state) continue;
    sum += sizeof(BlockState) + state->warps.capacity() * sizeof(WarpState);
  }
  return sum;
}

}  // namespace redflag::gpu
