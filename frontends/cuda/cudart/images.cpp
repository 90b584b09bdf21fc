#include "frontends/cuda/cudart/images.h"

#include <algorithm>

namespace redflag::cudart {
namespace {

using cuda::Image;
using cuda::ImageShape;

constexpr std::uint64_t kTextureAlign = 512;  // of plain memory under a texture
constexpr std::uint64_t kPitchAlign = 32;
constexpr std::uint64_t kMostLayers = 2048;
constexpr std::uint64_t kMostFlat = 131072, kMostRows = 65536;
constexpr std::uint64_t kMostLayered = 32768, kMostDeep = 16384;

// Channels, bits and kind; the error for a format that there is not.
Error set_format(const ChannelFormat& format, Image& image) {
  const int bits[] = {format.x, format.y, format.z, format.w};
  unsigned channels = 0;
  while (channels < 4 && bits[channels] != 0) ++channels;
  for (unsigned i = 0; i < 4; ++i) {
    if (bits[i] != (i < channels ? format.x : 0)) return Error::kInvalidChannelDescriptor;
  }
  const bool known_bits = format.x == 8 || format.x == 16 || format.x == 32;
  if (!known_bits || channels == 0 || channels == 3 || format.kind < 0 || format.kind > 2 ||
      (format.kind == 2 && format.x == 8)) {
    return Error::kInvalidChannelDescriptor;
  }
  image.channels = static_cast<std::uint8_t>(channels);
  image.bits = static_cast<std::uint8_t>(format.x);
  image.kind = static_cast<cuda::ChannelKind>(format.kind);
  return Error::kSuccess;
}

bool set_shape(const Extent& extent, unsigned flags, Image& image) {
  const bool layered = (flags & kArrayLayered) != 0, cube = (flags & kArrayCube) != 0;
  const bool gathers = (flags & kArrayGather) != 0;
  const std::uint64_t width = extent.width, height = extent.height, depth = extent.depth;
  if (width == 0) return false;
  image.width = width;
  image.height = std::max<std::uint64_t>(height, 1);
  image.depth = std::max<std::uint64_t>(depth, 1);
  if (cube) {
    if (width != height || width > kMostLayered || gathers) return false;
    image.shape = layered ? ImageShape::kCubeLayered : ImageShape::kCube;
    return layered ? depth != 0 && depth % 6 == 0 && depth <= kMostLayers : depth == 6;
  }
  if (layered) {
    image.shape = height == 0 ? ImageShape::k1dLayered : ImageShape::k2dLayered;
    return depth != 0 && depth <= kMostLayers && width <= kMostLayered && height <= kMostLayered &&
           !(gathers && height == 0);
  }
  image.shape = depth != 0 ? ImageShape::k3d : height != 0 ? ImageShape::k2d : ImageShape::k1d;
  if (gathers && image.shape != ImageShape::k2d) return false;
  if (depth != 0) {
    return height != 0 && std::max({width, height, depth}) <= kMostDeep;
  }
  return width <= kMostFlat && height <= kMostRows;
}

Error set_sampler(const TextureDesc& from, const Image& image, cuda::Sampler& sampler) {
  const bool whole = image.kind != cuda::ChannelKind::kFloat;
  for (unsigned i = 0; i < 3; ++i) {
    if (from.address_mode[i] < 0 || from.address_mode[i] > 3) return Error::kInvalidValue;
    sampler.mode[i] = static_cast<cuda::AddressMode>(from.address_mode[i]);
  }
  if (from.filter_mode < 0 || from.filter_mode > 1) return Error::kInvalidValue;
  sampler.filters = from.filter_mode == 1;
  sampler.as_float = from.read_mode == 1 && whole;
  sampler.normalized = from.normalized != 0;
  std::copy(std::begin(from.border), std::end(from.border), std::begin(sampler.border));
  if (sampler.filters && whole && (from.read_mode != 1 || image.bits == 32)) {
    return Error::kInvalidFilterSetting;
  }
  if (sampler.as_float && image.bits == 32) return Error::kInvalidNormSetting;
  const bool bytes = image.bits == 8 && image.kind == cuda::ChannelKind::kUnsigned;
  const bool srgb = from.srgb != 0 && sampler.as_float && bytes;
  const bool seamless = from.seamless_cube != 0 && sampler.filters && is_cube(image.shape);
  if (srgb || seamless) return Error::kNotSupported;
  return Error::kSuccess;
}

bool within(std::size_t at, std::size_t size, std::size_t whole) {
  return at <= whole && size <= whole - at;
}

}  // namespace

bool Array::holds(const Pos& at, const Extent& size) const {
  return within(at.x, size.width, image.width) && within(at.y, size.height, image.height) &&
         within(at.z, size.depth, image.depth);
}

bool Array::holds(std::size_t x, std::size_t y, std::size_t width, std::size_t height) const {
  return within(x, width, image.pitch) && within(y, height, image.height);
}

Error ImageTable::make_array(const ChannelFormat& format, const Extent& extent, unsigned flags,
                             Array*& made) {
  auto array = std::make_unique<Array>();
  array->format = format;
  array->extent = extent;
  array->flags = flags;
  Image& image = array->image;
  if (const Error fault = set_format(format, image); fault != Error::kSuccess) return fault;
  constexpr unsigned kKnown = kArrayLayered | kArraySurface | kArrayCube | kArrayGather;
  if ((flags & ~kKnown) != 0 || !set_shape(extent, flags, image)) return Error::kInvalidValue;
  image.pitch = image.width * image.element();
  image.slice = image.pitch * image.height;
  const Result<Block> block = memory_.allocate(array->bytes(), Where::kDevice, 0);
  if (!block) return Error::kMemoryAllocation;
  image.address = block->address;
  made = array.get();
  arrays_.emplace(made, std::move(array));
  return Error::kSuccess;
}

const Array* ImageTable::find(const Array* array) const {
  const auto found = arrays_.find(array);
  return found == arrays_.end() ? nullptr : found->second.get();
}

void ImageTable::drop(const Array* array) {
  const auto found = arrays_.find(array);
  if (found == arrays_.end()) return;
  (void)memory_.release(found->second->image.address);
  arrays_.erase(found);
}

Error ImageTable::image_of(const ResourceDesc& resource, Image& image) const {
  if (resource.type == ResourceType::kArray) {
    const Array* const array = find(resource.array);
    if (array == nullptr) return Error::kInvalidResourceHandle;
    image = array->image;
    return Error::kSuccess;
  }
  if (resource.type == ResourceType::kMipmappedArray) return Error::kNotSupported;
  if (resource.type != ResourceType::kLinear && resource.type != ResourceType::kPitch2D) {
    return Error::kInvalidValue;
  }
  const bool plane = resource.type == ResourceType::kPitch2D;
  const ChannelFormat& format = plane ? resource.plane.format : resource.linear.format;
  image.address =
      reinterpret_cast<std::uint64_t>(plane ? resource.plane.address : resource.linear.address);
  if (!memory_.reachable(image.address) || image.address % kTextureAlign != 0) {
    return Error::kInvalidValue;
  }
  if (const Error fault = set_format(format, image); fault != Error::kSuccess) return fault;
  if (plane) {
    image.shape = ImageShape::k2d;
    image.width = resource.plane.width;
    image.height = resource.plane.height;
    image.pitch = resource.plane.pitch;
    if (image.pitch % kPitchAlign != 0 || image.pitch < image.width * image.element()) {
      return Error::kInvalidValue;
    }
  } else {
    image.linear = true;
    image.width = resource.linear.bytes / image.element();
    image.pitch = resource.linear.bytes;
  }
  image.slice = image.pitch * image.height;
  return Error::kSuccess;
}

Error ImageTable::make_texture(const ResourceDesc& resource, const TextureDesc& texture,
                               unsigned long long& handle) {
  cuda::Texture made;
  if (const Error fault = image_of(resource, made.image); fault != Error::kSuccess) return fault;
  const Error fault = set_sampler(texture, made.image, made.sampler);
  if (fault != Error::kSuccess) return fault;
  handle = device_.add_texture(made);
  objects_[handle] = {resource, texture, false};
  return Error::kSuccess;
}

Error ImageTable::make_surface(const ResourceDesc& resource, unsigned long long& handle) {
  if (resource.type != ResourceType::kArray) return Error::kInvalidValue;
  cuda::Texture made;
  made.is_surface = true;
  if (const Error fault = image_of(resource, made.image); fault != Error::kSuccess) return fault;
  handle = device_.add_texture(made);
  objects_[handle] = {resource, {}, true};
  return Error::kSuccess;
}

const ImageObject* ImageTable::object(unsigned long long handle, bool is_surface) const {
  const auto found = objects_.find(handle);
  const bool good = found != objects_.end() && found->second.is_surface == is_surface;
  return good ? &found->second : nullptr;
}

void ImageTable::drop(unsigned long long handle, bool is_surface) {
  if (object(handle, is_surface) == nullptr) return;
  device_.remove_texture(handle);
  objects_.erase(handle);
}

}  // namespace redflag::cudart
