// ScordSim: a GPU with ScoRD and the same GPU without it, on the same steps.
//
//   ScordSim sim(GpuMachine{}, ScordParameters{});
//   device or trace → sim (a gpu::Sink)
//   sim.stats().slowdown(), sim.races()
//
// Decisions and time are apart. What ScoRD decides depends on the order of the steps, as the kernel
// really ran, and is made as they are told (detection.h). What it costs depends on which lines and which
// entries are touched, not on what they hold: warps are given time anew, many blocks at once, by two
// machines that differ in nothing but the detector (sim/mem/gpu). So the slowdown is the quotient of two
// cycle counts of one run, and a kernel cannot behave otherwise because it is slower.
//
// Memory: the program's pages, its metadata, and at most GpuMachine::buffer_bytes of steps that the
// machines have not run yet. One thread at a time.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/model/gpu.h"
#include "sim/models/scord/detection.h"
#include "sim/models/scord/scord_side.h"
#include "sim/models/scord/scord_stats.h"

namespace redflag::sim {

class ScordSim final : public gpu::Sink {
 public:
  // Both must be without fault: fault_of().
  ScordSim(const GpuMachine& machine, const ScordParameters& parameters);
  ~ScordSim() override;

  void launch_begins(const gpu::Launch& launch) override;
  void step(const gpu::Step& step) override;
  void launch_ends(gpu::LaunchId launch) override;
  void host(const gpu::HostStep& step) override;

  ScordStats stats() const;
  std::vector<gpu::GpuRace> races() const { return detection_->races(); }

 private:
  void give_time(bool all);

  GpuMachine machine_;
  ScordParameters parameters_;
  StepRecorder recorder_;
  std::unique_ptr<DetectionUnit> detection_;
  std::array<std::unique_ptr<DetectionUnit>, kScordDesigns> designs_;  // with `tables`
  ScordSide side_;
  GpuTiming baseline_, detecting_;
  std::uint64_t launches_ = 0;
  bool running_ = false;
};

}  // namespace redflag::sim
