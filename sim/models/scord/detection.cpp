#include "sim/models/scord/detection.h"

#include <bit>

#include "core/detect/gpu/scord/verdict.h"

namespace redflag::sim {

using gpu::scord::AccessKind;
using gpu::scord::Entry;
using gpu::scord::Fences;
using gpu::scord::kBlockBits;
using gpu::scord::kFenceBits;
using gpu::scord::kTagBits;
using gpu::scord::kWarpBits;
using gpu::scord::Rule;
using gpu::scord::wrapped;

namespace {

constexpr std::uint32_t kBarriersOfThreads =
    0x7F;                              // seven bits of BarrierID, with diverged threads
constexpr std::uint64_t kThread = 31;  // of Entry::unused
constexpr std::uint64_t kDiverged = 32;

struct EntryOptions {
  unsigned granularity;
  std::function<void(const gpu::GpuRace&)> on_race{};
  std::function<void(std::uint64_t, Rule)> on_decision{};
  std::size_t most_races = 1000;
  std::pmr::memory_resource* memory = nullptr;
};

bool is_fence_rule(Rule rule) {
  return rule == Rule::kBlockFence || rule == Rule::kDeviceFence || rule == Rule::kNotStrong;
}

}  // namespace

DetectionUnit::DetectionUnit(const ScordParameters& parameters, PhysicalMemory& memory)
    : EntryDetector(EntryOptions{.granularity = parameters.granularity}, 1),
      parameters_(parameters),
      physical_(memory),
      map_(parameters),
      live_(kWarps, 0),
      diverged_(kWarps, false),
      releases_(kWarps, parameters.synchronised_warps),
      release_words_(std::pmr::get_default_resource()) {}

void DetectionUnit::launch_begins(const gpu::Launch& launch) {
  begin(launch);
  map_.begin(physical_.bytes());
  fences_.fill({});
  locks_.fill({});
  barriers_.fill(0);
  rounds_.fill({});
  if (parameters_.independent_threads) {
    diverged_.assign(kWarps, false);
    for (std::size_t i = 0; i < kWarps; ++i) {
      const auto warp = static_cast<std::uint32_t>(i & ((1U << kWarpBits) - 1));
      const std::uint32_t first = warp * gpu::kWarp;
      const std::uint32_t threads = launch.block_threads();
      const std::uint32_t lanes = first >= threads ? 0 : std::min(threads - first, gpu::kWarp);
      live_[i] = static_cast<gpu::Lanes>((std::uint64_t{1} << lanes) - 1);
    }
  }
  if (parameters_.acquire_release) {
    releases_.clear();
    release_words_.restart();
  }
}

std::size_t DetectionUnit::slot(const Step& step) {
  return (wrapped<kBlockBits>(step.block) << kWarpBits) | wrapped<kWarpBits>(step.warp);
}

void DetectionUnit::control(const Step& step) {
  if (!parameters_.independent_threads) return;
  const std::size_t at = slot(step);
  if (step.kind == gpu::StepKind::kBranch) {
    if (step.other != 0) diverged_[at] = true;
  } else if (step.kind == gpu::StepKind::kReconverge) {
    if ((live_[at] & ~step.lanes) == 0) diverged_[at] = false;
  } else if (step.kind == gpu::StepKind::kExit) {
    live_[at] &= ~step.lanes;
    if (live_[at] != 0) return;
    // The place is another warp's from here on.
    live_[at] = ~gpu::Lanes{0};
    diverged_[at] = false;
  }
}

void DetectionUnit::warp_sync(const Step& step) {
  const std::size_t at = slot(step);
  if (parameters_.independent_threads && (live_[at] & ~step.lanes) == 0) diverged_[at] = false;
}

// With acquire_release only fences are fences.
void DetectionUnit::fence(const Step& step, Scope scope) {
  const std::size_t at = slot(step);
  const bool block_scope = gpu::is_block_scope(scope);
  locks_[at].fence(block_scope);
  if (parameters_.acquire_release && step.kind != gpu::StepKind::kFence) {
    (void)releases_.release(at);
    return;
  }
  Fences& fences = fences_[at];
  if (block_scope) {
    fences.block = wrapped<kFenceBits>(fences.block + 1U) & 63U;
  } else {
    fences.device = wrapped<kFenceBits>(fences.device + 1U) & 63U;
  }
}

void DetectionUnit::acquired(const Step& step, Scope scope) {
  locks_[slot(step)].fence(gpu::is_block_scope(scope));
}

gpu::CountedBarrier& DetectionUnit::round_of(const Step& step) {
  return rounds_[wrapped<kBlockBits>(step.block)][step.object % kBarriers];
}

void DetectionUnit::barrier_passed(const Step& step) {
  ++barriers_[wrapped<kBlockBits>(step.block)];
}

void DetectionUnit::memory(const Step& step, bool store, bool is_atomic, gpu::Lanes lanes) {
  if (lanes == 0 || step.address == nullptr || step.space == gpu::Space::kShared) return;
  const std::size_t at = slot(step);
  Access access;
  access.kind = store ? AccessKind::kStore : AccessKind::kLoad;
  access.is_atomic = is_atomic;
  access.strong = is_atomic || step.is_volatile;
  access.block_scope = is_atomic && gpu::is_block_scope(step.scope);
  access.block = wrapped<kBlockBits>(step.block);
  access.warp = wrapped<kWarpBits>(step.warp);
  access.barrier = barriers_[access.block];
  if (parameters_.independent_threads) access.barrier &= kBarriersOfThreads;
  access.locks = locks_[at].filter();
  access.fences = fences_[at];
  std::uint64_t last = ~std::uint64_t{0};
  MetadataMap::Place place{};
  Last decision;
  for (gpu::Lanes rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    each_unit(step, lane, [&](std::uint64_t address) {
      if (address == last) return;  // as the coalescer sends it
      // Neighbours in a line have neighbouring entries.
      if (address == last + granularity_ && address % kGpuLineBytes != 0) {
        ++place.index;
      } else {
        place = map_.place_of(physical_.physical(address));
      }
      last = address;
      unit(step, lane, address, place, access, decision);
    });
  }
}

void DetectionUnit::unit(const Step& step, unsigned lane, std::uint64_t address,
                         const MetadataMap::Place& place, const Access& access, Last& last) {
  Entry& md = entries_.at(place.index);
  if (const std::uint32_t tag = wrapped<kTagBits>(place.tag); md.tag != tag) {
    if (!holds(Rule::kInitialisation, md, access, {})) ++evictions_;
    md = Entry{};
    md.tag = tag & 15U;
    if (parameters_.acquire_release) release_words_.at(place.index) = {};
  }
  if (last.known && std::bit_cast<std::uint64_t>(md) == last.before) {
    decided(address, last.rule);
    md = last.after;
    return;
  }
  const Fences& file = fences_[md.block << kWarpBits | md.warp];
  Entry before = md;
  bool own_warp = false;
  if (parameters_.independent_threads) {
    own_warp = md.block == access.block && md.warp == access.warp;
    const bool apart = own_warp && diverged_[slot(step)] && (md.unused & kDiverged) != 0 &&
                       (md.unused & kThread) != lane;
    // To the rules another thread is another warp.
    if (apart) before.warp ^= 1;
    own_warp = apart;
  }
  Rule rule = decide(before, access, file);
  if (parameters_.acquire_release && is_fence_rule(rule) &&
      released_since(md, access, release_words_.at(place.index))) {
    rule = Rule::kOrdered;
  }
  decided(address, rule);
  if (is_race(rule)) {
    gpu::GpuRace race = race_at(step, lane, address, access.kind == AccessKind::kStore,
                                access.is_atomic, access.locks != 0);
    put_verdict(race, md, access, file, rule);
    if (own_warp) {
      race.kind = gpu::RaceClass::kIntraWarp;
      race.enough = gpu::Enough::kWarpSync;
      race.first.thread += static_cast<std::uint32_t>(md.unused & kThread);
    }
    races_.put(race);
  }
  if (parameters_.acquire_release) note_release(step, access, release_words_.at(place.index));
  md = updated(before, access, file, rule);
  if (!is_race(rule) && !parameters_.independent_threads && !parameters_.acquire_release) {
    last = {true, std::bit_cast<std::uint64_t>(before), md, rule};
  }
  if (parameters_.independent_threads) {
    md.unused = (lane | (diverged_[slot(step)] ? kDiverged : 0)) & 63U;
  }
}

// The earlier access came before a release of its warp that this one's has acquired.
bool DetectionUnit::released_since(const Entry& md, const Access& access,
                                   const ReleaseWord& word) const {
  const std::size_t mine = std::size_t{access.block} << kWarpBits | access.warp;
  const std::size_t other = md.block << kWarpBits | md.warp;
  return releases_.ordered(mine, other, word.accessed);
}

void DetectionUnit::note_release(const Step& step, const Access& access, ReleaseWord& word) {
  const std::size_t mine = slot(step);
  if (is_acquire(step.order) && word.released != 0) {
    const bool same_block = std::uint64_t{word.warp} >> kWarpBits == access.block;
    const bool narrow = word.block_scope != 0 || access.block_scope;
    if (same_block || !narrow) releases_.acquire(mine, word.warp, word.released);
  }
  word.accessed = releases_.count() & ((1U << kReleaseBits) - 1);
  if (access.kind != AccessKind::kStore) return;
  if (is_release(step.order)) {
    word.released = releases_.last(mine) & ((1U << kReleaseBits) - 1);
    word.warp = mine & 0xFFF;
    word.block_scope = access.block_scope ? 1 : 0;
  } else if (!access.is_atomic || step.kind == gpu::StepKind::kAtomicStore) {
    word.released = 0;  // a read-modify-write passes the release on
  }
}

void DetectionUnit::infer_locks(const Step& step) {
  gpu::scord::LockTable& table = locks_[slot(step)];
  const bool block_scope = gpu::is_block_scope(step.scope);
  for (gpu::Lanes rest = step.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = step.address[std::countr_zero(rest)];
    const std::uint32_t hash = gpu::scord::lock_hash(address, block_scope, step.block);
    if (step.op == gpu::RmwOp::kCompareSwap) {
      table.take(hash, block_scope);
    } else {
      table.give_back(hash, block_scope);
    }
  }
}

void DetectionUnit::forget(std::uint64_t address) {
  const MetadataMap::Place place = map_.place_of(physical_.physical(address));
  Entry& md = entries_.at(place.index);
  if (md.tag == wrapped<kTagBits>(place.tag)) md = Entry{};
}

void DetectionUnit::own_stats(std::vector<Counter>& out) const {
  out.push_back({"entries evicted", static_cast<double>(evictions_), ""});
}

}  // namespace redflag::sim
