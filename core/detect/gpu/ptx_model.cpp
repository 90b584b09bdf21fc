#include "core/detect/gpu/ptx_model.h"

#include <utility>

#include "core/detect/gpu/model.h"
#include "core/detect/gpu/shadow.h"
#include "core/detect/gpu/warp_clocks.h"

namespace redflag::gpu {

class PtxModel::Implementation {
 public:
  explicit Implementation(PtxModelOptions options) : model(std::move(options)) {}
  Model<WarpClocks, Shadow> model;
};

PtxModel::PtxModel(PtxModelOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
PtxModel::~PtxModel() = default;

void PtxModel::launch_begins(const Launch& launch) {
  implementation_->model.launch_begins(launch);
}
void PtxModel::step(const Step& step) {
  implementation_->model.step(step);
}
void PtxModel::launch_ends(LaunchId launch) {
  implementation_->model.launch_ends(launch);
}
void PtxModel::host(const HostStep& step) {
  implementation_->model.host(step);
}

std::vector<GpuRace> PtxModel::races() const {
  return implementation_->model.races();
}
std::uint64_t PtxModel::dropped() const {
  return implementation_->model.dropped();
}
std::size_t PtxModel::metadata_bytes() const {
  return implementation_->model.bytes();
}
std::vector<Counter> PtxModel::stats() const {
  auto& model = implementation_->model;
  const WarpClocks::Formats formats = model.real().clocks.formats();
  const auto count = [](const char* name, std::uint64_t value) {
    return Counter{name, static_cast<double>(value), ""};
  };
  return {count("steps", model.steps()),
          count("barriers", model.barriers()),
          count("barriers of whole blocks", model.full_barriers()),
          count("warps converged", formats.converged),
          count("warps diverged", formats.diverged),
          count("warps nested diverged", formats.nested),
          count("warps with sparse clocks", formats.sparse),
          count("races", races().size()),
          {"metadata", static_cast<double>(metadata_bytes()), "bytes"}};
}

}  // namespace redflag::gpu
