// Ordering, part two: what each deed does. Included by ordering.h only.
#pragma once

#include <bit>

#include "core/detect/gpu/ordering.h"

namespace redflag::gpu {

template <typename C, template <typename> class L>
void Ordering<C, L>::take_over(const Ordering& other) {
  grid_ = other.grid_;
  clocks = other.clocks;
  locations_ = other.locations_;
  meetings_ = other.meetings_;
  blocks_.clear();
  blocks_.resize(other.blocks_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (!other.blocks_[i]) continue;
    blocks_[i] = std::make_unique<std::vector<WarpSync>>(*other.blocks_[i]);
  }
}

template <typename C, template <typename> class L>
void Ordering<C, L>::does(const Deed& deed) {
  const WarpAt at = grid_.warp(deed.block, deed.warp);
  switch (deed.kind) {
    case DeedKind::kTogether:
      return together(at, deed);
    case DeedKind::kSyncWarp:
      clocks.sync_warp(at, deed.lanes, deed.now);
      return share(at, deed.lanes);
    case DeedKind::kSyncBlock:
      return sync_block(deed);
    case DeedKind::kFence:
      return fence(at, deed);
    case DeedKind::kObserve:
      observe(at, deed);
      return;
    case DeedKind::kModify:
      return publish(at, deed, observe(at, deed));
    case DeedKind::kPublish:
      return publish(at, deed, false);
    case DeedKind::kOverwrite:
      locations_.erase(deed.object);
      return;
    case DeedKind::kArrive:
    case DeedKind::kArriveRelaxed:
      return arrive(at, deed);
    case DeedKind::kPass:
      return pass(at, deed);
    case DeedKind::kForget:
      meetings_.erase(deed.meeting());
      return;
    case DeedKind::kCopyKnown:
      clocks.learn(at, deed.lanes, Clock::of(at.base + grid_.agents, deed.lanes, deed.now));
      return;
    case DeedKind::kCopyArrive:
      meetings_[deed.meeting()].clock.join(Clock::of(at.base + grid_.agents, deed.lanes, deed.now));
      return;
    case DeedKind::kBlockEnds:
      clocks.drop_block(deed.block);
      blocks_[deed.block].reset();
      return;
  }
}

template <typename C, template <typename> class L>
void Ordering<C, L>::fence(const WarpAt& at, const Deed& deed) {
  const Level level = world_.wide_fences ? Level::kDevice : deed.level;
  const Lanes lanes = deed.lanes;
  WarpSync& warp = make_sync(at);
  // A wider fence, later, may still learn more; after the widest there is no more.
  const bool widest = level == Level::kDevice;
  for (Pending& pending : warp.pending) {
    if ((pending.lanes & lanes) == 0) continue;
    clocks.learn(at, pending.lanes & lanes, pending.by_level[index(level)]);
    rules.acquires(level);
    if (widest) pending.lanes &= ~lanes;
  }
  std::erase_if(warp.pending, [](const Pending& p) { return p.lanes == 0; });
  for (Carried& carried : warp.carried) {
    if ((carried.lanes & lanes) == 0) continue;
    clocks.learn(at, carried.lanes & lanes, carried.pending[index(level)]);
    if (widest) carried.lanes &= ~lanes;  // the fence publishes all that they bring, and more
  }
  std::erase_if(warp.carried, [](const Carried& c) { return c.lanes == 0; });
  // An older mark of no wider scope is outdone.
  for (Mark& mark : warp.marks) {
    if (mark.level <= level) mark.lanes &= ~lanes;
  }
  std::erase_if(warp.marks, [](const Mark& m) { return m.lanes == 0; });
  const bool travels = world_.any_fence_travels || deed.order == Order::kSeqCst;
  clocks.groups(at, lanes, [&](Lanes some, const Known& known) {
    warp.marks.push_back({some, level, travels, deed.now, known});
  });
}

// A strong read of one lane: what it observes is learnt now, or at the next fence.
template <typename C, template <typename> class L>
bool Ordering<C, L>::observe(const WarpAt& at, const Deed& deed) {
  const auto found = locations_.find(deed.object);
  if (found == locations_.end()) return false;
  const Level level = world_.wide_atomics ? Level::kDevice : deed.level;
  const bool implied = world_.implied_acquire && (!deed.is_volatile || world_.implied_volatile);
  const bool now = is_acquire(deed.order) || implied ||
                   (world_.atomics_acquire && !deed.is_compare_swap && !deed.is_reduction);
  const ByLevel by_level = found->second.observed(grid_, at.block, level, now);
  if (now) {
    clocks.learn(at, deed.lanes, by_level[index(level)]);
    rules.acquires(level);
    return true;
  }
  if (by_level[index(Level::kDevice)].empty()) return false;
  std::vector<Pending>& all = make_sync(at).pending;
  for (Pending& pending : all) {
    if (pending.lanes != deed.lanes) continue;
    for (std::size_t i = 0; i < by_level.size(); ++i) pending.by_level[i].join(by_level[i]);
    return false;
  }
  all.push_back({deed.lanes, by_level});
  return false;
}

template <typename C, template <typename> class L>
void Ordering<C, L>::publish(const WarpAt& at, const Deed& deed, bool acquired) {
  const Level level = world_.wide_atomics ? Level::kDevice : deed.level;
  const WarpSync* sync = sync_of(at);
  const bool marked = sync != nullptr && (!sync->marks.empty() || !sync->carried.empty());
  const bool implied = world_.implied_release && (!deed.is_volatile || world_.implied_volatile);
  const bool releases = is_release(deed.order) || implied;
  auto found = locations_.find(deed.object);
  if (found == locations_.end()) {
    if (!marked && !releases) return;
    found = locations_.try_emplace(deed.object).first;
  }
  At& location = found->second;
  if (deed.kind != DeedKind::kModify || !location.links(grid_, at.block, level)) location = {};
  location.written(at.block, level);
  if (marked) {
    for (const Mark& mark : sync->marks) {
      const Lanes some = mark.lanes & deed.lanes;
      if (some == 0) continue;
      location.add(at.block, mark.level, clocks.publish(mark.known, at, some, mark.time));
      rules.releases(mark.level, acquired);
    }
    for (const Carried& carried : sync->carried) {
      if ((carried.lanes & deed.lanes) == 0) continue;
      for (const Level fence : kLevels) {
        const Clock& clock = carried.published[index(fence)];
        if (clock.empty()) continue;
        location.add(at.block, fence, clock);
        rules.releases(fence, acquired);
      }
    }
  }
  if (releases) {
    const auto lane = static_cast<unsigned>(std::countr_zero(deed.lanes));
    location.add(at.block, level, clocks.publish(clocks.known(at, lane), at, deed.lanes, deed.now));
    rules.releases(level, acquired);
  }
  if (location.empty()) locations_.erase(found);
}

template <typename C, template <typename> class L>
bool Ordering<C, L>::collect(const WarpAt& at, Lanes lanes, Carried& to) const {
  const WarpSync* sync = sync_of(at);
  if (sync == nullptr || sync->empty()) return false;
  bool any = false;
  const auto join = [](ByLevel& into, const ByLevel& from) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i].join(from[i]);
  };
  for (const Mark& mark : sync->marks) {
    const Lanes some = mark.lanes & lanes;
    if (some == 0 || !mark.travels) continue;
    to.published[index(mark.level)].join(clocks.publish(mark.known, at, some, mark.time));
    any = true;
  }
  for (const Pending& pending : sync->pending) {
    if ((pending.lanes & lanes) == 0) continue;
    join(to.pending, pending.by_level);
    any = true;
  }
  for (const Carried& carried : sync->carried) {
    if ((carried.lanes & lanes) == 0) continue;
    join(to.published, carried.published);
    join(to.pending, carried.pending);
    any = true;
  }
  return any;
}

template <typename C, template <typename> class L>
void Ordering<C, L>::hand_out(const WarpAt& at, Lanes lanes, const Carried& from) {
  WarpSync& sync = make_sync(at);
  for (Carried& carried : sync.carried) {
    if (carried.lanes != lanes) continue;
    for (std::size_t i = 0; i < kLevels.size(); ++i) {
      carried.published[i].join(from.published[i]);
      carried.pending[i].join(from.pending[i]);
    }
    return;
  }
  sync.carried.push_back(from);
  sync.carried.back().lanes = lanes;
}

template <typename C, template <typename> class L>
void Ordering<C, L>::share(const WarpAt& at, Lanes lanes) {
  Carried all;
  if (!collect(at, lanes, all)) return;
  // What each lane had by itself is in `all`, but for marks that do not travel.
  WarpSync& sync = make_sync(at);
  for (Mark& mark : sync.marks) {
    if (mark.travels) mark.lanes &= ~lanes;
  }
  for (Pending& pending : sync.pending) pending.lanes &= ~lanes;
  for (Carried& carried : sync.carried) carried.lanes &= ~lanes;
  std::erase_if(sync.marks, [](const Mark& m) { return m.lanes == 0; });
  std::erase_if(sync.pending, [](const Pending& p) { return p.lanes == 0; });
  std::erase_if(sync.carried, [](const Carried& c) { return c.lanes == 0; });
  all.lanes = lanes;
  sync.carried.push_back(std::move(all));
}

template <typename C, template <typename> class L>
void Ordering<C, L>::sync_block(const Deed& deed) {
  clocks.sync_block(deed.block, deed.now);
  if (!blocks_[deed.block]) return;
  Carried all;
  bool any = false;
  for (std::uint32_t w = 0; w < grid_.block_warps; ++w) {
    any |= collect(grid_.warp(deed.block, w), grid_.lanes(w), all);
  }
  if (!any) return;
  for (std::uint32_t w = 0; w < grid_.block_warps; ++w) {
    // All that the warp had is in `all`, but for marks that do not travel.
    WarpSync& sync = (*blocks_[deed.block])[w];
    std::erase_if(sync.marks, [](const Mark& mark) { return mark.travels; });
    sync.pending.clear();
    sync.carried.assign(1, all);
    sync.carried[0].lanes = grid_.lanes(w);
  }
}

// Called for every instruction that accesses memory: mostly all lanes have had the same fences.
template <typename C, template <typename> class L>
void Ordering<C, L>::together(const WarpAt& at, const Deed& deed) {
  clocks.together(at, deed.lanes, deed.now);
  const WarpSync* sync = sync_of(at);
  if (sync == nullptr || sync->empty()) return;
  const auto some_only = [&](Lanes lanes) {
    return (lanes & deed.lanes) != 0 && (deed.lanes & ~lanes) != 0;
  };
  bool differ = false;
  for (const Mark& mark : sync->marks) differ |= mark.travels && some_only(mark.lanes);
  for (const Carried& carried : sync->carried) differ |= some_only(carried.lanes);
  if (differ) share(at, deed.lanes);
}

template <typename C, template <typename> class L>
void Ordering<C, L>::arrive(const WarpAt& at, const Deed& deed) {
  if (deed.kind == DeedKind::kArrive) {
    Met& met = meetings_[deed.meeting()];
    met.clock.join(clocks.publish(at, deed.lanes, deed.now));
    if (collect(at, deed.lanes, met.carried)) met.carried.lanes = deed.lanes;
    return;
  }
  const WarpSync* sync = sync_of(at);
  if (sync == nullptr) return;
  Clock& clock = meetings_[deed.meeting()].clock;
  for (const Mark& mark : sync->marks) {
    const Lanes some = mark.lanes & deed.lanes;
    if (some != 0) clock.join(clocks.publish(mark.known, at, some, mark.time));
  }
}

template <typename C, template <typename> class L>
void Ordering<C, L>::pass(const WarpAt& at, const Deed& deed) {
  const auto found = meetings_.find(deed.meeting());
  if (found == meetings_.end()) return;
  clocks.learn(at, deed.lanes, found->second.clock);
  if (found->second.carried.lanes != 0) hand_out(at, deed.lanes, found->second.carried);
}

}  // namespace redflag::gpu
