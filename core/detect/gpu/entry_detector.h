// EntryDetector: what detectors with one entry of metadata for each unit of memory have in common.
//
// ScoRD and iGUARD differ in their entries, rules and tables; how steps become accesses, fences and
// barriers, what newer PTX means in their words, how a unit finds its entry, how a race is told and
// counted is here, once. Self is the detector (as a static base: no call of the hot path is
// virtual) and provides
//
//   bool takes(const Step&)                  whether tables have room for who made it
//   void fence(const Step&, Scope)           its threads have executed a fence
//   void acquired(const Step&, Scope)        an acquire: locks become active
//   void warp_sync(const Step&)
//   CountedBarrier& round_of(const Step&)      of the block and barrier
//   void barrier_passed(const Step&)         the first warp passes a barrier of the whole block
//   void memory(const Step&, bool store, bool is_atomic, Lanes)
//   void infer_locks(const Step&)            an exchange or compare-and-swap
//   void forget(std::uint64_t address)       memory that a kernel allocates or frees
//   void own_stats(std::vector<Counter>&)    behind the rules
//
// One launch at a time, global memory only. Units of memory find their entries by shifts: sizes are
// powers of two.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/detect/gpu/gpu_detector.h"
#include "core/detect/gpu/metadata_table.h"
#include "core/detect/gpu/race_list.h"
#include "core/detect/gpu/rule_table.h"

namespace redflag::gpu {

constexpr bool is_block_scope(Scope scope) {
  return scope == Scope::kBlock || scope == Scope::kWarp;
}

struct CountedBarrier {
  std::uint32_t passed = 0;  // rounds that were counted
  bool whole = true;         // of all threads of the block
};

template <typename Self, typename Entry, typename Rule, std::size_t kRules>
class EntryDetector : public GpuDetector {
 public:
  void step(const Step& step) final {
    ++steps_;
    if (step.lanes == 0 || !running_ || !self().takes(step)) return;
    switch (step.kind) {
      case StepKind::kRead:
        return self().memory(step, false, false, step.lanes);
      case StepKind::kWrite:
        return self().memory(step, true, false, step.lanes);
      case StepKind::kAtomicLoad:
      case StepKind::kAtomicStore:
      case StepKind::kAtomicRmw:
        return atomic(step);
      case StepKind::kAsyncCopy: {  // its load from global memory; its store is of shared memory
        if (step.source == nullptr) return;
        Step load = step;
        load.address = step.source;
        load.space = Space::kGlobal;
        return self().memory(load, false, false, step.lanes);
      }
      case StepKind::kFence:
        return self().fence(step, step.scope);
      case StepKind::kWarpSync:
        return self().warp_sync(step);
      case StepKind::kClusterArrive:
        if (is_release(step.order)) self().fence(step, Scope::kDevice);
        return;
      case StepKind::kMbarrierArrive:
        if (is_release(step.order)) self().fence(step, step.scope);
        return;
      case StepKind::kBarrierArrive:
      case StepKind::kBarrierPass:
        return barrier(step);
      default:
        return;
    }
  }
  void launch_ends(LaunchId /*launch*/) final { running_ = false; }
  // Memory that a kernel allocates has no past. (Between launches all entries are new anyway.)
  void host(const HostStep& step) final {
    if (!running_ || (step.kind != HostKind::kAlloc && step.kind != HostKind::kFree)) return;
    const std::uint64_t end = step.address + step.size;
    for (std::uint64_t a = unit_of(step.address); a < end; a += granularity_) self().forget(a);
  }

  std::vector<GpuRace> races() const final { return races_.all(); }
  std::uint64_t dropped() const final { return races_.dropped(); }
  std::uint64_t count(Rule rule) const { return counts_.of(rule); }

 protected:
  using OnDecision = std::function<void(std::uint64_t address, Rule rule)>;
  struct Place {
    std::uint64_t index;
    std::uint32_t tag;  // as wide as it is: the entry's field is narrower
  };

  // `entries` for the memory of the device: fewer than its units, and tags tell them apart.
  template <typename Options>
  EntryDetector(const Options& options, std::uint64_t entries)
      : granularity_(options.granularity),
        unit_bits_(static_cast<unsigned>(std::countr_zero(options.granularity))),
        entry_bits_(static_cast<unsigned>(std::countr_zero(entries))),
        on_decision_(options.on_decision),
        memory_(options.memory != nullptr ? options.memory : std::pmr::get_default_resource()),
        races_(options.most_races, options.on_race, memory_),
        pages_(memory_),
        entries_(memory_) {
    REDFLAG_CHECK(std::has_single_bit(options.granularity) && options.granularity <= 16);
    REDFLAG_CHECK(std::has_single_bit(entries));
  }

  void begin(const Launch& launch) {
    launch_ = launch;
    running_ = true;
    entries_.restart();
  }
  std::uint64_t unit_of(std::uint64_t address) const {
    return address & ~std::uint64_t{granularity_ - 1};
  }
  Place place_of(std::uint64_t address) {
    const std::uint64_t unit = pages_.physical(address) >> unit_bits_;
    return {unit & ((std::uint64_t{1} << entry_bits_) - 1),
            static_cast<std::uint32_t>(unit >> entry_bits_)};
  }
  // Units of global memory that a lane of the step touches.
  template <typename F>
  void each_unit(const Step& step, unsigned lane, F what) const {
    const std::uint64_t begin = step.address[lane];
    if (is_shared(begin)) return;
    const std::uint64_t end = begin + (step.size == 0 ? 1 : step.size);
    for (std::uint64_t a = unit_of(begin); a < end; a += granularity_) what(a);
  }
  void decided(std::uint64_t address, Rule rule) {
    counts_.add(rule);
    if (on_decision_) on_decision_(address, rule);
  }
  // A race with all that is known of the access that the step makes.
  GpuRace race_at(const Step& step, unsigned lane, std::uint64_t address, bool store,
                  bool is_atomic, bool locked) const {
    GpuRace race;
    race.address = address;
    race.size = granularity_;
    race.first.launch = race.second.launch = launch_.id;
    race.second.block = step.block;
    race.second.thread = step.warp * kWarp + lane;
    race.second.site = step.site;
    race.second.kind = event_of(store, is_atomic);
    race.second.order = step.order;
    race.second.scope = step.scope;
    race.second.is_volatile = step.is_volatile;
    race.second.locked = locked;
    race.second.size = step.size;
    return race;
  }
  static EventKind event_of(bool store, bool is_atomic) {
    return is_atomic ? EventKind::kAtomicRmw : store ? EventKind::kWrite : EventKind::kRead;
  }
  std::vector<Counter> stats_of(const std::array<RuleRow<Rule>, kRules>& rows) const {
    std::vector<Counter> out{{"steps", static_cast<double>(steps_), ""}};
    counts_.put(rows, out);
    static_cast<const Self&>(*this).own_stats(out);
    out.push_back({"races", static_cast<double>(races_.size()), ""});
    out.push_back({"metadata", static_cast<double>(metadata_bytes()), "bytes"});
    return out;
  }

  unsigned granularity_;
  unsigned unit_bits_;
  unsigned entry_bits_;
  OnDecision on_decision_;
  std::pmr::memory_resource* memory_;
  RaceList races_;
  DevicePages pages_;
  MetadataTable<Entry> entries_;
  RuleCounts<Rule, kRules> counts_;
  std::uint64_t steps_ = 0;
  Launch launch_;
  bool running_ = false;

 private:
  Self& self() { return static_cast<Self&>(*this); }

  // A compare-and-swap that failed is a load, but may still take a lock.
  void atomic(const Step& step) {
    Lanes wrote = step.lanes;
    if (step.kind == StepKind::kAtomicLoad) wrote = 0;
    if (step.kind == StepKind::kAtomicRmw) wrote &= step.wrote;
    if (is_release(step.order)) self().fence(step, step.scope);
    self().memory(step, false, true, step.lanes & ~wrote);
    self().memory(step, true, true, wrote);
    const bool locks = step.op == RmwOp::kCompareSwap || step.op == RmwOp::kExchange;
    if (locks && step.kind == StepKind::kAtomicRmw && step.address != nullptr) {
      self().infer_locks(step);
    }
    if (is_acquire(step.order)) self().acquired(step, step.scope);
  }
  // The block's counter goes on when the first warp passes: until then others may be before the
  // barrier.
  void barrier(const Step& step) {
    CountedBarrier& round = self().round_of(step);
    if (step.kind == StepKind::kBarrierArrive) {
      round.whole = step.expected == 0 || step.expected >= launch_.block_threads();
      if (!round.whole) self().fence(step, Scope::kBlock);
      return;
    }
    if (!round.whole || step.round < round.passed) return;
    round.passed = step.round + 1;
    self().barrier_passed(step);
  }
};

}  // namespace redflag::gpu
