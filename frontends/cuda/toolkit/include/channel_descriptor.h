// cudaCreateChannelDesc<T>: the format of an array's element, from its type.
#pragma once

#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"

#ifdef __cplusplus

namespace redflag_cuda {
template <typename T>
struct Channel {
  static const bool kKnown = false;
};
#define REDFLAG_CHANNEL(type, bits, components, format)                         \
  template <>                                                                   \
  struct Channel<type> {                                                        \
    static const bool kKnown = true;                                            \
    static const int kBits = bits, kComponents = components;                    \
    static const cudaChannelFormatKind kFormat = cudaChannelFormatKind##format; \
  };
#define REDFLAG_CHANNELS(scalar, stem, bits, format) \
  REDFLAG_CHANNEL(scalar, bits, 1, format)           \
  REDFLAG_CHANNEL(stem##1, bits, 1, format)          \
  REDFLAG_CHANNEL(stem##2, bits, 2, format)          \
  REDFLAG_CHANNEL(stem##4, bits, 4, format)
REDFLAG_CHANNELS(signed char, char, 8, Signed)
REDFLAG_CHANNELS(unsigned char, uchar, 8, Unsigned)
REDFLAG_CHANNELS(short, short, 16, Signed)
REDFLAG_CHANNELS(unsigned short, ushort, 16, Unsigned)
REDFLAG_CHANNELS(int, int, 32, Signed)
REDFLAG_CHANNELS(unsigned, uint, 32, Unsigned)
REDFLAG_CHANNELS(float, float, 32, Float)
REDFLAG_CHANNEL(char, 8, 1, Signed)
#undef REDFLAG_CHANNELS
#undef REDFLAG_CHANNEL
}  // namespace redflag_cuda

template <typename T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Channel = redflag_cuda::Channel<T>;
  static_assert(Channel::kKnown,
                "an element of a CUDA array has 1, 2 or 4 components of 8, 16 or 32 bits");
  return cudaCreateChannelDesc(Channel::kBits, Channel::kComponents > 1 ? Channel::kBits : 0,
                               Channel::kComponents > 2 ? Channel::kBits : 0,
                               Channel::kComponents > 2 ? Channel::kBits : 0, Channel::kFormat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
template <typename T>
inline cudaError_t cudaMallocArray(cudaArray_t* to, size_t width, size_t height = 0,
                                   unsigned flags = 0) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  return cudaMallocArray(to, &format, width, height, flags);
}

#endif
