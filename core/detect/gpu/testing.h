// For tests: a kernel written down step by step, and what a detector says of it.
#pragma once

#include <array>
#include <bit>
#include <string>
#include <vector>

#include "core/detect/gpu/ptx_model.h"

namespace redflag::gpu {

inline constexpr std::uint64_t kData = 0x1000;
inline constexpr std::uint64_t kFlag = 0x2000;
inline constexpr Lanes kAllLanes = ~Lanes{0};

// Who executes a step: some lanes of a warp of a block.
struct By {
  std::uint64_t block = 0;
  std::uint32_t warp = 0;
  Lanes lanes = 1;
};

template <typename Detector, typename Options>
class KernelOn {
 public:
  KernelOn(std::uint32_t blocks, std::uint32_t threads, Options options = {},
           std::uint32_t cluster = 1)
      : model(std::move(options)) {
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    launch.cluster = {cluster, 1, 1};
    launch.kernel = "kernel";
    launch.shared_bytes = 4096;
    begin();
  }

  void begin() {
    launch.id = LaunchId{raw(launch.id) + 1};
    model.launch_begins(launch);
  }
  void end() { model.launch_ends(launch.id); }

  Step make(By by, StepKind kind, std::uint64_t address = 0, std::uint64_t stride = 0) {
    Step s;
    s.kind = kind;
    s.block = by.block;
    s.warp = by.warp;
    s.lanes = s.converged = by.lanes;
    s.size = 4;
    s.site = SiteId{++site};
    for (unsigned i = 0; i < kWarp; ++i) addresses[i] = address + stride * i;
    s.address = addresses.data();
    s.wrote = kind == StepKind::kAtomicRmw ? by.lanes : 0;
    s.space = is_shared(address) ? Space::kShared : Space::kGlobal;
    return s;
  }
  // The site of the access: tests name accesses by it.
  SiteId put(const Step& s) {
    model.step(s);
    return s.site;
  }

  SiteId read(By by, std::uint64_t address = kData, std::uint64_t stride = 0) {
    return put(make(by, StepKind::kRead, address, stride));
  }
  SiteId write(By by, std::uint64_t address = kData, std::uint64_t stride = 0) {
    return put(make(by, StepKind::kWrite, address, stride));
  }
  SiteId volatile_read(By by, std::uint64_t address) {
    Step s = make(by, StepKind::kRead, address);
    s.is_volatile = true;
    return put(s);
  }
  SiteId volatile_write(By by, std::uint64_t address) {
    Step s = make(by, StepKind::kWrite, address);
    s.is_volatile = true;
    return put(s);
  }
  SiteId atomic(By by, StepKind kind, std::uint64_t address, Scope scope,
                Order order = Order::kRelaxed, RmwOp op = RmwOp::kOther, bool wrote = true) {
    Step s = make(by, kind, address);
    s.scope = scope;
    s.order = order;
    s.op = op;
    values.fill(op == RmwOp::kExchange ? 0 : 1);
    s.value = values.data();
    if (!wrote) s.wrote = 0;
    return put(s);
  }
  SiteId add(By by, std::uint64_t address, Scope scope = Scope::kDevice,
             Order order = Order::kRelaxed) {
    return atomic(by, StepKind::kAtomicRmw, address, scope, order);
  }
  SiteId exchange(By by, std::uint64_t address, Scope scope = Scope::kDevice) {
    return atomic(by, StepKind::kAtomicRmw, address, scope, Order::kRelaxed, RmwOp::kExchange);
  }
  SiteId swap(By by, std::uint64_t address, Scope scope = Scope::kDevice, bool wrote = true) {
    return atomic(by, StepKind::kAtomicRmw, address, scope, Order::kRelaxed, RmwOp::kCompareSwap,
                  wrote);
  }
  void fence(By by, Scope scope = Scope::kDevice) {
    Step s = make(by, StepKind::kFence);
    s.scope = scope;
    s.order = Order::kAcqRel;
    put(s);
  }
  void sync_warp(By by) { put(make(by, StepKind::kWarpSync)); }
  SiteId arrive(By by, std::uint32_t object = 0, std::uint32_t round = 0,
                std::uint32_t expected = 0, bool aligned = true, SiteId at = SiteId{0}) {
    Step s = make(by, StepKind::kBarrierArrive);
    s.object = object;
    s.round = round;
    s.expected = expected;
    s.aligned = aligned;
    if (raw(at) != 0) s.site = at;
    return put(s);
  }
  void pass(By by, std::uint32_t object = 0, std::uint32_t round = 0) {
    Step s = make(by, StepKind::kBarrierPass);
    s.object = object;
    s.round = round;
    put(s);
  }
  // __syncthreads() of a block of whole warps.
  void barrier(std::uint64_t block, std::uint32_t round = 0) {
    const SiteId at{900};
    const std::uint32_t warps = launch.block_warps();
    for (std::uint32_t w = 0; w < warps; ++w) {
      arrive({block, w, lanes_of(w)}, 0, round, 0, true, at);
    }
    for (std::uint32_t w = 0; w < warps; ++w) pass({block, w, lanes_of(w)}, 0, round);
  }
  Lanes lanes_of(std::uint32_t warp) const {
    const std::uint32_t rest = launch.block_threads() - warp * kWarp;
    return rest >= kWarp ? kAllLanes : (Lanes{1} << rest) - 1;
  }
  void branch(By by, Lanes others) {
    Step s = make(by, StepKind::kBranch);
    s.other = others;
    put(s);
  }
  void reconverge(By by) { put(make(by, StepKind::kReconverge)); }
  void object(By by, StepKind kind, std::uint64_t address, std::uint32_t round = 0,
              Order order = Order::kRelease) {
    Step s = make(by, kind, address);
    s.round = round;
    s.order = order;
    s.scope = Scope::kBlock;
    put(s);
  }
  SiteId copy(By by, std::uint64_t to, std::uint64_t from) {
    Step s = make(by, StepKind::kAsyncCopy, to, 4);
    std::array<std::uint64_t, kWarp> sources{};
    for (unsigned i = 0; i < kWarp; ++i) sources[i] = from + std::uint64_t{4} * i;
    s.source = sources.data();
    return put(s);
  }
  void wait(By by, std::uint32_t pending) {
    Step s = make(by, StepKind::kAsyncWait);
    s.object = pending;
    put(s);
  }
  void host(HostKind kind, std::uint64_t address = 0, std::uint64_t size = 0, bool waits = false,
            StreamId stream = StreamId{0}, HostEventId event = HostEventId{0}) {
    HostStep s;
    s.kind = kind;
    s.address = address;
    s.size = size;
    s.waits = waits;
    s.stream = stream;
    s.event = event;
    s.site = SiteId{++site};
    model.host(s);
  }

  // "class first-site second-site", one line per race.
  std::vector<std::string> races() const {
    std::vector<std::string> out;
    for (const GpuRace& race : model.races()) out.emplace_back(name(race.kind));
    return out;
  }

  Launch launch;
  Detector model;
  std::uint32_t site = 0;
  std::array<std::uint64_t, kWarp> addresses{};
  std::array<std::uint64_t, kWarp> values{};
};
using Kernel = KernelOn<PtxModel, PtxModelOptions>;

}  // namespace redflag::gpu
