// redflag detectors: the table of detectors, for people.
#include "cli/console.h"
#include "cli/run.h"
#include "core/detect/gpu/gpu_registry.h"
#include "core/detect/registry.h"

namespace redflag::cli {

Status run_detectors(const Arguments&) {
  std::string text;
  const auto line = [&](std::string_view detector, std::string_view summary) {
    std::string name(detector);
    name.resize(std::max<std::size_t>(name.size(), 12), ' ');
    text += name + std::string(summary) + "\n";
  };
  for (const DetectorInfo& detector : kDetectors) line(detector.name, detector.summary);
  for (const gpu::GpuDetectorInfo& one : gpu::kGpuDetectors) line(one.name, one.summary);
  return print_and_end(text);
}

}  // namespace redflag::cli
