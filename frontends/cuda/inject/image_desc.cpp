#include "frontends/cuda/inject/image_desc.h"

#include <algorithm>
#include <iterator>

namespace redflag::inject {
namespace {

using cuda::ChannelKind;
using cuda::Image;
using cuda::ImageShape;

struct FormatRow {
  int format;
  ChannelKind kind;
  std::uint8_t bits;
};
constexpr FormatRow kFormats[] = {
    {kFormatU8, ChannelKind::kUnsigned, 8},   {kFormatU16, ChannelKind::kUnsigned, 16},
    {kFormatU32, ChannelKind::kUnsigned, 32}, {kFormatS8, ChannelKind::kSigned, 8},
    {kFormatS16, ChannelKind::kSigned, 16},   {kFormatS32, ChannelKind::kSigned, 32},
    {kFormatHalf, ChannelKind::kFloat, 16},   {kFormatFloat, ChannelKind::kFloat, 32},
};

bool set_format(int format, unsigned channels, Image& image) {
  const auto* const row =
      std::find_if(std::begin(kFormats), std::end(kFormats),
                   [&](const FormatRow& each) { return each.format == format; });
  if (row == std::end(kFormats) || (channels != 1 && channels != 2 && channels != 4)) return false;
  image.kind = row->kind;
  image.bits = row->bits;
  image.channels = static_cast<std::uint8_t>(channels);
  return true;
}

ImageShape shape_of(const CUDA_ARRAY3D_DESCRIPTOR& array) {
  const bool layered = (array.Flags & kArrayLayered) != 0;
  if ((array.Flags & kArrayCube) != 0) {
    return layered ? ImageShape::kCubeLayered : ImageShape::kCube;
  }
  if (layered) return array.Height == 0 ? ImageShape::k1dLayered : ImageShape::k2dLayered;
  if (array.Depth != 0) return ImageShape::k3d;
  return array.Height == 0 ? ImageShape::k1d : ImageShape::k2d;
}

}  // namespace

std::optional<Image> image_of(const CUDA_ARRAY3D_DESCRIPTOR& array) {
  Image made;
  if (array.Width == 0 || !set_format(array.Format, array.NumChannels, made)) return std::nullopt;
  made.width = array.Width;
  made.height = std::max<std::size_t>(array.Height, 1);
  made.depth = std::max<std::size_t>(array.Depth, 1);
  made.shape = shape_of(array);
  made.pitch = made.width * made.element();
  made.slice = made.pitch * made.height;
  return made;
}

std::optional<Image> image_of(const CUDA_RESOURCE_DESC& resource) {
  Image made;
  if (resource.resType == kResourceLinear) {
    const auto& linear = resource.res.linear;
    if (!set_format(linear.format, linear.numChannels, made)) return std::nullopt;
    made.address = linear.devPtr;
    made.width = linear.sizeInBytes / made.element();
    made.pitch = linear.sizeInBytes;
    made.linear = true;
  } else if (resource.resType == kResourcePitch) {
    const auto& plane = resource.res.pitch2D;
    if (!set_format(plane.format, plane.numChannels, made)) return std::nullopt;
    made.address = plane.devPtr;
    made.width = plane.width;
    made.height = std::max<std::size_t>(plane.height, 1);
    made.pitch = plane.pitchInBytes;
    made.shape = ImageShape::k2d;
  } else {
    return std::nullopt;
  }
  made.slice = made.pitch * made.height;
  return made;
}

std::optional<Image> viewed(const Image& array, const CUDA_RESOURCE_VIEW_DESC& view) {
  if (view.format >= kFirstCompressedView) return std::nullopt;
  Image made = array;
  const std::uint64_t layers = std::uint64_t{view.lastLayer} + 1 - view.firstLayer;
  if (!is_layered(array.shape) || view.lastLayer < view.firstLayer) return made;
  if (view.firstLayer + layers > array.depth) return made;
  made.address += view.firstLayer * array.slice;
  made.depth = layers;
  return made;
}

cuda::Sampler sampler_of(const CUDA_TEXTURE_DESC& texture, const Image& image) {
  cuda::Sampler made;
  for (unsigned i = 0; i < 3; ++i) {
    const int mode = std::clamp(texture.addressMode[i], 0, 3);
    made.mode[i] = static_cast<cuda::AddressMode>(mode);
    made.border[i] = texture.borderColor[i];
  }
  made.border[3] = texture.borderColor[3];
  made.filters = texture.filterMode == kFilterLinear;
  made.normalized = (texture.flags & kNormalizedCoordinates) != 0;
  made.as_float =
      (texture.flags & kReadAsInteger) == 0 && image.kind != ChannelKind::kFloat && image.bits < 32;
  return made;
}

}  // namespace redflag::inject
