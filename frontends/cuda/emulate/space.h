// From the addresses of lanes to bytes of this process, checked.
//
// resolve<kind> computes Run::address (as detectors know it: shared memory told apart by block) and
// Run::host for the active lanes, and ends the launch with a fault when a lane's address is outside
// every allocation, misaligned or freed. The common case, all lanes inside the interval that this
// instruction used last, is one pass over 32 addresses and four comparisons.
#pragma once

#include <cstring>

#include "frontends/cuda/emulate/worker.h"

namespace redflag::cuda {

enum class SpaceKind : std::uint8_t { kGlobal, kShared, kLocal, kGeneric };

struct Resolved {
  bool good = false;
  Lanes global = 0;
  Lanes shared = 0;
};

inline SpaceKind space_kind(ptx::Space space) {
  switch (space) {
    case ptx::Space::kNone:
      return SpaceKind::kGeneric;
    case ptx::Space::kShared:
    case ptx::Space::kSharedCta:
    case ptx::Space::kSharedCluster:
      return SpaceKind::kShared;
    case ptx::Space::kLocal:
      return SpaceKind::kLocal;
    default:
      return SpaceKind::kGlobal;
  }
}

inline void compute_addresses(const Run& run, Ref base, unsigned bits, std::int64_t offset,
                              std::uint64_t* out) {
  const auto add = static_cast<std::uint64_t>(offset);
  if (bits == 64) {
    const std::uint64_t* const from = run.at<std::uint64_t>(base);
    for (unsigned lane = 0; lane < kWarp; ++lane) out[lane] = from[lane] + add;
  } else if (bits != 0) {
    const std::uint32_t* const from = run.at<std::uint32_t>(base);
    for (unsigned lane = 0; lane < kWarp; ++lane) out[lane] = from[lane] + add;
  } else {
    for (unsigned lane = 0; lane < kWarp; ++lane) out[lane] = add;
  }
}

struct Extent {
  std::uint64_t low = ~std::uint64_t{0};
  std::uint64_t high = 0;
  std::uint64_t bits = 0;  // all of them or'ed: for alignment
};
inline Extent extent_of(const std::uint64_t* address, Lanes lanes) {
  Extent extent;
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uint64_t each = address[lane];
    extent.low = each < extent.low ? each : extent.low;
    extent.high = each > extent.high ? each : extent.high;
    extent.bits |= each;
  });
  return extent;
}

// space.cpp: one lane at a time; faults.
bool check_global(Run& run, const MicroOp& op, const std::uint64_t* address, Lanes lanes,
                  std::uint32_t bytes, std::uint32_t align, bool writes);
bool resolve_shared_lanes(Run& run, const MicroOp& op, const std::uint64_t* offset, Lanes lanes,
                          std::uint32_t bytes, std::uint32_t align, bool writes,
                          std::uint64_t* told, std::uint64_t* host);
bool resolve_local_lanes(Run& run, const MicroOp& op, const std::uint64_t* offset, Lanes lanes,
                         std::uint32_t bytes, std::uint32_t align, bool writes,
                         std::uint64_t* host);
// Bytes of a lane at a generic address, for printf and the like; nullptr: outside.
const std::byte* peek(const Run& run, std::uint64_t address, unsigned lane, std::uint32_t bytes);

inline bool resolve_global(Run& run, const MicroOp& op, const std::uint64_t* address, Lanes lanes,
                           std::uint32_t bytes, std::uint32_t align, bool writes) {
  const Extent extent = extent_of(address, lanes);
  Worker& worker = *run.worker;
  const Interval& cached = worker.intervals[op.instruction % kCachedIntervals];
  const bool fits = extent.low >= cached.begin && extent.high <= cached.end &&
                    cached.end - extent.high >= bytes && (extent.bits & (align - 1)) == 0 &&
                    worker.generation == run.machine->memory->generation();
  if (__builtin_expect(fits, 1)) return true;
  return check_global(run, op, address, lanes, bytes, align, writes);
}

// The same for addresses that Run::address has already, as the program has them.
template <SpaceKind kind>
inline Resolved resolve_at(Run& run, const MicroOp& op, std::uint32_t bytes, std::uint32_t align,
                           bool writes) {
  const Lanes lanes = run.active;
  if constexpr (kind == SpaceKind::kGlobal) {
    if (!resolve_global(run, op, run.address, lanes, bytes, align, writes)) return {};
    std::memcpy(run.host, run.address, sizeof(run.host));
    return {true, lanes, 0};
  } else if constexpr (kind == SpaceKind::kShared) {
    const Extent extent = extent_of(run.address, lanes);
    const std::uint64_t size = run.machine->shared_bytes;
    if (extent.high + bytes <= size && (extent.bits & (align - 1)) == 0) {
      const auto base = reinterpret_cast<std::uint64_t>(run.block->shared);
      const std::uint64_t told = gpu::shared_address(run.block->index, 0);
      for (unsigned lane = 0; lane < kWarp; ++lane) {
        run.host[lane] = base + run.address[lane];
        run.address[lane] |= told;
      }
      return {true, 0, lanes};
    }
    const bool good = resolve_shared_lanes(run, op, run.address, lanes, bytes, align, writes,
                                           run.address, run.host);
    return {good, 0, lanes};
  } else if constexpr (kind == SpaceKind::kLocal) {
    return {resolve_local_lanes(run, op, run.address, lanes, bytes, align, writes, run.host), 0, 0};
  } else {
    const Extent extent = extent_of(run.address, lanes);
    if (extent.high < kSharedWindow) {
      if (!resolve_global(run, op, run.address, lanes, bytes, align, writes)) return {};
      std::memcpy(run.host, run.address, sizeof(run.host));
      return {true, lanes, 0};
    }
    Resolved found{true, 0, 0};
    Lanes local = 0;
    for_each_lane(lanes, [&](unsigned lane) {
      const Lanes bit = Lanes{1} << lane;
      const std::uint64_t address = run.address[lane];
      if (address >= kSharedWindow && address - kSharedWindow < kWindowBytes) {
        found.shared |= bit;
        run.address[lane] -= kSharedWindow;
      } else if (address >= kLocalWindow && address - kLocalWindow < kWindowBytes) {
        local |= bit;
        run.address[lane] -= kLocalWindow;
      } else {
        found.global |= bit;
      }
      run.host[lane] = run.address[lane];
    });
    if (found.global != 0) {
      found.good = resolve_global(run, op, run.address, found.global, bytes, align, writes);
    }
    if (found.good && found.shared != 0) {
      found.good = resolve_shared_lanes(run, op, run.address, found.shared, bytes, align, writes,
                                        run.address, run.host);
    }
    if (found.good && local != 0) {
      found.good = resolve_local_lanes(run, op, run.address, local, bytes, align, writes, run.host);
    }
    return found;
  }
}

template <SpaceKind kind>
inline Resolved resolve(Run& run, const MicroOp& op, const MemoryOp& how, std::uint32_t bytes,
                        std::uint32_t align, bool writes) {
  compute_addresses(run, how.base, how.base_bits, how.offset, run.address);
  return resolve_at<kind>(run, op, bytes, align, writes);
}

// For those who are not in a hurry: the space is looked at each time.
inline Resolved resolve_at(ptx::Space space, Run& run, const MicroOp& op, std::uint32_t bytes,
                           std::uint32_t align, bool writes) {
  switch (space_kind(space)) {
    case SpaceKind::kGlobal:
      return resolve_at<SpaceKind::kGlobal>(run, op, bytes, align, writes);
    case SpaceKind::kShared:
      return resolve_at<SpaceKind::kShared>(run, op, bytes, align, writes);
    case SpaceKind::kLocal:
      return resolve_at<SpaceKind::kLocal>(run, op, bytes, align, writes);
    default:
      return resolve_at<SpaceKind::kGeneric>(run, op, bytes, align, writes);
  }
}
inline Resolved resolve_in(ptx::Space space, Run& run, const MicroOp& op, const MemoryOp& how,
                           std::uint32_t bytes, std::uint32_t align, bool writes) {
  compute_addresses(run, how.base, how.base_bits, how.offset, run.address);
  return resolve_at(space, run, op, bytes, align, writes);
}

// Waiting for somebody: the same instruction found the same value at the same place again.
inline void note_polling(Run& run, const MicroOp& op, std::uint64_t address, std::uint64_t value) {
  const std::uint64_t key = address * 0x9e3779b97f4a7c15ULL ^ value;
  std::uint64_t& last = run.group->polled[op.instruction % 8];
  if (last != key) {
    last = key;
    run.spins = 0;
  } else if (++run.spins >= kSpinsBeforeYield) {
    run.leave();
  }
}

// A step for the global lanes and one for the shared ones.
inline void tell_memory(Run& run, const MicroOp& op, const MemoryOp& how, gpu::StepKind kind,
                        const Resolved& where, std::uint32_t bytes, bool with_value,
                        Lanes wrote = 0) {
  gpu::Step step = run.step(kind, op, where.global);
  step.order = how.order;
  step.scope = how.scope;
  step.is_volatile = how.is_volatile;
  if (kind == gpu::StepKind::kAtomicRmw) {
    step.op = how.operation == ptx::Operation::kCas    ? gpu::RmwOp::kCompareSwap
              : !how.taken                             ? gpu::RmwOp::kReduction
              : how.operation == ptx::Operation::kExch ? gpu::RmwOp::kExchange
                                                       : gpu::RmwOp::kOther;
  }
  step.size = static_cast<std::uint8_t>(bytes);
  step.address = run.address;
  step.value = with_value ? run.value : nullptr;
  step.wrote = wrote & where.global;
  if (where.global != 0) {
    run.machine->sink->step(step);
    step.instructions = 0;  // both are one instruction
  }
  if (where.shared == 0) return;
  step.space = gpu::Space::kShared;
  step.lanes = step.converged = where.shared;
  step.wrote = wrote & where.shared;
  run.machine->sink->step(step);
}

}  // namespace redflag::cuda
