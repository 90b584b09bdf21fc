#include "core/detect/registry.h"

#include "core/detect/fasttrack/fasttrack.h"
#include "core/detect/lockset/lockset.h"
#include "core/detect/oracle/oracle.h"
#include "core/detect/slimfast/slimfast.h"
#include "core/detect/trivial/trivial.h"

namespace redflag {
namespace {

template <typename D>
std::unique_ptr<Detector> make(const DetectorOptions& options) {
  return std::make_unique<D>(options);
}

}  // namespace

const std::array<DetectorInfo, kDetectorCount> kDetectors{{
    {"slimfast", "happens-before with shared histories: precise, fast, small (the default)", true,
     true, make<slimfast::SlimFast>},
    {"fasttrack", "happens-before with a history per location: precise, the baseline", true, true,
     make<fasttrack::FastTrack>},
    {"oracle", "full vector clocks, every access kept: precise and slow, for small traces", true,
     true, make<oracle::Oracle>},
    {"lockset", "Eraser's lock discipline: predicts races that this run's order hid", true, false,
     make<lockset::Lockset>},
    {"count", "counts events by kind; finds nothing", false, false, make<trivial::Count>},
    {"print", "prints every event; finds nothing", false, false, make<trivial::Print>},
    {"empty", "does nothing: the cost of reading the trace", false, false, make<trivial::Empty>},
}};

const DetectorInfo* find_detector(std::string_view name) {
  for (const DetectorInfo& d : kDetectors) {
    if (d.name == name) return &d;
  }
  return nullptr;
}

}  // namespace redflag
