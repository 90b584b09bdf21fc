// Who runs next: clusters, warps, groups.
#include <algorithm>
#include <chrono>
#include <thread>

#include "frontends/cuda/emulate/step.h"
#include "frontends/cuda/emulate/worker.h"

namespace redflag::cuda {
namespace {

constexpr std::int64_t kTurn = 1 << 16;        // instructions of a warp, with seed 0
constexpr std::uint64_t kBlockTurn = 1 << 20;  // of a block
constexpr std::uint64_t kResidentBytes = 512U << 20;
constexpr std::size_t kMostResident = 4096;
constexpr std::size_t kWindow = 8;  // clusters begin in order, but for so many

std::uint64_t steady_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace

Worker::Worker(Machine& of, std::uint64_t seed, unsigned worker_number)
    : machine(of), random(seed + worker_number), seeded(seed != 0), number(worker_number) {
  free_frames_.resize(machine.program->by_index.size());
  // From single instructions to thousands, by the seed.
  slice = seeded ? std::uint64_t{1} << random.below(13) : kTurn;
  const std::uint64_t warps = machine.launch.block_warps();
  const std::uint64_t cluster = machine.launch.cluster.count();
  std::uint64_t frame = 0;
  for (const Code* each : machine.program->by_index) {
    frame = std::max<std::uint64_t>(frame, each->frame_bytes);
  }
  const std::uint64_t bytes =
      cluster * (warps * (frame + sizeof(Warp) + 4096) + machine.shared_bytes);
  most_resident_ = std::clamp<std::uint64_t>(kResidentBytes / bytes, 8, kMostResident);
  if (machine.launch.cooperative) most_resident_ = machine.clusters.count();
  target_resident_ = seeded ? 1 + random.below(16) : 1;
  run.worker = this;
  run.machine = &machine;
}

Worker::~Worker() {
  const auto drop = [&](std::vector<std::unique_ptr<Cluster>>& from) {
    for (const auto& cluster : from) {
      for (const auto& block : cluster->blocks) {
        for (const auto& warp : block->warps) {
          for (std::uint32_t slots = warp->used; slots != 0; slots &= slots - 1) {
            Group& group = warp->groups[__builtin_ctz(slots)];
            for (Activation* frame = group.frame; frame != nullptr; frame = frame->caller) {
              if (frame->live == 0) break;
              frame->live = 0;
              drop_frame(frame);
            }
          }
        }
      }
    }
  };
  drop(resident_);
  for (std::vector<Activation*>& each : free_frames_) {
    for (Activation* frame : each) std::free(frame);
  }
}

std::uint64_t Worker::draw() {
  const std::uint64_t total = machine.clusters.count();
  if (!seeded) {
    const std::uint64_t next = machine.next_cluster.fetch_add(1);
    return next < total ? next : total;
  }
  const std::size_t width =
      std::min<std::size_t>(kWindow, std::max<std::size_t>(most_resident_ / 2, 1));
  while (window_.size() < width) {
    const std::uint64_t next = machine.next_cluster.fetch_add(1);
    if (next >= total) break;
    window_.push_back(next);
  }
  if (window_.empty()) return total;
  const std::size_t at = random.below(window_.size());
  const std::uint64_t drawn = window_[at];
  window_.erase(window_.begin() + static_cast<std::ptrdiff_t>(at));
  return drawn;
}

bool Worker::admit() {
  if (resident_.size() >= most_resident_) return false;
  const std::uint64_t index = draw();
  if (index >= machine.clusters.count()) return false;
  std::unique_ptr<Cluster> cluster;
  if (spare_.empty()) {
    cluster = new_cluster();
  } else {
    cluster = std::move(spare_.back());
    spare_.pop_back();
  }
  start_cluster(*cluster, index);
  resident_.push_back(std::move(cluster));
  return true;
}

void Worker::run_warp(Warp& warp, std::int64_t budget) {
  warp.spun = false;
  run.warp = &warp;
  run.block = warp.block;
  run.places[2] = warp.special;
  unsigned spun_groups = 0;
  while (budget > 0 && warp.ready != 0 && !machine.stop.load(std::memory_order_relaxed)) {
    unsigned slot = 0;
    if (seeded) {
      std::uint32_t slots = warp.ready;
      for (std::uint64_t skip = random.below(count(slots)); skip > 0; --skip) slots &= slots - 1;
      slot = first(slots);
    } else {
      const std::uint32_t after = warp.ready & ~((std::uint64_t{1} << warp.last) - 1);
      slot = first(after != 0 ? after : warp.ready);
    }
    if (warp.last != slot) warp.ran = 0;
    warp.last = slot;
    Group& group = warp.groups[slot];
    group.fresh = false;
    run.group = &group;
    run.mask = group.mask;
    run.pc = group.pc;
    run.spins = group.spins;
    run.budget = run.mark = budget;
    run.enter(group.frame);
    const std::uint64_t before = stats.warp_instructions;
    run_instructions(run);
    if (run.group != nullptr) run.count_instructions();
    const std::uint64_t used = std::max<std::uint64_t>(stats.warp_instructions - before, 1);
    budget -= static_cast<std::int64_t>(used);
    if (run.group == nullptr) continue;
    group.pc = run.pc;
    group.frame = run.frame;
    group.spins = run.spins;
    if (group.wait != Wait::kReady) continue;
    group.ran += used;
    warp.ran += used;
    Join* longest = group.ran > kPatience ? group.join : nullptr;
    for (Join* join = group.join; join != nullptr; join = join->parent) {
      if (join->arrived == 0) continue;
      join->ran += used;
      if (longest == nullptr && join->ran > kLongPatience) longest = join;
    }
    if (longest != nullptr) {
      let_go(warp, longest);
      group.ran = 0;
    }
    if (warp.ran > kLongPatience) warp.last = (slot + 1) % kWarp;  // it may wait for another group
    if (run.spins >= kSpinsBeforeYield) {
      warp.last = (slot + 1) % kWarp;
      if (++spun_groups >= count(warp.ready)) {
        warp.spun = true;
        return;
      }
    }
  }
}

// A turn: until its warps end, all wait, or the turn has lasted long enough. False: nobody did
// anything but wait.
bool Worker::run_block(Block& block) {
  const std::uint64_t before = stats.warp_instructions;
  bool any = false;
  while (block.ready != 0 && !machine.stop.load(std::memory_order_relaxed)) {
    bool useful = false;
    for (std::uint64_t warps = block.ready; warps != 0; warps &= warps - 1) {
      Warp& warp = *block.warps[static_cast<unsigned>(__builtin_ctzll(warps))];
      if (warp.ready == 0) continue;
      run_warp(warp, kTurn);
      if (!warp.spun) useful = true;
    }
    any |= useful;
    if (overdue() || !useful || stats.warp_instructions - before > kBlockTurn) break;
  }
  return any;
}

bool Worker::run_cluster(Cluster& cluster) {
  bool any = false;
  const std::uint64_t before = stats.warp_instructions;
  for (bool useful = true; useful;) {
    useful = false;
    for (const std::unique_ptr<Block>& block : cluster.blocks) {
      if (block->ready != 0) useful |= run_block(*block);
    }
    any |= useful;
    const bool long_enough = stats.warp_instructions - before > kBlockTurn;
    if (cluster.blocks.size() == 1 || long_enough || machine.stop.load()) break;
  }
  return any;
}

bool Worker::unblock(Cluster& cluster) {
  bool any = false;
  for (const std::unique_ptr<Block>& block : cluster.blocks) {
    for (const std::unique_ptr<Warp>& warp : block->warps) {
      if (warp->used == 0) continue;
      // Who waits for the rest of the warp does so as long as any of it can go on.
      const bool arrived = warp->ready == 0 && arrive_together(*warp, true);
      any |= arrived || let_go_all(*warp);
    }
  }
  return any;
}

bool Worker::overdue() {
  if (machine.options->timeout_ms == 0) return false;
  if (steady_ns() - machine.started_ns < machine.options->timeout_ms * 1000000) return false;
  const std::scoped_lock lock(machine.mutex);
  machine.stop.store(true);
  if (machine.fault.kind != FaultKind::kNone) return true;
  machine.fault.kind = FaultKind::kTimeout;
  machine.fault.text = "kernel '" + machine.launch.kernel + "' did not end within " +
                       std::to_string(machine.options->timeout_ms) + " ms; " + where_all();
  return true;
}

void Worker::deadlock() {
  const std::scoped_lock lock(machine.mutex);
  machine.stop.store(true);
  if (machine.fault.kind != FaultKind::kNone) return;
  machine.fault.kind = FaultKind::kDeadlock;
  machine.fault.text =
      "kernel '" + machine.launch.kernel + "': no thread can continue; " + where_all();
  for (const auto& cluster : resident_) {
    for (const auto& block : cluster->blocks) {
      for (const auto& warp : block->warps) {
        if (warp->used == 0) continue;
        const Group& group = warp->groups[first(warp->used)];
        machine.fault.block = block->index;
        machine.fault.thread = warp->index * kWarp + first(group.mask);
        machine.fault.site = group.frame->code->site(*group.pc);
        return;
      }
    }
  }
}

std::string Worker::where_all() const {
  static constexpr const char* kWaits[] = {"runs",
                                           "waits at a barrier of its block",
                                           "waits for lanes of its warp",
                                           "waits at its cluster's barrier",
                                           "waits for all lanes of its warp",
                                           "waits for the rest of its warp"};
  constexpr int kMostLines = 40;
  std::string text;
  int lines = 0;
  for (const auto& cluster : resident_) {
    for (const auto& block : cluster->blocks) {
      for (const auto& warp : block->warps) {
        for (std::uint32_t slots = warp->used; slots != 0; slots &= slots - 1) {
          const Group& group = warp->groups[first(slots)];
          if (++lines > kMostLines) return text + "\n  and more";
          const MicroOp* pc = group.pc;
          if (group.wait != Wait::kReady && pc > group.frame->code->ops.data()) --pc;
          text += "\n  " +
                  describe_thread(machine, *block, warp->index * kWarp + first(group.mask)) +
                  " and " + std::to_string(count(group.mask) - 1) +
                  " more of its warp: " + kWaits[static_cast<int>(group.wait)] + " at " +
                  describe_place(*group.frame->code, *pc);
        }
      }
    }
  }
  return "where its threads are:" + text;
}

void Worker::work() {
  std::uint64_t slices = 0;
  std::uint64_t idle = 0;  // slices since anybody did something useful
  const auto retire = [&](std::size_t at) {
    spare_.push_back(std::move(resident_[at]));
    resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(at));
  };
  while (!machine.stop.load(std::memory_order_relaxed)) {
    if (resident_.size() < target_resident_ || machine.launch.cooperative) {
      while ((resident_.size() < target_resident_ || machine.launch.cooperative) && admit()) {
      }
    }
    if (resident_.empty()) return;
    if (!seeded) {
      bool useful = false;
      bool ended = false;
      for (std::size_t i = 0; i < resident_.size() && !machine.stop.load();) {
        useful |= run_cluster(*resident_[i]);
        if (resident_[i]->live == 0) {
          retire(i);
          ended = true;
        } else {
          ++i;
        }
      }
      if (ended || machine.stop.load()) continue;
      // Nobody ended: let more in. When that is not possible and all wait, those at joins go on.
      bool more = false;
      for (std::size_t n = useful ? 1 : resident_.size(); n > 0 && admit(); --n) more = true;
      if (useful || more) continue;
      bool freed = false, ready = false;
      for (const auto& cluster : resident_) {
        freed |= unblock(*cluster);
        for (const auto& block : cluster->blocks) ready |= block->ready != 0;
      }
      if (!freed && !ready) deadlock();
      if (machine.parallel) std::this_thread::yield();
      continue;
    }
    // Any warp of any resident cluster, beginning to look at a random place.
    const std::size_t from = random.below(resident_.size());
    Warp* chosen = nullptr;
    std::size_t where = 0;
    for (std::size_t i = 0; i < resident_.size() && chosen == nullptr; ++i) {
      where = (from + i) % resident_.size();
      Cluster& cluster = *resident_[where];
      const std::size_t block_from = random.below(cluster.blocks.size());
      for (std::size_t j = 0; j < cluster.blocks.size() && chosen == nullptr; ++j) {
        Block& block = *cluster.blocks[(block_from + j) % cluster.blocks.size()];
        if (block.ready == 0) continue;
        std::uint64_t warps = block.ready;
        const auto ready_warps = static_cast<std::uint64_t>(__builtin_popcountll(warps));
        for (std::uint64_t skip = random.below(ready_warps); skip > 0; --skip) warps &= warps - 1;
        chosen = block.warps[static_cast<unsigned>(__builtin_ctzll(warps))].get();
      }
    }
    if (chosen == nullptr) {
      if (admit()) continue;
      bool freed = false;
      for (const auto& cluster : resident_) freed |= unblock(*cluster);
      if (!freed) deadlock();
      continue;
    }
    run_warp(*chosen, static_cast<std::int64_t>(1 + random.below(slice)));
    idle = chosen->spun ? idle + 1 : 0;
    if (resident_[where]->live == 0) {
      retire(where);
      idle = 0;
    } else if (++slices % 64 == 0 || idle > 8 * resident_.size()) {
      if (target_resident_ < most_resident_) ++target_resident_;
      if (slices % 256 == 0 && overdue()) return;
      if (idle > 64 * resident_.size() && !admit()) {
        for (const auto& cluster : resident_) unblock(*cluster);
        idle = 0;
      }
    }
  }
}

}  // namespace redflag::cuda
