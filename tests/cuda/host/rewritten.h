// The Machine that is a GPU as far as detection goes: the emulated device runs rewritten PTX and tells
// nothing itself; a device runtime's hooks do.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "frontends/cuda/device/runtime.h"
#include "frontends/cuda/device/stream_source.h"
#include "frontends/cuda/rewrite/rewrite.h"
#include "tests/cuda/host/emulated.h"

namespace redflag::script {

// What the host does, told to the runtime.
class HostSink : public gpu::Sink {
 public:
  explicit HostSink(device::Runtime& runtime) : runtime_(runtime) {}
  void launch_begins(const gpu::Launch& /*launch*/) override {}
  void step(const gpu::Step& /*step*/) override {}
  void launch_ends(gpu::LaunchId /*launch*/) override {}
  void host(const gpu::HostStep& step) override { runtime_.host(step); }

 protected:
  device::Runtime& runtime() { return runtime_; }

 private:
  device::Runtime& runtime_;
};

// The runtime `stream` with any sink behind it.
class StreamTo final : public device::Runtime {
 public:
  StreamTo(device::DeviceMemory& memory, gpu::Sink& sink) : source_(memory, sink) {}
  std::string_view ptx(std::uint32_t sm) const override;
  Result<std::uint64_t> state() override { return source_.state(); }
  std::uint64_t launch_begins(const gpu::Launch& launch, std::uint64_t /*dynamic*/) override {
    source_.launch_begins(launch);
    return raw(launch.id);
  }
  std::uint64_t parameter(const gpu::Launch& launch, std::uint64_t /*dynamic*/) const override {
    return raw(launch.id);
  }
  std::uint64_t more_shared(std::uint64_t /*fixed*/, std::uint64_t /*dynamic*/,
                            std::uint64_t /*threads*/) const override {
    return 0;
  }
  std::uint64_t without_more_shared(std::uint64_t value) const override { return value; }
  void launch_ends(gpu::LaunchId launch) override { source_.launch_ends(launch); }
  void host(const gpu::HostStep& step) override { source_.host(step); }
  void add_image(std::uint64_t handle, const cuda::Texture& object) override {
    source_.images().add(handle, object);
  }
  void remove_image(std::uint64_t handle, bool is_surface) override {
    source_.images().remove(handle, is_surface);
  }
  std::vector<gpu::GpuRace> collect() override {  // the sink has heard all
    (void)source_.settle();
    return {};
  }
  std::uint64_t dropped() const override { return 0; }
  std::vector<Counter> stats() const override { return source_.stats(); }

 private:
  mutable device::StreamSource source_;
};

// With the hooks of a runtime: "stream" or "compact"; "none": as it is, with none.
Result<rewrite::Rewritten> rewrite_for(const std::string& runtime, const std::string& path,
                                       const std::string& ptx, bool prune);

// Launches by the version of their kernel, as counters.
class Versions {
 public:
  void add(const std::string& kernel, rewrite::Version version) { ++launches_[{kernel, version}]; }
  void append(std::vector<Counter>& to) const;

 private:
  std::map<std::pair<std::string, rewrite::Version>, std::uint64_t> launches_;
};

// The version of the kernel that a launch, which has begun, needs. `address_of`: of a variable of the module.
rewrite::Version version_for(const rewrite::Kernel& kernel, const gpu::Launch& launch,
                             const LaunchPlan& plan, device::Runtime& runtime,
                             const std::function<std::uint64_t(const std::string&)>& address_of);

class Rewritten final : private HostSink, public Emulated {
 public:
  // `module` has been made of `made`, whose runtime is `runtime`.
  Rewritten(cuda::Device& device, cuda::ModuleId module, const rewrite::Rewritten& made,
            device::Runtime& runtime)
      : HostSink(runtime), Emulated(device, module, this), made_(made) {}

  // Stores the runtime's state in the module, and tells of its variables; empty, or what went wrong.
  std::string connect(const std::vector<std::string>& variables);
  std::string launch(int line, const LaunchPlan& plan) override;
  std::string create_object(const ObjectPlan& plan, std::uint64_t* handle) override;
  const Versions& versions() const { return versions_; }

 private:
  const rewrite::Rewritten& made_;
  Versions versions_;
  std::uint32_t launches_ = 0;
};

}  // namespace redflag::script
