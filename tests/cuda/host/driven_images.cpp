// Images of the Machine that is a GPU (driven.h): arrays, textures and surfaces of the driver.
#include "frontends/cuda/inject/driver_images.h"
#include "tests/cuda/host/driven.h"

namespace redflag::script {
namespace {

using inject::CUdeviceptr;

constexpr std::uint64_t kGranularity = std::uint64_t{2} << 20;  // of addresses that are reserved

int format_of(const ImagePlan& plan) {
  if (plan.type == Type::kFloat) return inject::kFormatFloat;
  return plan.type == Type::kUint ? inject::kFormatU32 : inject::kFormatS32;
}

// Whole images, without gaps on the host.
inject::CUDA_MEMCPY3D copy_of(const ImagePlan& plan) {
  inject::CUDA_MEMCPY3D copy{};
  const std::size_t row = plan.width * size_of(plan.type);
  const std::size_t rows = plan.height == 0 ? 1 : plan.height;
  copy.srcPitch = copy.dstPitch = row;
  copy.srcHeight = copy.dstHeight = rows;
  copy.WidthInBytes = row;
  copy.Height = rows;
  copy.Depth = plan.layers == 0 ? 1 : plan.layers;
  return copy;
}

}  // namespace

std::string Driven::create_image(int line, const ImagePlan& plan, void** image) {
  if (size_of(plan.type) != 4) return "needs an image of 4 bytes for each texel";
  const inject::CUDA_ARRAY3D_DESCRIPTOR what{
      plan.width,  plan.height,
      plan.layers, format_of(plan),
      1,           inject::kArraySurface | (plan.layers == 0 ? 0 : inject::kArrayLayered)};
  void* made = nullptr;
  std::string fault = driver_.call("cuArray3DCreate_v2", &made, &what);
  if (!fault.empty()) return fault;
  const std::uint64_t bytes = plan.count() * size_of(plan.type);
  const std::uint64_t whole = (bytes + kGranularity - 1) / kGranularity * kGranularity;
  CUdeviceptr at = 0;
  fault = driver_.call("cuMemAddressReserve", &at, static_cast<std::size_t>(whole), std::size_t{0},
                       CUdeviceptr{0}, 0ULL);
  if (!fault.empty()) return fault;
  arrays_[made] = {at, whole};
  *image = made;
  runtime_.host(
      {.kind = gpu::HostKind::kAlloc, .site = host_site(line), .address = at, .size = bytes});
  return {};
}

std::string Driven::create_object(const ObjectPlan& plan, std::uint64_t* handle) {
  inject::CUDA_RESOURCE_DESC of{};
  std::uint64_t address = reinterpret_cast<std::uintptr_t>(plan.of);
  if (plan.is_image) {
    of.resType = inject::kResourceArray;
    of.res.array.hArray = static_cast<inject::CUarray>(plan.of);
    address = arrays_[plan.of].address;
  } else {
    of.resType = inject::kResourceLinear;
    of.res.linear = {address, format_of(plan.image), 1,
                     plan.image.width * size_of(plan.image.type)};
  }
  inject::CUDA_TEXTURE_DESC how{};
  for (int& mode : how.addressMode) mode = plan.mode;
  how.filterMode = plan.filters ? inject::kFilterLinear : 0;
  const bool stays = !plan.as_float && plan.image.type != Type::kFloat;
  how.flags =
      (plan.normalized ? inject::kNormalizedCoordinates : 0) | (stays ? inject::kReadAsInteger : 0);
  inject::CUtexObject made = 0;
  const inject::CUDA_RESOURCE_VIEW_DESC* const view = nullptr;
  std::string fault = plan.is_surface ? driver_.call("cuSurfObjectCreate", &made, &of)
                                      : driver_.call("cuTexObjectCreate", &made, &of, &how, view);
  if (!fault.empty()) return fault;
  (plan.is_surface ? surfaces_ : textures_).push_back(made);
  *handle = made;
  runtime_.add_image(made, texture_of(plan, address));
  return {};
}

std::string Driven::upload_image(int line, void* to, const void* from, const ImagePlan& plan,
                                 int stream) {
  inject::CUDA_MEMCPY3D copy = copy_of(plan);
  copy.srcMemoryType = inject::kMemoryHost;
  copy.srcHost = from;
  copy.dstMemoryType = inject::kMemoryArray;
  copy.dstArray = static_cast<inject::CUarray>(to);
  std::string fault = driver_.call("cuMemcpy3D_v2", &copy);
  if (!fault.empty()) return fault;
  return tell_copy(gpu::HostKind::kWrite, line, arrays_[to].address,
                   plan.count() * size_of(plan.type), stream);
}

std::string Driven::download_image(int line, void* to, void* from, const ImagePlan& plan,
                                   int stream) {
  std::string fault = peek_image(to, from, plan);
  if (!fault.empty()) return fault;
  return tell_copy(gpu::HostKind::kRead, line, arrays_[from].address,
                   plan.count() * size_of(plan.type), stream);
}

std::string Driven::peek_image(void* to, void* from, const ImagePlan& plan) {
  inject::CUDA_MEMCPY3D copy = copy_of(plan);
  copy.srcMemoryType = inject::kMemoryArray;
  copy.srcArray = static_cast<inject::CUarray>(from);
  copy.dstMemoryType = inject::kMemoryHost;
  copy.dstHost = to;
  return driver_.call("cuMemcpy3D_v2", &copy);
}

}  // namespace redflag::script
