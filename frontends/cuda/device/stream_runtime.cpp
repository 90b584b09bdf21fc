// The runtime `stream`: StreamSource with a detector of the registry behind it.
#include "core/detect/gpu/gpu_registry.h"
#include "frontends/cuda/device/runtime.h"
#include "frontends/cuda/device/stream_source.h"

namespace redflag::device {

std::string_view stream_ptx(std::uint32_t sm);  // by redflag_device_runtime

namespace {

class StreamRuntime final : public Runtime {
 public:
  StreamRuntime(DeviceMemory& memory, std::unique_ptr<gpu::GpuDetector> detector)
      : detector_(std::move(detector)), source_(memory, *detector_) {}

  std::string_view ptx(std::uint32_t sm) const override { return stream_ptx(sm); }
  Result<std::uint64_t> state() override { return source_.state(); }
  std::uint64_t launch_begins(const gpu::Launch& launch, std::uint64_t) override {
    source_.launch_begins(launch);
    return raw(launch.id);
  }
  std::uint64_t parameter(const gpu::Launch& launch, std::uint64_t) const override {
    return raw(launch.id);
  }
  std::uint64_t without_more_shared(std::uint64_t value) const override { return value; }
  std::uint64_t more_shared(std::uint64_t, std::uint64_t, std::uint64_t) const override {
    return 0;
  }
  void launch_ends(gpu::LaunchId launch) override { source_.launch_ends(launch); }
  void host(const gpu::HostStep& step) override { source_.host(step); }
  void add_image(std::uint64_t handle, const cuda::Texture& object) override {
    source_.images().add(handle, object);
  }
  void remove_image(std::uint64_t handle, bool is_surface) override {
    source_.images().remove(handle, is_surface);
  }

  std::vector<gpu::GpuRace> collect() override {
    const std::unique_lock lock = source_.settle();
    std::vector<gpu::GpuRace> races = detector_->races();
    races.erase(races.begin(), races.begin() + static_cast<std::ptrdiff_t>(collected_));
    collected_ += races.size();
    return races;
  }
  std::uint64_t dropped() const override {
    const std::unique_lock lock = source_.settle();
    return detector_->dropped();
  }
  std::vector<Counter> stats() const override {
    std::vector<Counter> all = source_.stats();
    const std::unique_lock lock = source_.settle();
    for (const Counter& counter : detector_->stats()) all.push_back(counter);
    return all;
  }

 private:
  std::unique_ptr<gpu::GpuDetector> detector_;
  mutable StreamSource source_;  // ends first: its thread tells the detector
  std::size_t collected_ = 0;
};

}  // namespace

std::unique_ptr<Runtime> make_stream_runtime(DeviceMemory& memory, std::string_view detector) {
  const gpu::GpuDetectorInfo* const info = gpu::find_gpu_detector(detector);
  if (info == nullptr) return nullptr;
  return std::make_unique<StreamRuntime>(memory, info->make({}));
}

}  // namespace redflag::device
