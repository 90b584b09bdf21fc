// Arrays: making, freeing, asking, and copies to and from them.
//
// Offsets and widths of these copies are bytes. The flat ones run on from row to row.
#include <string>

#include "frontends/cuda/cudart/api.h"

namespace redflag::cudart {
namespace {

constexpr unsigned kArraySparse = 0x40, kArrayDeferred = 0x80;
constexpr int kFirstPackedKind = 4;  // of channel formats: NV12, normalised, compressed ones

Error make(Runtime& runtime, Array** to, const ChannelFormat* format, const Extent& extent,
           unsigned flags) {
  if (to == nullptr || format == nullptr) return Error::kInvalidValue;
  if (format->kind >= kFirstPackedKind || (flags & (kArraySparse | kArrayDeferred)) != 0) {
    runtime.note(
        "the emulated GPU does not support sparse arrays, deferred mappings, or normalised, "
        "compressed and planar formats: the call returns cudaErrorNotSupported");
    return Error::kNotSupported;
  }
  Array* made = nullptr;
  const Error fault = runtime.images->make_array(*format, extent, flags, made);
  if (fault != Error::kSuccess) return fault;
  runtime.streams->tell(
      {.kind = gpu::HostKind::kAlloc, .address = made->image.address, .size = made->bytes()});
  *to = made;
  return Error::kSuccess;
}

// As cudaFree: the whole device is waited for.
Error free_array(Runtime& runtime, const Array* handle) {
  if (handle == nullptr) return Error::kSuccess;
  const Array* const array = runtime.images->find(handle);
  if (array == nullptr) return Error::kInvalidResourceHandle;
  runtime.streams->tell({.kind = gpu::HostKind::kSyncDevice, .waits = true});
  runtime.watch->forget();
  runtime.streams->tell(
      {.kind = gpu::HostKind::kFree, .address = array->image.address, .size = array->bytes()});
  runtime.reporter->collect();
  runtime.images->drop(array);
  return Error::kSuccess;
}

// A side of a copy: in an array, or in memory.
struct Side {
  bool is_array = false;
  const Array* array = nullptr;
  std::size_t x = 0, y = 0;  // in the array
  std::uint64_t address = 0;
  std::size_t pitch = 0;  // of memory
};
Side in_array(const Array* array, std::size_t x, std::size_t y) {
  return {.is_array = true, .array = array, .x = x, .y = y};
}
Side in_memory(const void* address, std::size_t pitch) {
  return {.address = number(address), .pitch = pitch};
}

struct Request {
  Side to, from;
  std::size_t width = 0;
  std::size_t height = 0;  // 0: flat
  CopyKind kind = CopyKind::kDefault;
};

bool direction_fits(const Request& request) {
  switch (request.kind) {
    case CopyKind::kHostToDevice:
      return !request.from.is_array;
    case CopyKind::kDeviceToHost:
      return !request.to.is_array;
    default:
      return request.kind == CopyKind::kDeviceToDevice || request.kind == CopyKind::kDefault;
  }
}

Error place(Runtime& runtime, const Side& side, const Request& request, Side3D& to) {
  const bool flat = request.height == 0;
  if (!side.is_array) {
    if (!flat && request.width > side.pitch) return Error::kInvalidPitchValue;
    to = {side.address, side.pitch, side.pitch * request.height};
    return Error::kSuccess;
  }
  const Array* const array = runtime.images->find(side.array);
  if (array == nullptr) return Error::kInvalidResourceHandle;
  const cuda::Image& image = array->image;
  const std::size_t offset = side.y * image.pitch + side.x;
  if (flat ? side.x > image.pitch || offset > image.slice || request.width > image.slice - offset
           : !array->holds(side.x, side.y, request.width, request.height)) {
    return Error::kInvalidValue;
  }
  to = {image.address + offset, flat ? request.width : image.pitch, image.slice};
  return Error::kSuccess;
}

Error copy(const void* caller, Default by_default, const Request& request, Manner manner,
           Stream* handle) {
  return call_stream(caller, handle, by_default, [&](Runtime& runtime, Stream& stream) {
    CopyOp made;
    made.box = {request.width, request.height == 0 ? 1 : request.height, 1};
    if (!direction_fits(request)) return Error::kInvalidMemcpyDirection;
    Error fault = place(runtime, request.to, request, made.to);
    if (fault == Error::kSuccess) fault = place(runtime, request.from, request, made.from);
    if (fault != Error::kSuccess) return fault;
    return copy_in(runtime, stream, made, request.kind, manner);
  });
}

// A rectangle of no rows is nothing to copy; in a Request no rows mean a flat copy.
Error copy_rows(const void* caller, Default by_default, Request request, Manner manner,
                Stream* handle) {
  if (request.height == 0) {
    request.width = 0;
    request.height = 1;
  }
  return copy(caller, by_default, request, manner, handle);
}

}  // namespace
}  // namespace redflag::cudart

using namespace redflag::cudart;

CUDART_API(cudaMallocArray, (Array * *to, const ChannelFormat* format, std::size_t width,
                             std::size_t height, unsigned flags)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    if ((flags & (kArrayLayered | kArrayCube)) != 0) return Error::kInvalidValue;
    return make(runtime, to, format, {width, height, 0}, flags);
  });
}

CUDART_API(cudaMalloc3DArray,
           (Array * *to, const ChannelFormat* format, Extent extent, unsigned flags)) {
  return call(CUDART_CALLER,
              [&](Runtime& runtime) { return make(runtime, to, format, extent, flags); });
}

CUDART_API(cudaFreeArray, (Array * array)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) { return free_array(runtime, array); });
}

CUDART_API(cudaArrayGetInfo,
           (ChannelFormat * format, Extent* extent, unsigned* flags, Array* handle)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    const Array* const array = runtime.images->find(handle);
    if (array == nullptr) return Error::kInvalidResourceHandle;
    if (format != nullptr) *format = array->format;
    if (extent != nullptr) *extent = array->extent;
    if (flags != nullptr) *flags = array->flags;
    return Error::kSuccess;
  });
}

CUDART_API(cudaGetChannelDesc, (ChannelFormat * format, const Array* handle)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    const Array* const array = runtime.images->find(handle);
    if (array == nullptr) return Error::kInvalidResourceHandle;
    if (format == nullptr) return Error::kInvalidValue;
    *format = array->format;
    return Error::kSuccess;
  });
}

CUDART_STREAM_API(cudaMemcpy2DToArray, _ptds,
                  (Array * to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                   std::size_t width, std::size_t height, CopyKind kind),
                  (to, x, y, from, pitch, width, height, kind)) {
  return copy_rows(caller, by_default,
                   {in_array(to, x, y), in_memory(from, pitch), width, height, kind},
                   Manner::kWaits, nullptr);
}

CUDART_STREAM_API(cudaMemcpy2DToArrayAsync, _ptsz,
                  (Array * to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                   std::size_t width, std::size_t height, CopyKind kind, Stream* handle),
                  (to, x, y, from, pitch, width, height, kind, handle)) {
  return copy_rows(caller, by_default,
                   {in_array(to, x, y), in_memory(from, pitch), width, height, kind},
                   Manner::kAsync, handle);
}

CUDART_STREAM_API(cudaMemcpy2DFromArray, _ptds,
                  (void* to, std::size_t pitch, const Array* from, std::size_t x, std::size_t y,
                   std::size_t width, std::size_t height, CopyKind kind),
                  (to, pitch, from, x, y, width, height, kind)) {
  return copy_rows(caller, by_default,
                   {in_memory(to, pitch), in_array(from, x, y), width, height, kind},
                   Manner::kWaits, nullptr);
}

CUDART_STREAM_API(cudaMemcpy2DFromArrayAsync, _ptsz,
                  (void* to, std::size_t pitch, const Array* from, std::size_t x, std::size_t y,
                   std::size_t width, std::size_t height, CopyKind kind, Stream* handle),
                  (to, pitch, from, x, y, width, height, kind, handle)) {
  return copy_rows(caller, by_default,
                   {in_memory(to, pitch), in_array(from, x, y), width, height, kind},
                   Manner::kAsync, handle);
}

CUDART_STREAM_API(cudaMemcpy2DArrayToArray, _ptds,
                  (Array * to, std::size_t to_x, std::size_t to_y, const Array* from,
                   std::size_t from_x, std::size_t from_y, std::size_t width, std::size_t height,
                   CopyKind kind),
                  (to, to_x, to_y, from, from_x, from_y, width, height, kind)) {
  return copy_rows(caller, by_default,
                   {in_array(to, to_x, to_y), in_array(from, from_x, from_y), width, height, kind},
                   Manner::kWaits, nullptr);
}

CUDART_STREAM_API(cudaMemcpyToArray, _ptds,
                  (Array * to, std::size_t x, std::size_t y, const void* from, std::size_t size,
                   CopyKind kind),
                  (to, x, y, from, size, kind)) {
  return copy(caller, by_default, {in_array(to, x, y), in_memory(from, size), size, 0, kind},
              Manner::kWaits, nullptr);
}

CUDART_STREAM_API(cudaMemcpyToArrayAsync, _ptsz,
                  (Array * to, std::size_t x, std::size_t y, const void* from, std::size_t size,
                   CopyKind kind, Stream* handle),
                  (to, x, y, from, size, kind, handle)) {
  return copy(caller, by_default, {in_array(to, x, y), in_memory(from, size), size, 0, kind},
              Manner::kAsync, handle);
}

CUDART_STREAM_API(cudaMemcpyFromArray, _ptds,
                  (void* to, const Array* from, std::size_t x, std::size_t y, std::size_t size,
                   CopyKind kind),
                  (to, from, x, y, size, kind)) {
  return copy(caller, by_default, {in_memory(to, size), in_array(from, x, y), size, 0, kind},
              Manner::kWaits, nullptr);
}

CUDART_STREAM_API(cudaMemcpyFromArrayAsync, _ptsz,
                  (void* to, const Array* from, std::size_t x, std::size_t y, std::size_t size,
                   CopyKind kind, Stream* handle),
                  (to, from, x, y, size, kind, handle)) {
  return copy(caller, by_default, {in_memory(to, size), in_array(from, x, y), size, 0, kind},
              Manner::kAsync, handle);
}

CUDART_STREAM_API(cudaMemcpyArrayToArray, _ptds,
                  (Array * to, std::size_t to_x, std::size_t to_y, const Array* from,
                   std::size_t from_x, std::size_t from_y, std::size_t size, CopyKind kind),
                  (to, to_x, to_y, from, from_x, from_y, size, kind)) {
  return copy(caller, by_default,
              {in_array(to, to_x, to_y), in_array(from, from_x, from_y), size, 0, kind},
              Manner::kWaits, nullptr);
}
