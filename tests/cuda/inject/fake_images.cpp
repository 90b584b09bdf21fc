// Arrays, textures and surfaces of the fake driver: memory of the emulated device, row by row.
//
// Addresses that are reserved are backed by nothing, so that whoever uses one as memory is ended.
#include <sys/mman.h>

#include <cstring>

#include "frontends/cuda/inject/image_desc.h"
#include "tests/cuda/inject/fake_driver.h"

namespace redflag::fake {
namespace {

using Guard = std::lock_guard<std::recursive_mutex>;

struct Array {
  CUDA_ARRAY3D_DESCRIPTOR what{};
  cuda::Image image;
};

Driver& driver() {
  return Driver::get();
}
Array& array_of(CUarray handle) {
  return *reinterpret_cast<Array*>(handle);
}
std::uint64_t number(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

CUresult make(CUarray* made, const CUDA_ARRAY3D_DESCRIPTOR& what) {
  const Guard guard(driver().mutex);
  const std::optional<cuda::Image> image = image_of(what);
  if (!image) return kErrorInvalidValue;
  const Result<std::uint64_t> at = driver().device.allocate(image->bytes());
  if (!at) return kErrorOutOfMemory;
  auto* const array = new Array{what, *image};
  array->image.address = *at;
  *made = reinterpret_cast<CUarray>(array);
  return kSuccess;
}

struct Rows {
  std::uint64_t at = 0, pitch = 0, slice = 0;
};
Rows rows_of(int type, const void* host, CUdeviceptr device, CUarray array, std::size_t pitch,
             std::size_t height) {
  if (type == kMemoryArray) {
    const cuda::Image& image = array_of(array).image;
    return {image.address, image.pitch, image.slice};
  }
  return {type == kMemoryHost ? number(host) : device, pitch, pitch * height};
}

CUresult copy(const CUDA_MEMCPY3D& c) {
  const Guard guard(driver().mutex);
  const Rows from =
      rows_of(c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcPitch, c.srcHeight);
  const Rows to =
      rows_of(c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstPitch, c.dstHeight);
  for (std::size_t z = 0; z < c.Depth; ++z) {
    for (std::size_t y = 0; y < c.Height; ++y) {
      const std::uint64_t source =
          from.at + (c.srcZ + z) * from.slice + (c.srcY + y) * from.pitch + c.srcXInBytes;
      const std::uint64_t target =
          to.at + (c.dstZ + z) * to.slice + (c.dstY + y) * to.pitch + c.dstXInBytes;
      std::memcpy(reinterpret_cast<void*>(target), reinterpret_cast<const void*>(source),
                  c.WidthInBytes);
    }
  }
  return kSuccess;
}

CUDA_MEMCPY3D flat(const CUDA_MEMCPY2D& c) {
  CUDA_MEMCPY3D made{};
  made.srcXInBytes = c.srcXInBytes, made.srcY = c.srcY;
  made.srcMemoryType = c.srcMemoryType, made.srcHost = c.srcHost;
  made.srcDevice = c.srcDevice, made.srcArray = c.srcArray, made.srcPitch = c.srcPitch;
  made.dstXInBytes = c.dstXInBytes, made.dstY = c.dstY;
  made.dstMemoryType = c.dstMemoryType, made.dstHost = c.dstHost;
  made.dstDevice = c.dstDevice, made.dstArray = c.dstArray, made.dstPitch = c.dstPitch;
  made.WidthInBytes = c.WidthInBytes, made.Height = c.Height, made.Depth = 1;
  return made;
}

CUresult object(unsigned long long* made, const CUDA_RESOURCE_DESC& resource,
                const CUDA_TEXTURE_DESC* texture) {
  const Guard guard(driver().mutex);
  cuda::Texture object;
  if (resource.resType == kResourceArray) {
    object.image = array_of(resource.res.array.hArray).image;
  } else if (const std::optional<cuda::Image> image = image_of(resource)) {
    object.image = *image;
  } else {
    return kErrorInvalidValue;
  }
  object.is_surface = texture == nullptr;
  if (texture != nullptr) object.sampler = sampler_of(*texture, object.image);
  *made = driver().device.add_texture(object);
  return kSuccess;
}

}  // namespace

#define API extern "C" __attribute__((visibility("default"))) CUresult

API cuMemAddressReserve(CUdeviceptr* made, std::size_t bytes, std::size_t, CUdeviceptr,
                        unsigned long long) {
  void* const at =
      ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return kErrorOutOfMemory;
  *made = number(at);
  driver().log("reserve " + std::to_string(bytes));
  return kSuccess;
}
API cuMemAddressFree(CUdeviceptr at, std::size_t bytes) {
  driver().log("release " + std::to_string(bytes));
  return ::munmap(reinterpret_cast<void*>(at), bytes) == 0 ? kSuccess : kErrorInvalidValue;
}

API cuArrayCreate_v2(CUarray* made, const CUDA_ARRAY_DESCRIPTOR* what) {
  return make(made, {what->Width, what->Height, 0, what->Format, what->NumChannels, 0});
}
API cuArray3DCreate_v2(CUarray* made, const CUDA_ARRAY3D_DESCRIPTOR* what) {
  return make(made, *what);
}
API cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* to, CUarray array) {
  *to = array_of(array).what;
  return kSuccess;
}
API cuArrayDestroy(CUarray handle) {
  const Guard guard(driver().mutex);
  (void)driver().device.free(array_of(handle).image.address);
  delete &array_of(handle);
  return kSuccess;
}

API cuTexObjectCreate(CUtexObject* made, const CUDA_RESOURCE_DESC* resource,
                      const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC*) {
  return object(made, *resource, texture);
}
API cuTexObjectDestroy(CUtexObject handle) {
  const Guard guard(driver().mutex);
  driver().device.remove_texture(handle);
  return kSuccess;
}
API cuSurfObjectCreate(CUsurfObject* made, const CUDA_RESOURCE_DESC* resource) {
  return object(made, *resource, nullptr);
}
API cuSurfObjectDestroy(CUsurfObject handle) {
  return cuTexObjectDestroy(handle);
}

API cuMemcpy2D_v2(const CUDA_MEMCPY2D* what) {
  return copy(flat(*what));
}
API cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* what, CUstream) {
  return copy(flat(*what));
}
API cuMemcpy3D_v2(const CUDA_MEMCPY3D* what) {
  return copy(*what);
}
API cuMemcpyHtoA_v2(CUarray to, std::size_t offset, const void* from, std::size_t bytes) {
  const Guard guard(driver().mutex);
  std::memcpy(reinterpret_cast<void*>(array_of(to).image.address + offset), from, bytes);
  return kSuccess;
}
API cuMemcpyAtoH_v2(void* to, CUarray from, std::size_t offset, std::size_t bytes) {
  const Guard guard(driver().mutex);
  std::memcpy(to, reinterpret_cast<const void*>(array_of(from).image.address + offset), bytes);
  return kSuccess;
}

}  // namespace redflag::fake
