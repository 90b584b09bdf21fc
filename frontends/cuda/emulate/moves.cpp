// Moves that decoding puts in front of instructions, special registers that change, and address spaces.
#include <chrono>

#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/worker.h"

namespace redflag::cuda {
namespace {

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

// Writes 32- or 64-bit words of the active lanes.
template <typename Value>
void set(Run& run, Ref ref, unsigned bits, Value value) {
  if (bits == 64) {
    auto* const to = run.at<std::uint64_t>(ref);
    for_each_lane(run.active, [&](unsigned lane) { to[lane] = value(lane); });
  } else {
    auto* const to = run.at<std::uint32_t>(ref);
    for_each_lane(run.active,
                  [&](unsigned lane) { to[lane] = static_cast<std::uint32_t>(value(lane)); });
  }
}

std::uint64_t get(const Run& run, Ref ref, unsigned bits, unsigned lane) {
  return bits == 64 ? run.at<std::uint64_t>(ref)[lane] : run.at<std::uint32_t>(ref)[lane];
}

bool in_window(std::uint64_t address, std::uint64_t window) {
  return address >= window && address - window < kWindowBytes;
}

}  // namespace

void do_not(Run& run, const MicroOp& op) {
  ++run.budget;
  *run.at<std::uint32_t>(op.refs[0]) = ~*run.at<std::uint32_t>(op.refs[1]);
}

void do_narrow(Run& run, const MicroOp& op) {
  ++run.budget;
  set(run, op.refs[0], 32,
      [from = run.at<std::uint64_t>(op.refs[1])](unsigned lane) { return from[lane]; });
}

void do_widen(Run& run, const MicroOp& op) {
  ++run.budget;
  set(run, op.refs[0], 64,
      [from = run.at<std::uint32_t>(op.refs[1])](unsigned lane) { return from[lane]; });
}

// Clocks count the instructions of this worker, so that they replay; the global timer is real time
// unless a seed asks for replays.
void do_refresh(Run& run, const MicroOp& op) {
  ++run.budget;
  run.count_instructions();
  using ptx::Special;
  const std::uint64_t clock = run.worker->stats.warp_instructions * 4;
  const bool real = run.machine->options->seed == 0 && run.machine->sink == nullptr;
  const auto which = static_cast<Special>(op.constant);
  std::uint64_t value = clock;
  unsigned bits = 32;
  switch (which) {
    case Special::kClockHi:
      value = clock >> 32;
      break;
    case Special::kClock64:
      bits = 64;
      break;
    case Special::kGlobaltimer:
    case Special::kGlobaltimerLo:
    case Special::kGlobaltimerHi:
      value = real ? now_ns() : clock;
      bits = which == Special::kGlobaltimer ? 64 : 32;
      if (which == Special::kGlobaltimerHi) value >>= 32;
      break;
    default:
      break;
  }
  set(run, op.refs[0], bits, [&](unsigned) { return value; });
}

void do_local_address(Run& run, const MicroOp& op) {
  ++run.budget;
  if (op.shift == 0) {
    const auto base = reinterpret_cast<std::uint64_t>(run.machine->params) + op.constant;
    set(run, op.refs[0], 64, [&](unsigned) { return base; });
    return;
  }
  const std::uint64_t at = std::uint64_t{run.frame->local_base} + op.constant;
  set(run, op.refs[0], op.shift, [&](unsigned) { return at; });
}

// In a cluster a block's own addresses have its rank too, as on a GPU (SR_CgaCtaId in bits 24 and up of
// what sm_90 makes of a shared variable): whoever computes with them must not take them for offsets.
void do_shared_address(Run& run, const MicroOp& op) {
  ++run.budget;
  const bool alone = run.block->cluster->blocks.size() == 1;
  const std::uint64_t rank = alone ? 0 : std::uint64_t{run.block->rank} + 1;
  const std::uint64_t at = rank << kRankShift | op.constant;
  set(run, op.refs[0], op.shift, [&](unsigned) { return at; });
}

void do_cvta(Run& run, const MicroOp& op) {
  const MemoryOp& how = *static_cast<const MemoryOp*>(op.extra);
  std::uint64_t base = 0;
  if (how.space == ptx::Space::kShared || how.space == ptx::Space::kSharedCta ||
      how.space == ptx::Space::kSharedCluster) {
    base = kSharedWindow;
  } else if (how.space == ptx::Space::kLocal) {
    base = kLocalWindow;
  }
  const unsigned bits = how.register_bits;
  set(run, op.refs[0], bits, [&](unsigned lane) {
    const std::uint64_t from = get(run, op.refs[1], bits, lane);
    return how.flag ? from - base : from + base;
  });
}

void do_isspacep(Run& run, const MicroOp& op) {
  const MemoryOp& how = *static_cast<const MemoryOp*>(op.extra);
  const std::uint64_t* const from = run.at<std::uint64_t>(op.refs[1]);
  const auto params = reinterpret_cast<std::uint64_t>(run.machine->params);
  Lanes yes = 0;
  for_each_lane(run.active, [&](unsigned lane) {
    const std::uint64_t address = from[lane];
    const bool shared = in_window(address, kSharedWindow);
    const bool local = in_window(address, kLocalWindow);
    const bool param = address >= params && address - params < run.machine->param_bytes;
    bool is = false;
    switch (how.space) {
      case ptx::Space::kShared:
      case ptx::Space::kSharedCta:
        is = shared && (address - kSharedWindow) >> kRankShift == 0;
        is = is || (shared && (address - kSharedWindow) >> kRankShift == run.block->rank + 1);
        break;
      case ptx::Space::kSharedCluster:
        is = shared;
        break;
      case ptx::Space::kLocal:
        is = local;
        break;
      case ptx::Space::kParam:
      case ptx::Space::kParamEntry:
        is = param;
        break;
      case ptx::Space::kConst:
        is = run.machine->const_space(address);
        break;
      default:
        is = !shared && !local && !param && address < kSharedWindow;
        break;
    }
    if (is) yes |= 1U << lane;
  });
  auto* const to = run.at<std::uint32_t>(op.refs[0]);
  *to = (*to & ~run.active) | yes;
}

// The same place in the block of another rank.
void do_mapa(Run& run, const MicroOp& op) {
  const MemoryOp& how = *static_cast<const MemoryOp*>(op.extra);
  const unsigned bits = how.register_bits;
  const bool generic = how.space == ptx::Space::kNone;
  const std::uint32_t* const rank = run.at<std::uint32_t>(op.refs[2]);
  set(run, op.refs[0], bits, [&](unsigned lane) {
    std::uint64_t from = get(run, op.refs[1], bits, lane);
    if (generic) from -= kSharedWindow;
    from &= (std::uint64_t{1} << kRankShift) - 1;
    from |= std::uint64_t{rank[lane] + 1} << kRankShift;
    return generic ? from + kSharedWindow : from;
  });
}

void do_getctarank(Run& run, const MicroOp& op) {
  const MemoryOp& how = *static_cast<const MemoryOp*>(op.extra);
  set(run, op.refs[0], 32, [&](unsigned lane) {
    std::uint64_t from = get(run, op.refs[1], how.register_bits, lane);
    if (how.space == ptx::Space::kNone) from -= kSharedWindow;
    const std::uint64_t rank = from >> kRankShift & 0xff;
    return rank == 0 ? std::uint64_t{run.block->rank} : rank - 1;
  });
}

}  // namespace redflag::cuda
