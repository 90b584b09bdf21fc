// ParsnipSim: the same events on a machine without race detection and on one with PARSNIP, side by
// side; on request on one with Radish.
//
//   ParsnipSim sim(CpuMachine{}, ParsnipParameters{}, options);
//   for (const Event& e : trace) sim.on_event(e);
//   sim.stats().slowdown()
//
// Cores are in order: every instruction takes a cycle, an access as long as the memory system says.
// Threads run on core slot modulo cores. Cores do not wait for each other: the order of accesses is
// the trace's, and slowdown is the ratio of cycles of all cores (the paper's CPI). Instructions that
// are no accesses are the trace's `work`, and where it has none a fixed number per access.
//
// One thread at a time. Memory: the simulated caches and about five times the pages touched.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/models/parsnip/machine.h"
#include "sim/models/parsnip/radish.h"
#include "sim/models/parsnip/stacks.h"

namespace redflag::sim::parsnip {

enum class WithRadish : std::uint8_t { kNo, kPerByte, kTypeSafe };

class ParsnipSim {
 public:
  // options.sink gets PARSNIP's races, options.memory its metadata.
  ParsnipSim(const CpuMachine& machine, const ParsnipParameters& parameters,
             const DetectorOptions& options, WithRadish radish = WithRadish::kNo);

  void on_event(const Event& event);
  // The same of many, which is faster: what coming ones need is fetched while others are simulated.
  void on_events(std::span<const Event> events);
  ParsnipStats stats();
  ParsnipMachine& machine() { return parsnip_; }

 private:
  // Instructions that led to an event, itself included where it is an access. One that made several
  // accesses is in the count of the first.
  std::uint64_t instructions_of(const Event& event) {
    if (counts_) return std::exchange(work_of(event.thread), 0);
    return is_plain_access(event) ? parameters_.instructions_per_access : 0;
  }
  // Not yet spent. Threads come in runs: the last one is not looked up again.
  std::uint64_t& work_of(ThreadId thread) {
    if (thread != last_ || last_work_ == nullptr) {
      last_ = thread;
      last_work_ = &work_[thread];
    }
    return *last_work_;
  }
  bool is_checked(const Event& e) {
    const bool plain = e.kind == EventKind::kRead || e.kind == EventKind::kWrite;
    return parameters_.check_stacks || !plain || !stacks_.contain(e.object);
  }
  void prefetch(const Event& e) const;
  static bool is_plain_access(const Event& e) {
    return e.kind == EventKind::kRead || e.kind == EventKind::kWrite || is_atomic(e.kind);
  }

  static constexpr std::uint8_t kNoCore = 255;
  static constexpr std::size_t kThreadsFollowed = 1024;  // others are not looked ahead for

  CpuMachine machine_;
  ParsnipParameters parameters_;
  Hierarchy baseline_;
  std::vector<std::uint64_t> baseline_cycles_;  // by core
  ParsnipMachine parsnip_;
  std::unique_ptr<RadishMachine> radish_;
  Stacks stacks_;
  std::uint64_t events_ = 0;
  std::uint64_t instructions_ = 0;
  bool counts_ = false;                               // the trace has `work`
  std::unordered_map<ThreadId, std::uint64_t> work_;  // its elements stay where they are
  ThreadId last_{0};
  std::vector<std::uint8_t> cores_of_;  // by thread, as last seen; kNoCore: not yet
  std::uint64_t* last_work_ = nullptr;
};

}  // namespace redflag::sim::parsnip
