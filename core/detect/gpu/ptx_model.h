// ptx_model: the precise GPU oracle. Scope-aware happens-before over all threads of all grids.
//
// The idea. Every thread has a vector clock, as in FastTrack; what orders two threads is what the PTX
// memory model and CUDA say: warp syncs, barriers, release and acquire patterns whose scopes include
// each other, transitively across scopes (HRF-indirect), copies that were waited for, streams and
// events (docs/how/semantics.md has the tables). Two accesses of a byte race when at least one writes,
// neither is ordered before the other, and they are not both atomics of sufficient scope.
//
// Its parts: sparse_clock.h and warp_clocks.h (clocks, compressed as in Barracuda, section 5.5),
// shadow.h (who accessed a word), ordering.h (fences, atomics, barriers), host_order.h (streams),
// model.h (steps in, races out). plain.h has the same clocks and shadow without any compression;
// differential tests hold the two together on random programs.
//
// Limits: within a launch, system scope is device scope (host atomics during a kernel are not
// told); an async copy never races with another copy of the same lane; a grid has fewer than 2^31
// threads; a program fewer than 2^20 launches between two device-wide synchronisations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/detect/gpu/gpu_detector.h"
#include "core/detect/gpu/gpu_race.h"
#include "core/model/finding.h"
#include "core/model/gpu.h"

namespace redflag::gpu {

enum class Strictness : std::uint8_t {
  kCuda,  // as the papers and ScoR's labels: volatile is data, an atomic that reads a released value
          // acquires, but for compare-and-swap, which takes locks and needs its fence
  kPtx,   // the formal model: volatile is relaxed at system scope, who reads must acquire
};

// Are lanes that execute an instruction together ordered after what the others did before?
enum class Convergence : std::uint8_t {
  kByLevel,   // kTogether for cuda, kNothing for ptx
  kNothing,   // only warp syncs order lanes
  kTogether,  // lanes of one instruction come after what each did before it (iGUARD, P4)
  kLockstep,  // as before Volta: besides, all lanes before a branch, and all that meet behind it;
              // only the two sides of a branch are not ordered (Barracuda, section 5.3.2)
};

struct PtxModelOptions {
  Strictness strictness = Strictness::kCuda;
  Convergence convergence = Convergence::kByLevel;
  bool filter_same_value = true;  // lanes of one instruction that write the same value: no race
  bool explain = true;            // find out what would have been enough
  std::size_t most_races = 1000;  // distinct ones; further ones are counted only
  // Work that explaining may take before it gives up and names the barrier only: runs joined.
  std::uint64_t explain_budget = 100'000'000;
  std::function<void(const GpuRace&)> on_race{};  // at the first of its kind; may be empty
};

class PtxModel final : public GpuDetector {
 public:
  explicit PtxModel(PtxModelOptions options = {});
  ~PtxModel() override;
  PtxModel(const PtxModel&) = delete;
  PtxModel& operator=(const PtxModel&) = delete;

  void launch_begins(const Launch& launch) override;
  void step(const Step& step) override;
  void launch_ends(LaunchId launch) override;
  void host(const HostStep& step) override;

  std::vector<GpuRace> races() const override;
  std::uint64_t dropped() const override;
  std::size_t metadata_bytes() const override;  // clocks and shadow
  std::vector<Counter> stats() const override;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace redflag::gpu
