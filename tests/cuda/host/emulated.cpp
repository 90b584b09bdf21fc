// See emulated.h.
#include "tests/cuda/host/emulated.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>

namespace redflag::script {
namespace {

std::uint64_t address_of(const void* at) {
  return reinterpret_cast<std::uintptr_t>(at);
}

gpu::Dim dim(const std::array<std::uint32_t, 3>& d) {
  return {d[0], d[1], d[2]};
}

double processor_seconds_of_process() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

cuda::Texture texture_of(const ObjectPlan& plan, std::uint64_t address) {
  using cuda::ImageShape;
  cuda::Texture made;
  cuda::Image& image = made.image;
  const bool layered = plan.image.layers != 0;
  image.address = address;
  image.width = plan.image.width;
  image.height = std::max<std::uint64_t>(plan.image.height, 1);
  image.depth = std::max<std::uint64_t>(plan.image.layers, 1);
  image.pitch = image.width * size_of(plan.image.type);
  image.slice = image.pitch * image.height;
  image.bits = static_cast<std::uint8_t>(size_of(plan.image.type) * 8);
  image.kind = plan.image.type == Type::kFloat  ? cuda::ChannelKind::kFloat
               : plan.image.type == Type::kUint ? cuda::ChannelKind::kUnsigned
                                                : cuda::ChannelKind::kSigned;
  image.linear = !plan.is_image;
  image.shape = plan.image.height == 0 ? (layered ? ImageShape::k1dLayered : ImageShape::k1d)
                                       : (layered ? ImageShape::k2dLayered : ImageShape::k2d);
  made.is_surface = plan.is_surface;
  made.sampler.filters = plan.filters;
  made.sampler.normalized = plan.normalized;
  made.sampler.as_float = plan.as_float && plan.image.type != Type::kFloat;
  for (cuda::AddressMode& mode : made.sampler.mode) {
    mode = static_cast<cuda::AddressMode>(plan.mode);
  }
  return made;
}

Emulated::~Emulated() {
  for (const std::uint64_t address : allocations_) (void)device_.free(address);
}

void Emulated::tell(gpu::HostStep step) {
  if (sink_ != nullptr) sink_->host(step);
}

std::string Emulated::allocate(int line, std::uint64_t bytes, bool /*managed*/, void** address) {
  const Result<std::uint64_t> made = device_.allocate(bytes);
  if (!made) return made.error().message;
  allocations_.push_back(*made);
  *address = reinterpret_cast<void*>(*made);
  tell({.kind = gpu::HostKind::kAlloc, .site = host_site(line), .address = *made, .size = bytes});
  return {};
}

std::string Emulated::find_symbol(const std::string& name, std::uint64_t bytes, void** address) {
  const Result<cuda::Symbol> found = device_.find_symbol(module_, name);
  if (!found) return found.error().message;
  if (found->size < bytes) return name + " has only " + std::to_string(found->size) + " bytes";
  *address = reinterpret_cast<void*>(found->address);
  return {};
}

cuda::LaunchConfig Emulated::config_of(const LaunchPlan& plan) {
  return {.grid = dim(plan.grid),
          .block = dim(plan.block),
          .cluster = {plan.cluster, 1, 1},
          .dynamic_shared = plan.shared_bytes,
          .stream = gpu::StreamId{static_cast<std::uint32_t>(plan.stream)},
          .host_thread = kMainThread,
          .cooperative = plan.cooperative};
}

std::string Emulated::launch(int /*line*/, const LaunchPlan& plan) {
  const Result<cuda::KernelId> kernel = device_.find_kernel(module_, plan.kernel);
  if (!kernel) return kernel.error().message;
  const cuda::KernelInfo& info = device_.info(*kernel);
  if (info.parameter_sizes.size() != plan.arguments.size())
    return plan.kernel + " has " + std::to_string(info.parameter_sizes.size()) +
           " parameters, not " + std::to_string(plan.arguments.size());
  std::vector<std::byte> params(info.parameter_bytes);
  for (std::size_t i = 0; i < plan.arguments.size(); ++i) {
    std::memcpy(params.data() + info.parameter_offsets[i], plan.arguments[i].bytes.data(),
                std::min<std::size_t>(info.parameter_sizes[i], 8));
  }
  const cuda::LaunchConfig config = config_of(plan);
  cuda::Fault fault;
  const auto start = std::chrono::steady_clock::now();
  const double given = processor_seconds_of_process();
  const Result<void> ran = device_.launch(*kernel, config, params, fault);
  kernel_seconds_ +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  processor_seconds_ += processor_seconds_of_process() - given;
  if (!ran) return ran.error().message;
  return fault.kind == cuda::FaultKind::kNone ? "" : fault.text;
}

std::string Emulated::copy(gpu::HostKind kind, int line, void* device_side, std::uint64_t bytes,
                           int stream) {
  tell({.kind = kind,
        .waits = stream == 0,
        .stream = gpu::StreamId{static_cast<std::uint32_t>(stream)},
        .site = host_site(line),
        .address = address_of(device_side),
        .size = bytes});
  return {};
}
std::string Emulated::upload(int line, void* to, const void* from, std::uint64_t bytes,
                             int stream) {
  std::memcpy(to, from, bytes);
  return copy(gpu::HostKind::kWrite, line, to, bytes, stream);
}
std::string Emulated::download(int line, void* to, const void* from, std::uint64_t bytes,
                               int stream) {
  std::memcpy(to, from, bytes);
  return copy(gpu::HostKind::kRead, line, const_cast<void*>(from), bytes, stream);
}
std::string Emulated::set(int line, void* at, int value, std::uint64_t bytes, int stream) {
  std::memset(at, value, bytes);
  return copy(gpu::HostKind::kWrite, line, at, bytes, stream);
}
std::string Emulated::create_image(int line, const ImagePlan& plan, void** image) {
  return allocate(line, plan.count() * size_of(plan.type), false, image);
}
std::string Emulated::create_object(const ObjectPlan& plan, std::uint64_t* handle) {
  *handle = device_.add_texture(texture_of(plan, address_of(plan.of)));
  return {};
}
std::string Emulated::upload_image(int line, void* to, const void* from, const ImagePlan& plan,
                                   int stream) {
  return upload(line, to, from, plan.count() * size_of(plan.type), stream);
}
std::string Emulated::download_image(int line, void* to, void* from, const ImagePlan& plan,
                                     int stream) {
  return download(line, to, from, plan.count() * size_of(plan.type), stream);
}
std::string Emulated::peek_image(void* to, void* from, const ImagePlan& plan) {
  return peek(to, from, plan.count() * size_of(plan.type));
}
std::string Emulated::host_access(int line, void* at, std::uint64_t bytes, bool writes) {
  tell({.kind = writes ? gpu::HostKind::kHostWrite : gpu::HostKind::kHostRead,
        .site = host_site(line),
        .address = address_of(at),
        .size = bytes});
  return {};
}

std::string Emulated::create_stream(int stream) {
  tell({.kind = gpu::HostKind::kStreamNonBlocking,
        .stream = gpu::StreamId{static_cast<std::uint32_t>(stream)}});
  return {};
}
std::string Emulated::record(int event, int stream) {
  tell({.kind = gpu::HostKind::kRecordEvent,
        .stream = gpu::StreamId{static_cast<std::uint32_t>(stream)},
        .event = gpu::HostEventId{static_cast<std::uint32_t>(event)}});
  return {};
}
std::string Emulated::stream_waits(int event, int stream) {
  tell({.kind = gpu::HostKind::kStreamWait,
        .stream = gpu::StreamId{static_cast<std::uint32_t>(stream)},
        .event = gpu::HostEventId{static_cast<std::uint32_t>(event)}});
  return {};
}
std::string Emulated::sync_event(int event) {
  tell({.kind = gpu::HostKind::kSyncEvent,
        .waits = true,
        .event = gpu::HostEventId{static_cast<std::uint32_t>(event)}});
  return {};
}
std::string Emulated::sync_stream(int stream) {
  tell({.kind = gpu::HostKind::kSyncStream,
        .waits = true,
        .stream = gpu::StreamId{static_cast<std::uint32_t>(stream)}});
  return {};
}
std::string Emulated::sync_device() {
  tell({.kind = gpu::HostKind::kSyncDevice, .waits = true});
  return {};
}

std::string Emulated::peek(void* to, const void* from, std::uint64_t bytes) {
  std::memcpy(to, from, bytes);
  return {};
}

}  // namespace redflag::script
