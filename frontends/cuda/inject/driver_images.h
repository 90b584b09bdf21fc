// The CUDA driver's arrays, textures and surfaces, as driver.h has the rest of its interface.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frontends/cuda/inject/driver.h"

namespace redflag::inject {

using CUmipmappedArray = struct CUmipmappedArray_st*;
using CUtexObject = unsigned long long;
using CUsurfObject = unsigned long long;

// Formats of a channel; there are more, which are not looked into.
inline constexpr int kFormatU8 = 1, kFormatU16 = 2, kFormatU32 = 3;
inline constexpr int kFormatS8 = 8, kFormatS16 = 9, kFormatS32 = 10;
inline constexpr int kFormatHalf = 16, kFormatFloat = 32;

inline constexpr unsigned kArrayLayered = 1;
inline constexpr unsigned kArraySurface = 2;
inline constexpr unsigned kArrayCube = 4;

struct CUDA_ARRAY_DESCRIPTOR {
  std::size_t Width, Height;
  int Format;
  unsigned NumChannels;
};
static_assert(sizeof(CUDA_ARRAY_DESCRIPTOR) == 24);
struct CUDA_ARRAY3D_DESCRIPTOR {
  std::size_t Width, Height, Depth;
  int Format;
  unsigned NumChannels, Flags;
};
static_assert(sizeof(CUDA_ARRAY3D_DESCRIPTOR) == 40);

inline constexpr int kResourceArray = 0;
inline constexpr int kResourceMipmapped = 1;
inline constexpr int kResourceLinear = 2;
inline constexpr int kResourcePitch = 3;
struct CUDA_RESOURCE_DESC {
  int resType;
  union {
    struct {
      CUarray hArray;
    } array;
    struct {
      CUmipmappedArray hMipmappedArray;
    } mipmap;
    struct {
      CUdeviceptr devPtr;
      int format;
      unsigned numChannels;
      std::size_t sizeInBytes;
    } linear;
    struct {
      CUdeviceptr devPtr;
      int format;
      unsigned numChannels;
      std::size_t width, height, pitchInBytes;
    } pitch2D;
    int reserved[32];
  } res;
  unsigned flags;
};
static_assert(sizeof(CUDA_RESOURCE_DESC) == 144);

inline constexpr unsigned kReadAsInteger = 1;
inline constexpr unsigned kNormalizedCoordinates = 2;
inline constexpr int kFilterLinear = 1;
struct CUDA_TEXTURE_DESC {
  int addressMode[3];  // as cuda::AddressMode
  int filterMode;
  unsigned flags, maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
};
static_assert(sizeof(CUDA_TEXTURE_DESC) == 104);

// Another reading of an array. Compressed formats have other texels than the array.
inline constexpr int kFirstCompressedView = 0x19;
struct CUDA_RESOURCE_VIEW_DESC {
  int format;
  std::size_t width, height, depth;
  unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
  unsigned reserved[16];
};
static_assert(sizeof(CUDA_RESOURCE_VIEW_DESC) == 112);

}  // namespace redflag::inject
