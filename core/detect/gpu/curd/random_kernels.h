// For tests: random kernels of the kind that CURD takes, as steps, from a seed.
//
// Blocks of one to three warps, perhaps not whole ones, access shared and global memory between
// barriers: with strides, one address for all, scattered, by all lanes, some or one, of 1 to 16
// bytes; some kernels have relaxed atomics, some syncs of whole warps, in some threads end early.
// Biased towards each thread or block using its own memory, so that many kernels have no race.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <utility>
#include <vector>

#include "core/detect/gpu/random_steps.h"

namespace redflag::gpu::curd {

class RandomKernel {
 public:
  explicit RandomKernel(std::uint64_t seed) : random_(seed) {
    begin();
    const std::uint32_t steps = 5 + pick(60);
    for (std::uint32_t i = 0; i < steps; ++i) something();
    end();
  }

  RandomProgram program() const { return RandomProgram(items_); }
  bool has_atomics() const { return launch_.sync.has(SyncOp::kAtomic); }

 private:
  using Item = RandomProgram::Item;
  using What = RandomProgram::What;

  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  void begin() {
    calm_ = pick(5) != 0;
    launch_.id = LaunchId{1};
    launch_.grid.x = 1 + pick(4);
    const std::array<std::uint32_t, 5> sizes{32, 64, 40, 96, 4};
    launch_.block.x = sizes[pick(5)];
    launch_.shared_bytes = 4096;
    launch_.sync.known = true;
    launch_.sync.add(SyncOp::kBlockBarrier);
    if (pick(3) == 0) launch_.sync.add(SyncOp::kAtomic);
    if (pick(3) == 0) launch_.sync.add(SyncOp::kWarpSync);
    ends_early_ = pick(3) == 0;
    for (std::uint32_t b = 0; b < launch_.grid.x; ++b) {
      for (std::uint32_t w = 0; w < launch_.block_warps(); ++w) {
        const std::uint32_t rest = launch_.block.x - w * kWarp;
        live_.push_back(rest >= kWarp ? ~Lanes{0} : (Lanes{1} << rest) - 1);
      }
    }
    rounds_.resize(launch_.grid.x);
    put(What::kBegin, {});
  }
  void end() {
    for (std::uint32_t b = 0; b < launch_.grid.x; ++b) {
      for (std::uint32_t w = 0; w < launch_.block_warps(); ++w) {
        Item item = by(StepKind::kExit, b, w);
        if (item.step.lanes != 0) put(What::kStep, item);
      }
    }
    put(What::kEnd, {});
  }
  void put(What what, Item item) {
    item.what = what;
    item.launch = launch_;
    items_.push_back(std::move(item));
  }
  Lanes& live(std::uint64_t block, std::uint32_t warp) {
    return live_[block * launch_.block_warps() + warp];
  }
  Item by(StepKind kind, std::uint64_t block, std::uint32_t warp) {
    Item item;
    item.step.kind = kind;
    item.step.block = block;
    item.step.warp = warp;
    item.step.lanes = item.step.converged = live(block, warp);
    item.step.site = SiteId{static_cast<std::uint32_t>(items_.size()) + 1};
    return item;
  }

  void something() {
    const std::uint32_t what = pick(calm_ ? 12 : 20);
    const std::uint64_t block = pick(launch_.grid.x);
    const std::uint32_t warp = pick(launch_.block_warps());
    if (what < 2) return barrier(block);
    if (what == 2 && launch_.sync.has(SyncOp::kWarpSync)) {
      const Item item = by(StepKind::kWarpSync, block, warp);
      if (item.step.lanes != 0) put(What::kStep, item);
      return;
    }
    if (what == 3 && ends_early_) return ends(block, warp);
    if (what == 4 && launch_.sync.has(SyncOp::kAtomic)) return atomic(block, warp);
    access(block, warp);
  }

  void barrier(std::uint64_t block) {
    for (const StepKind kind : {StepKind::kBarrierArrive, StepKind::kBarrierPass}) {
      for (std::uint32_t w = 0; w < launch_.block_warps(); ++w) {
        Item item = by(kind, block, w);
        item.step.round = rounds_[block];
        if (item.step.lanes != 0) put(What::kStep, item);
      }
    }
    ++rounds_[block];
  }
  void ends(std::uint64_t block, std::uint32_t warp) {
    Item item = by(StepKind::kExit, block, warp);
    if (pick(2) == 0) item.step.lanes &= static_cast<Lanes>(random_());
    if (item.step.lanes == 0) return;
    live(block, warp) &= ~item.step.lanes;
    put(What::kStep, item);
  }
  void atomic(std::uint64_t block, std::uint32_t warp) {
    const std::array<StepKind, 3> kinds{StepKind::kAtomicLoad, StepKind::kAtomicStore,
                                        StepKind::kAtomicRmw};
    Item item = by(kinds[pick(3)], block, warp);
    some_lanes(item);
    item.step.order = Order::kRelaxed;
    item.step.scope = Scope::kDevice;
    item.step.size = 4;
    item.step.wrote = item.step.kind == StepKind::kAtomicRmw
                          ? item.step.lanes & static_cast<Lanes>(random_())
                          : 0;
    const std::uint64_t base = pick(3) == 0 ? kCommon : kCounters;
    const std::uint32_t pattern = pick(3);
    for (unsigned i = 0; i < kWarp; ++i) {
      item.address[i] = base + std::uint64_t{4} * (pattern == 0 ? 0 : pattern == 1 ? i : pick(16));
    }
    if (item.step.lanes != 0) put(What::kStep, item);
  }
  void some_lanes(Item& item) {
    if (pick(4) == 0) {
      item.step.lanes &= Lanes{1} << pick(kWarp);
    } else if (pick(3) == 0) {
      item.step.lanes &= static_cast<Lanes>(random_());
    }
    item.step.converged = item.step.lanes;
  }

  void access(std::uint64_t block, std::uint32_t warp) {
    Item item = by(pick(2) == 0 ? StepKind::kRead : StepKind::kWrite, block, warp);
    some_lanes(item);
    const bool shared = pick(3) == 0;
    item.step.space = shared ? Space::kShared : Space::kGlobal;
    const std::uint64_t size = pick(3) == 0 ? std::uint64_t{1} << pick(5) : 4;
    item.step.size = static_cast<std::uint8_t>(size);
    const bool own = calm_ && pick(12) != 0;  // each thread its own bytes
    const std::uint64_t at = pick(4) * size + (pick(5) == 0 ? pick(16) : 0);
    const std::uint64_t memory = shared ? shared_address(block, 0) : kCommon;
    std::uint64_t stride = own ? 64 : std::array<std::uint64_t, 5>{0, size, 4, 64, 8}[pick(5)];
    const bool backwards = !own && pick(6) == 0;
    const bool scattered = !own && pick(4) == 0;
    for (unsigned i = 0; i < kWarp; ++i) {
      const std::uint64_t in_block = std::uint64_t{warp} * kWarp + i;
      const std::uint64_t thread = block * launch_.block.x + in_block;
      const std::uint64_t offset = own         ? (shared ? in_block : thread) * stride + at
                                   : scattered ? pick(64) * size
                                   : backwards ? (kWarp - i) * stride + at
                                               : i * stride + at;
      item.address[i] = memory + (own && !shared ? 0x10000 : 0) + offset;
    }
    if (item.step.lanes != 0) put(What::kStep, item);
  }

  static constexpr std::uint64_t kCommon = 0x100000;
  static constexpr std::uint64_t kCounters = 0x300000;
  std::mt19937_64 random_;
  bool calm_ = false, ends_early_ = false;
  Launch launch_;
  std::vector<Lanes> live_;
  std::vector<std::uint32_t> rounds_;
  std::vector<Item> items_;
};

}  // namespace redflag::gpu::curd
