// Descriptions of arrays, textures and surfaces, as the driver is given them, in the words of frontends/cuda/texture.
#pragma once

#include <optional>

#include "frontends/cuda/inject/driver_images.h"
#include "frontends/cuda/texture/texture.h"

namespace redflag::inject {

// The array's texels, row by row from address 0; nullopt: of a format whose texels have no bytes of their own.
std::optional<cuda::Image> image_of(const CUDA_ARRAY3D_DESCRIPTOR& array);
// Plain memory under a texture; nullopt: it is another resource, or of such a format.
std::optional<cuda::Image> image_of(const CUDA_RESOURCE_DESC& resource);
// What a view makes of the array; nullopt: texels that the array has not.
std::optional<cuda::Image> viewed(const cuda::Image& array, const CUDA_RESOURCE_VIEW_DESC& view);
cuda::Sampler sampler_of(const CUDA_TEXTURE_DESC& texture, const cuda::Image& image);

}  // namespace redflag::inject
