// redflag detectors: the table of detectors, for people.
#include "cli/console.h"
#include "cli/run.h"
#include "core/detect/registry.h"

namespace redflag::cli {

Status run_detectors(const Arguments&) {
  std::string text;
  for (const DetectorInfo& detector : kDetectors) {
    std::string name(detector.name);
    name.resize(std::max<std::size_t>(name.size(), 12), ' ');
    text += name + std::string(detector.summary) + "\n";
  }
  return print_and_end(text);
}

}  // namespace redflag::cli
