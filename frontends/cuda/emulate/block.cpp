// Blocks and warps as they begin: shared memory, special registers, the first frame.
#include <sys/mman.h>

#include <cstring>

#include "core/base/check.h"
#include "frontends/cuda/emulate/worker.h"

namespace redflag::cuda {

std::unique_ptr<Cluster> Worker::new_cluster() {
  auto cluster = std::make_unique<Cluster>();
  const std::uint32_t threads = machine.launch.block_threads();
  for (std::uint64_t rank = 0; rank < machine.launch.cluster.count(); ++rank) {
    auto block = std::make_unique<Block>();
    block->cluster = cluster.get();
    block->rank = static_cast<std::uint32_t>(rank);
    block->shared_owner = std::make_unique<std::byte[]>(machine.shared_bytes + 1024);
    const auto start = reinterpret_cast<std::uintptr_t>(block->shared_owner.get());
    block->shared = reinterpret_cast<std::byte*>((start + 1023) / 1024 * 1024);
    for (std::uint32_t i = 0; i < machine.launch.block_warps(); ++i) {
      auto warp = std::make_unique<Warp>();
      warp->block = block.get();
      warp->index = i;
      const std::uint32_t left = threads - i * kWarp;
      warp->threads = left >= kWarp ? ~Lanes{0} : (Lanes{1} << left) - 1;
      warp->special_owner = std::make_unique_for_overwrite<std::byte[]>(kSpecialBytes + 64);
      const auto at = reinterpret_cast<std::uintptr_t>(warp->special_owner.get());
      warp->special = reinterpret_cast<std::byte*>((at + 63) / 64 * 64);
      if (machine.program->uses_local) {
        void* const local =
            ::mmap(nullptr, std::size_t{kLocalLimit} * kWarp, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (local == MAP_FAILED) out_of_memory("local memory of the emulated GPU");
        warp->local = static_cast<std::byte*>(local);
      }
      fill_specials(*block, *warp, true);
      block->warps.push_back(std::move(warp));
    }
    cluster->blocks.push_back(std::move(block));
  }
  return cluster;
}

void Worker::start_cluster(Cluster& cluster, std::uint64_t index) {
  cluster.arrived = 0;
  cluster.round = 0;
  cluster.live = 0;
  const gpu::Dim at = gpu::place(index, machine.clusters);
  const gpu::Dim size = machine.launch.cluster;
  for (const std::unique_ptr<Block>& block : cluster.blocks) {
    const gpu::Dim within = gpu::place(block->rank, size);
    block->at = {at.x * size.x + within.x, at.y * size.y + within.y, at.z * size.z + within.z};
    const gpu::Dim grid = machine.launch.grid;
    start_block(*block, block->at.x + std::uint64_t{grid.x} *
                                          (block->at.y + std::uint64_t{grid.y} * block->at.z));
    cluster.live += block->live;
  }
}

void Worker::start_block(Block& block, std::uint64_t index) {
  block.index = index;
  block.live = machine.launch.block_threads();
  block.ready = 0;
  block.last = 0;
  for (Barrier& each : block.barriers) each = {};
  block.phases.clear();
  std::memset(block.shared, 0, machine.shared_bytes);
  const Code& kernel = *machine.program->codes.at(machine.program->kernel);
  for (const std::unique_ptr<Warp>& warp : block.warps) {
    warp->live = warp->threads;
    warp->used = warp->ready = warp->last = 0;
    warp->spun = false;
    warp->ran = warp->executed = warp->told = 0;
    warp->copies.clear();
    std::memset(warp->commits, 0, sizeof(warp->commits));
    std::memset(warp->cluster_round, 0, sizeof(warp->cluster_round));
    fill_specials(block, *warp, false);
    Activation* const frame = new_frame(kernel, warp->live);
    warp->add_group(warp->live, kernel.ops.data(), frame, nullptr);
  }
}

// Registers that differ by block are filled for each block, the others once for each warp.
void Worker::fill_specials(Block& block, Warp& warp, bool first_time) {
  using ptx::Special;
  const gpu::Launch& launch = machine.launch;
  const gpu::Dim size = launch.cluster;
  const gpu::Dim threads = launch.block;
  const std::uint32_t first_thread = warp.index * kWarp;
  const auto fill = [&](Special which, unsigned component, auto value) {
    auto* const to =
        reinterpret_cast<std::uint32_t*>(warp.special + special_offset(which, component));
    for (unsigned lane = 0; lane < kWarp; ++lane)
      to[lane] = static_cast<std::uint32_t>(value(lane));
  };
  const auto fill_dim = [&](Special which, const gpu::Dim& dim) {
    fill(which, 0, [&](unsigned) { return dim.x; });
    fill(which, 1, [&](unsigned) { return dim.y; });
    fill(which, 2, [&](unsigned) { return dim.z; });
    fill(which, 3, [&](unsigned) { return 0; });
  };
  const auto fill_one = [&](Special which, std::uint64_t value) {
    fill(which, 0, [&](unsigned) { return value; });
  };
  for (const std::uint8_t used : machine.program->specials) {
    const auto which = static_cast<Special>(used);
    const bool by_block =
        which == Special::kCtaid || which == Special::kClusterid || which == Special::kSmid;
    if (by_block == first_time) continue;
    switch (which) {
      case Special::kCtaid:
        fill_dim(which, block.at);
        break;
      case Special::kClusterid:
        fill_dim(which, {block.at.x / size.x, block.at.y / size.y, block.at.z / size.z});
        break;
      case Special::kSmid:
        fill_one(which, block.index % kMultiprocessors);
        break;
      case Special::kTid:
        fill(which, 0, [&](unsigned lane) { return (first_thread + lane) % threads.x; });
        fill(which, 1,
             [&](unsigned lane) { return (first_thread + lane) / threads.x % threads.y; });
        fill(which, 2,
             [&](unsigned lane) { return (first_thread + lane) / threads.x / threads.y; });
        fill(which, 3, [&](unsigned) { return 0; });
        break;
      case Special::kNtid:
        fill_dim(which, threads);
        break;
      case Special::kNctaid:
        fill_dim(which, launch.grid);
        break;
      case Special::kNclusterid:
        fill_dim(which, machine.clusters);
        break;
      case Special::kClusterCtaid:
        fill_dim(which, gpu::place(block.rank, size));
        break;
      case Special::kClusterNctaid:
        fill_dim(which, size);
        break;
      case Special::kClusterCtarank:
        fill_one(which, block.rank);
        break;
      case Special::kClusterNctarank:
        fill_one(which, size.count());
        break;
      case Special::kIsExplicitCluster:
        fill_one(which, size.count() > 1 ? ~std::uint64_t{0} : 0);
        break;
      case Special::kLaneid:
        fill(which, 0, [](unsigned lane) { return lane; });
        break;
      case Special::kWarpid:
        fill_one(which, warp.index);
        break;
      case Special::kNwarpid:
        fill_one(which, 64);
        break;
      case Special::kNsmid:
        fill_one(which, kMultiprocessors);
        break;
      case Special::kLanemaskEq:
        fill(which, 0, [](unsigned lane) { return Lanes{1} << lane; });
        break;
      case Special::kLanemaskLt:
        fill(which, 0, [](unsigned lane) { return (Lanes{1} << lane) - 1; });
        break;
      case Special::kLanemaskLe:
        fill(which, 0, [](unsigned lane) { return (Lanes{2} << lane) - 1; });
        break;
      case Special::kLanemaskGt:
        fill(which, 0, [](unsigned lane) { return ~((Lanes{2} << lane) - 1); });
        break;
      case Special::kLanemaskGe:
        fill(which, 0, [](unsigned lane) { return ~((Lanes{1} << lane) - 1); });
        break;
      case Special::kGridid: {
        auto* const to = reinterpret_cast<std::uint64_t*>(warp.special + special_offset(which, 0));
        for (unsigned lane = 0; lane < kWarp; ++lane) to[lane] = raw(launch.id);
        break;
      }
      case Special::kTotalSmemSize:
      case Special::kAggrSmemSize:
        fill_one(which, machine.shared_bytes);
        break;
      case Special::kDynamicSmemSize:
        fill_one(which, machine.dynamic_shared);
        break;
      case Special::kEnvreg: {
        // 1 and 2: where the blocks of a cooperative launch meet (cooperative groups' grid.sync);
        // zero otherwise, at which that traps. Device::launch keeps the place behind the parameters.
        const auto behind = reinterpret_cast<std::uint64_t>(machine.params) + machine.param_bytes;
        const std::uint64_t room = launch.cooperative ? (behind + 63) / 64 * 64 : 0;
        for (unsigned i = 0; i < 4; ++i)
          fill(which, i, [&](unsigned) { return i == 1 ? room >> 32 : i == 2 ? room : 0; });
        break;
      }
      case Special::kWarpSize:
        fill_one(which, kWarp);
        break;
      default:  // performance counters, environment registers and the clocks, which are refreshed
        std::memset(warp.special + special_offset(which, 0), 0, std::size_t{kSpecialStride} * 4);
        break;
    }
  }
}

}  // namespace redflag::cuda
