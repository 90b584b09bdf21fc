#include "core/detect/gpu/gpu_registry.h"

#include "core/detect/gpu/barracuda/barracuda.h"
#include "core/detect/gpu/curd/curd.h"
#include "core/detect/gpu/iguard/iguard.h"
#include "core/detect/gpu/scord/scord.h"

namespace redflag::gpu {
namespace {

std::unique_ptr<GpuDetector> make_ptx_model(const GpuDetectorOptions& options) {
  PtxModelOptions made;
  made.strictness = options.strictness;
  made.convergence = options.convergence;
  made.most_races = options.most_races;
  made.on_race = options.on_race;
  return std::make_unique<PtxModel>(std::move(made));
}

std::unique_ptr<GpuDetector> make_barracuda(const GpuDetectorOptions& options) {
  barracuda::Options made;
  made.most_races = options.most_races;
  made.on_race = options.on_race;
  made.memory = options.memory;
  return std::make_unique<barracuda::Barracuda>(std::move(made));
}

std::unique_ptr<GpuDetector> make_scord(const GpuDetectorOptions& options) {
  scord::Options made;
  made.granularity = options.granularity;
  made.metadata_cache = options.metadata_cache;
  made.most_races = options.most_races;
  made.on_race = options.on_race;
  made.memory = options.memory;
  return std::make_unique<scord::Scord>(std::move(made));
}

std::unique_ptr<GpuDetector> make_iguard(const GpuDetectorOptions& options) {
  iguard::Options made;
  made.granularity = options.granularity;
  made.history = options.accessors;
  made.most_races = options.most_races;
  made.on_race = options.on_race;
  made.memory = options.memory;
  return std::make_unique<iguard::Iguard>(std::move(made));
}

// Kernels that are not for CURD go to Barracuda (section 6.1), with the same options.
std::unique_ptr<GpuDetector> make_curd(const GpuDetectorOptions& options) {
  curd::Options made;
  made.eager = options.eager;
  made.most_races = options.most_races;
  made.on_race = options.on_race;
  made.memory = options.memory;
  made.make_other = [options](curd::OnRace on_race) {
    GpuDetectorOptions of_other = options;
    of_other.on_race = std::move(on_race);
    return make_barracuda(of_other);
  };
  return std::make_unique<curd::Curd>(std::move(made));
}

}  // namespace

const std::array<GpuDetectorInfo, kGpuDetectorCount> kGpuDetectors{{
    {"ptx_model", "GPU kernels: scoped happens-before over all threads: precise (the default)",
     true, make_ptx_model},
    {"barracuda",
     "GPU kernels: Barracuda (PLDI'17): vector clocks by warp, lanes in lockstep",
     false,
     make_barracuda,
     {.one_launch = true,
      .lockstep = true,
      .one_scope = true,
      .atomics_alike = true,
      .stores_signal = true}},
    {"curd",
     "GPU kernels: CURD (PLDI'18): region sets between barriers, others by barracuda",
     false,
     make_curd,
     {.one_launch = true,
      .no_barriers = true,
      .lockstep = true,
      .lanes_apart = true,
      .one_scope = true,
      .atomics_alike = true,
      .stores_signal = true}},
    {"scord",
     "GPU kernels: ScoRD (ISCA'20): 8 bytes for the last warp, fences and locks by scope",
     false,
     make_scord,
     {.by_entry = true,
      .by_warp = true,
      .global_only = true,
      .one_launch = true,
      .one_sided = true,
      .no_barriers = true,
      .block_bits = scord::kBlockBits,
      .has_cache = true}},
    {"iguard",
     "GPU kernels: iGUARD (SOSP'21): 16 bytes for last writer and accessor, lanes apart",
     false,
     make_iguard,
     {.by_entry = true,
      .global_only = true,
      .one_launch = true,
      .one_sided = true,
      .no_barriers = true,
      .warp_bits = iguard::kWarpBits}},
}};

const GpuDetectorInfo* find_gpu_detector(std::string_view name) {
  for (const GpuDetectorInfo& d : kGpuDetectors) {
    if (d.name == name) return &d;
  }
  return nullptr;
}

}  // namespace redflag::gpu
