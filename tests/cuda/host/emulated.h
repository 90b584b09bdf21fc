// The Machine that is the emulated device: runs a script with the PTX that was made from the same source.
//
// What the host does is told to the sink as the runtime library would tell it. A statement of the script is
// a site like an instruction: host_site(line), so that a finding can name both sides in one file. Streams of
// scripts do not wait for the default stream, and copies in the default stream are waited for, as in cuda.cu.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/gpu.h"
#include "frontends/cuda/emulate/device.h"
#include "tests/cuda/host/script.h"

namespace redflag::script {

// Far above the sites of any program here, and within what detectors keep of a site.
inline constexpr std::uint32_t kHostSites = 1U << 23;
constexpr gpu::SiteId host_site(int line) {
  return gpu::SiteId{kHostSites + static_cast<std::uint32_t>(line)};
}
// The line of a host site; 0: it is an instruction.
constexpr int host_line(gpu::SiteId site) {
  return raw(site) > kHostSites ? static_cast<int>(raw(site) - kHostSites) : 0;
}

// The object of a plan, whose memory begins there.
cuda::Texture texture_of(const ObjectPlan& plan, std::uint64_t address);

class Emulated : public Machine {
 public:
  Emulated(cuda::Device& device, cuda::ModuleId module, gpu::Sink* sink)
      : device_(device), module_(module), sink_(sink) {}
  ~Emulated() override;

  std::string allocate(int line, std::uint64_t bytes, bool managed, void** address) override;
  std::string find_symbol(const std::string& name, std::uint64_t bytes, void** address) override;
  std::string launch(int line, const LaunchPlan& plan) override;
  std::string upload(int line, void* to, const void* from, std::uint64_t bytes,
                     int stream) override;
  std::string download(int line, void* to, const void* from, std::uint64_t bytes,
                       int stream) override;
  std::string set(int line, void* at, int value, std::uint64_t bytes, int stream) override;
  std::string create_image(int line, const ImagePlan& plan, void** image) override;
  std::string create_object(const ObjectPlan& plan, std::uint64_t* handle) override;
  std::string upload_image(int line, void* to, const void* from, const ImagePlan& plan,
                           int stream) override;
  std::string download_image(int line, void* to, void* from, const ImagePlan& plan,
                             int stream) override;
  std::string peek_image(void* to, void* from, const ImagePlan& plan) override;
  std::string host_access(int line, void* at, std::uint64_t bytes, bool writes) override;
  std::string create_stream(int stream) override;
  std::string create_event(int) override { return {}; }
  std::string record(int event, int stream) override;
  std::string stream_waits(int event, int stream) override;
  std::string sync_event(int event) override;
  std::string sync_stream(int stream) override;
  std::string sync_device() override;
  std::string peek(void* to, const void* from, std::uint64_t bytes) override;

  double kernel_seconds() const { return kernel_seconds_; }        // by the clock on the wall
  double processor_seconds() const { return processor_seconds_; }  // that the process was given

 protected:
  cuda::Device& device() { return device_; }
  cuda::ModuleId module() const { return module_; }
  static cuda::LaunchConfig config_of(const LaunchPlan& plan);

 private:
  void tell(gpu::HostStep step);
  std::string copy(gpu::HostKind kind, int line, void* device_side, std::uint64_t bytes,
                   int stream);

  cuda::Device& device_;
  cuda::ModuleId module_;
  gpu::Sink* sink_;
  std::vector<std::uint64_t> allocations_;
  double kernel_seconds_ = 0;
  double processor_seconds_ = 0;
};

}  // namespace redflag::script
