// For tests: random GPU programs as steps, from a seed.
//
// A few blocks of one to three warps, some in clusters, make accesses, scoped atomics, fences, warp
// syncs, barriers, copies and branches; several launches in a few streams, with host operations
// between. Biased towards order, so that many programs are free of races: a thread often publishes by
// the flag that another then reads. Small memory, so that threads meet. Style::kPapers adds what ScoRD and
// iGUARD know: critical sections, and data handed over behind fences, volatile or not.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/detect/gpu/grid.h"
#include "core/detect/gpu/step_list.h"
#include "core/model/event.h"
#include "core/model/gpu.h"

namespace redflag::gpu {

class RandomProgram : public StepList {
 public:
  enum class Style { kAll, kPapers };

  explicit RandomProgram(std::vector<Item> items) : StepList(std::move(items)) {}
  explicit RandomProgram(std::uint64_t seed, Style style = Style::kAll)
      : random_(seed), style_(style) {
    calm_ = pick(4) != 0;
    const unsigned launches = 1 + (pick(4) == 0 ? pick(3) : 0);
    for (unsigned i = 0; i < launches; ++i) kernel(i);
  }

 private:
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  // Lanes that have ended do nothing more.
  void emit(Item item) {
    if (item.what == What::kStep && item.step.kind != StepKind::kExit) {
      for (const auto& [block, warp, lanes] : gone_) {
        if (block != item.step.block || warp != item.step.warp) continue;
        item.step.lanes &= ~lanes;
        item.step.converged &= ~lanes;
        item.step.wrote &= ~lanes;
        item.step.other &= ~lanes;
      }
      if (item.step.lanes == 0) return;
    }
    items_.push_back(std::move(item));
  }

  void kernel(unsigned number) {
    if (number > 0) between();
    launch_ = {};
    launch_.id = LaunchId{number + 1};
    launch_.cluster.x = pick(3) == 0 ? 2 : 1;
    launch_.grid.x = launch_.cluster.x * (1 + pick(3));
    const std::array<std::uint32_t, 5> sizes{32, 64, 40, 96, 4};
    launch_.block.x = sizes[pick(5)];
    launch_.shared_bytes = 256;
    launch_.stream = StreamId{number == 0 ? 0 : pick(3)};
    grid_ = Grid(launch_);
    rounds_.assign(grid_.blocks, {});
    cluster_round_ = 0;
    Item begin;
    begin.what = What::kBegin;
    begin.launch = launch_;
    emit(begin);
    const unsigned steps = 5 + pick(40);
    for (unsigned i = 0; i < steps; ++i) something();
    // Some warps end before others: barriers go on without them, and what they did stays.
    if (pick(3) == 0) {
      Item exit = by(StepKind::kExit);
      if (pick(2) == 0) exit.step.lanes = grid_.lanes(exit.step.warp);
      gone_.emplace_back(exit.step.block, exit.step.warp, exit.step.lanes);
      emit(exit);
      for (unsigned i = 0; i < steps / 2; ++i) something();
      gone_.clear();
    }
    Item end;
    end.what = What::kEnd;
    end.launch = launch_;
    emit(end);
  }

  void between() {
    Item item;
    item.what = What::kHost;
    const std::array<HostKind, 7> kinds{
        HostKind::kSyncDevice,  HostKind::kSyncStream, HostKind::kHostRead, HostKind::kWrite,
        HostKind::kRecordEvent, HostKind::kStreamWait, HostKind::kRead};
    for (unsigned i = 0; i < pick(4); ++i) {
      item.host.kind = kinds[pick(7)];
      item.host.stream = StreamId{pick(3)};
      item.host.event = HostEventId{1};
      item.host.address = kMemory;
      item.host.size = 4 + 4 * pick(8);
      item.host.waits = pick(2) == 0;
      emit(item);
    }
  }

  // A warp, and some of its lanes: all, one, or any.
  Item by(StepKind kind) {
    Item item;
    item.step.kind = kind;
    item.step.block = pick(grid_.blocks);
    item.step.warp = pick(grid_.block_warps);
    const Lanes all = grid_.lanes(item.step.warp);
    Lanes lanes = all;
    if (pick(3) == 0) {
      lanes = Lanes{1} << pick(static_cast<std::uint32_t>(std::popcount(all)));
    } else if (pick(3) == 0) {
      lanes = all & static_cast<Lanes>(random_());
    }
    item.step.lanes = item.step.converged = lanes == 0 ? 1 : lanes;
    item.step.site = SiteId{static_cast<std::uint32_t>(items_.size()) + 1};
    item.step.size = 4;
    return item;
  }

  Scope scope() {
    const std::array<Scope, 4> all{Scope::kBlock, Scope::kCluster, Scope::kDevice, Scope::kSystem};
    return all[pick(4)];
  }

  void aim(Item& item) {
    const bool shared = pick(4) == 0;
    const unsigned size = pick(6) == 0 ? 1U << pick(4) : 4;
    item.step.size = static_cast<std::uint8_t>(size);
    item.step.space = shared ? Space::kShared : Space::kGlobal;
    const std::uint64_t block =
        pick(5) == 0 && launch_.cluster.x > 1 ? item.step.block / 2 * 2 + pick(2) : item.step.block;
    // In calm programs most accesses are of the warp's own memory.
    const bool own = calm_ && pick(10) != 0;
    const std::uint64_t base = shared ? shared_address(block, own ? item.step.warp * 64 : 0)
                               : own
                                   ? kMemory + 0x1000 + (item.step.block * 4 + item.step.warp) * 512
                                   : kMemory;
    const unsigned pattern = pick(3);
    for (unsigned i = 0; i < kWarp; ++i) {
      const std::uint64_t offset = pattern == 0 ? 0 : pattern == 1 ? i : pick(8);
      item.address[i] = base + offset * size;
      item.value[i] = pick(2);
    }
    if (shared) {
      for (unsigned i = 0; i < kWarp; ++i) item.address[i] = base + (item.address[i] - base) % 64;
    }
  }

  void something() {
    if (style_ == Style::kPapers && pick(4) == 0) {
      const std::uint32_t which = pick(10);
      if (which >= 8) return pick(2) == 0 ? tile() : warp_tile();
      return which == 0   ? neighbours()
             : which == 1 ? copied()
             : which < 5  ? critical()
                          : handover();
    }
    switch (pick(calm_ ? 16 : 12)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        Item item = by(pick(2) == 0 ? StepKind::kRead : StepKind::kWrite);
        aim(item);
        item.step.is_volatile = pick(6) == 0;
        emit(item);
        break;
      }
      case 4:
      case 5:
        emit(atomic());
        break;
      case 6: {
        Item item = by(StepKind::kFence);
        item.step.scope = scope();
        item.step.order = Order::kAcqRel;
        emit(item);
        break;
      }
      case 7:
        emit(by(StepKind::kWarpSync));
        break;
      case 8:
        copy();
        break;
      case 9:
        if (pick(2) == 0) {
          cluster();
        } else {
          barrier_object();
        }
        break;
      case 10: {
        Item item = by(StepKind::kBranch);
        item.step.other = grid_.lanes(item.step.warp) & ~item.step.lanes;
        if (item.step.other != 0) emit(item);
        break;
      }
      default:
        barrier();
    }
  }

  // random_patterns.h
  Item one_lane(StepKind kind, const Item& as);
  void emit_rmw(const Item& as, RmwOp op, std::uint64_t address, Scope how_far);
  void emit_fence(const Item& as, Scope how_far);
  void emit_access(const Item& as, StepKind kind, std::uint64_t address, bool is_volatile);
  Item some_lane();
  Scope mostly_device() { return pick(5) == 0 ? Scope::kBlock : Scope::kDevice; }
  void critical();
  void handover();
  void tile();
  void warp_tile();
  void neighbours();
  void copied();

  Item atomic() {
    const std::array<StepKind, 3> kinds{StepKind::kAtomicLoad, StepKind::kAtomicStore,
                                        StepKind::kAtomicRmw};
    const std::array<Order, 4> orders{Order::kRelaxed, Order::kAcquire, Order::kRelease,
                                      Order::kAcqRel};
    Item item = by(kinds[pick(3)]);
    item.step.scope = calm_ && pick(4) != 0 ? Scope::kDevice : scope();
    item.step.order = orders[pick(4)];
    item.step.wrote =
        item.step.kind == StepKind::kAtomicRmw ? item.step.lanes & ~(pick(4) == 0 ? 1U : 0U) : 0;
    item.step.op = static_cast<RmwOp>(pick(4));
    const std::uint64_t flag = kFlags + std::uint64_t{4} * pick(3);
    item.address.fill(flag);
    if (pick(4) == 0) {
      for (unsigned i = 0; i < kWarp; ++i) item.address[i] = kFlags + std::uint64_t{4} * (i % 3);
    }
    item.value.fill(pick(2));
    return item;
  }

  void copy() {
    Item item = by(StepKind::kAsyncCopy);
    for (unsigned i = 0; i < kWarp; ++i) {
      item.address[i] = shared_address(item.step.block, item.step.warp * 64 + 4 * (i % 16));
      item.source[i] = kMemory + 0x800 + std::uint64_t{4} * i;
    }
    // Two lanes of one instruction would write the same bytes: that is not the matter here.
    item.step.lanes &= 0xFFFF;
    item.step.converged = item.step.lanes;
    if (item.step.lanes == 0) return;
    emit(item);
    const unsigned what = pick(4);
    Item next = item;
    if (what >= 1) {
      next.step.kind = StepKind::kAsyncCommit;
      emit(next);
    }
    if (what >= 2) {
      next.step.kind = StepKind::kAsyncWait;
      next.step.object = what == 2 ? ~0U : pick(2);
      emit(next);
    }
  }

  void cluster() {
    const unsigned of = launch_.cluster.x;
    const unsigned first = pick(grid_.blocks) / of * of;
    const Order order = pick(4) == 0 ? Order::kRelaxed : Order::kRelease;
    for (const StepKind kind : {StepKind::kClusterArrive, StepKind::kClusterPass}) {
      for (unsigned b = first; b < first + of; ++b) {
        for (std::uint32_t w = 0; w < grid_.block_warps; ++w) {
          Item item = by(kind);
          item.step.block = b;
          item.step.warp = w;
          item.step.lanes = item.step.converged = grid_.lanes(w);
          item.step.order = order;
          item.step.round = cluster_round_;
          emit(item);
        }
      }
    }
    ++cluster_round_;
  }

  // One warp arrives at an mbarrier, or its copies do; another finds the phase complete.
  void barrier_object() {
    const bool by_copies = pick(3) == 0;
    Item item = by(by_copies ? StepKind::kAsyncArrive : StepKind::kMbarrierArrive);
    const std::uint64_t object = shared_address(item.step.block, 128 + 8 * pick(2));
    item.address.fill(object);
    item.step.scope = pick(2) == 0 ? Scope::kBlock : Scope::kCluster;
    item.step.order = pick(4) == 0 ? Order::kRelaxed : Order::kRelease;
    item.step.round = phase_;
    emit(item);
    Item wait = by(StepKind::kMbarrierWait);
    wait.address.fill(object);
    wait.step.block = item.step.block;
    wait.step.scope = Scope::kCluster;
    wait.step.order = pick(4) == 0 ? Order::kRelaxed : Order::kAcquire;
    wait.step.round = phase_;
    emit(wait);
    phase_ += pick(2);
  }

  // Of the whole block, or of some warps; sometimes one warp only arrives.
  void barrier() {
    const std::uint32_t b = pick(grid_.blocks);
    const bool whole = pick(3) != 0;
    const std::uint32_t object = whole ? 0 : 1;
    const std::uint32_t first = whole ? 0 : pick(grid_.block_warps);
    const std::uint32_t end =
        whole ? grid_.block_warps : first + 1 + pick(grid_.block_warps - first);
    const std::uint32_t round = rounds_[b][object]++;
    const bool one_goes_on = pick(4) == 0 && end - first > 1;
    for (const StepKind kind : {StepKind::kBarrierArrive, StepKind::kBarrierPass}) {
      for (std::uint32_t w = first; w < end; ++w) {
        Item item = by(kind);
        item.step.block = b;
        item.step.warp = w;
        item.step.lanes = item.step.converged = grid_.lanes(w);
        item.step.object = object;
        item.step.round = round;
        if (!whole) item.step.expected = (end - first) * kWarp;
        if (one_goes_on && w == first) {
          if (kind == StepKind::kBarrierPass) continue;
          emit(item);
          Item access = by(StepKind::kWrite);
          access.step.block = b;
          access.step.warp = w;
          access.step.lanes = access.step.converged = grid_.lanes(w);
          aim(access);
          emit(access);
          continue;
        }
        emit(item);
      }
    }
  }

  static constexpr std::uint64_t kMemory = 0x10000;
  static constexpr std::uint64_t kFlags = 0x30000;
  static constexpr std::uint64_t kLocks = 0x40000;
  std::mt19937_64 random_;
  Style style_ = Style::kAll;
  bool calm_ = false;
  Launch launch_;
  Grid grid_;
  std::vector<std::array<std::uint32_t, 2>> rounds_;
  std::uint32_t cluster_round_ = 0;
  std::uint32_t phase_ = 0;
  std::vector<std::tuple<std::uint64_t, std::uint32_t, Lanes>> gone_;
};

}  // namespace redflag::gpu

#include "core/detect/gpu/random_patterns.h"
