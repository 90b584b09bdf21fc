#include "frontends/cuda/inject/image_objects.h"

#include "frontends/cuda/inject/image_desc.h"

namespace redflag::inject {
namespace {

bool is_alike(const cuda::Image& a, const cuda::Image& b) {
  return a.width == b.width && a.height == b.height && a.depth == b.depth && a.shape == b.shape &&
         a.kind == b.kind && a.channels == b.channels && a.bits == b.bits;
}

}  // namespace

const cuda::Image* ImageObjects::array(CUarray handle) {
  CUDA_ARRAY3D_DESCRIPTOR what{};
  if (handle == nullptr || !describe_(handle, what)) return nullptr;
  std::optional<cuda::Image> image = image_of(what);
  const auto known = arrays_.find(handle);
  if (known != arrays_.end()) {
    if (image && is_alike(*image, known->second)) return &known->second;
    array_ends(handle);  // that was another one, whose end nobody has seen
  }
  if (!image) return nullptr;
  image->address = ranges_.take(image->bytes());
  if (image->address == 0) return nullptr;
  const cuda::Image& made = arrays_[handle] = *image;
  begins_(made);
  return &made;
}

void ImageObjects::array_ends(CUarray handle) {
  const auto at = arrays_.find(handle);
  if (at == arrays_.end()) return;
  const std::uint64_t address = at->second.address;
  arrays_.erase(at);
  ends_(address);
  ranges_.give_back(address);
}

std::optional<cuda::Image> ImageObjects::image(const CUDA_RESOURCE_DESC& resource,
                                               const CUDA_RESOURCE_VIEW_DESC* view) {
  if (resource.resType != kResourceArray) return image_of(resource);
  const cuda::Image* const found = array(resource.res.array.hArray);
  if (found == nullptr) return std::nullopt;
  return view == nullptr ? *found : viewed(*found, *view);
}

const cuda::Texture* ImageObjects::add(const Key& key, const CUDA_RESOURCE_DESC& resource,
                                       const CUDA_TEXTURE_DESC* texture,
                                       const CUDA_RESOURCE_VIEW_DESC* view) {
  objects_.erase(key);
  const std::optional<cuda::Image> found = image(resource, view);
  if (!found) {
    ++untold_;
    return nullptr;
  }
  cuda::Texture made;
  made.image = *found;
  made.is_surface = key.is_surface;
  if (texture != nullptr) made.sampler = sampler_of(*texture, *found);
  return &(objects_[key] = made);
}

void ImageObjects::forget(CUcontext context) {
  std::erase_if(objects_, [&](const auto& each) { return each.first.context == context; });
}

}  // namespace redflag::inject
