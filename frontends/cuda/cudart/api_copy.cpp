// Copies and fills, in one, two and three dimensions, to and from symbols.
//
// The rules of waiting are those of the API's page on synchronous behaviour: a copy without "Async"
// waits unless it is between device memories, but from pageable memory of the host to the device
// only for the stream before it and until the source was read; one with it waits only where pageable
// memory of the host receives the data; a fill never waits. A direction that the addresses contradict, or a range
// that leaves its allocation, is an invalid value.
#include <algorithm>

#include "frontends/cuda/cudart/api.h"

namespace redflag::cudart {
namespace {

bool inside(Runtime& runtime, const Side3D& side, const Box& box) {
  const Block* block = runtime.memory->find(side.address);
  if (block == nullptr) return true;  // the host's own, or a variable: not ours to know
  const std::uint64_t last =
      side.address + (box.depth - 1) * side.slice + (box.height - 1) * side.pitch + box.width;
  return last <= block->address + block->size;
}

Error finish(Runtime& runtime, CopyKind kind, Manner manner, CopyOp& copy) {
  if (copy.box.empty()) return Error::kSuccess;
  const bool to_device = runtime.memory->reachable(copy.to.address);
  const bool from_device = runtime.memory->reachable(copy.from.address);
  const Block* to = runtime.memory->find(copy.to.address);
  const bool to_host = !to_device || (to != nullptr && to->on_host());
  if ((kind == CopyKind::kHostToDevice || kind == CopyKind::kDeviceToDevice) && !to_device) {
    return Error::kInvalidValue;
  }
  if ((kind == CopyKind::kDeviceToHost || kind == CopyKind::kDeviceToDevice) && !from_device) {
    return Error::kInvalidValue;
  }
  if (kind < CopyKind::kHostToHost || kind > CopyKind::kDefault) {
    return Error::kInvalidMemcpyDirection;
  }
  if (!inside(runtime, copy.to, copy.box) || !inside(runtime, copy.from, copy.box)) {
    return Error::kInvalidValue;
  }
  const bool within_device = to_device && from_device && !to_host;
  const bool staged = to_device && !to_host && !from_device;
  copy.waits_before = manner == Manner::kWaits && staged;
  copy.waits = manner == Manner::kWaits ? !within_device && !staged : !to_device;
  return Error::kSuccess;
}

CopyOp flat(void* to, const void* from, std::size_t size) {
  return {.to = {number(to), size, size}, .from = {number(from), size, size}, .box = {size, 1, 1}};
}

CopyOp plane(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
             std::size_t width, std::size_t height) {
  return {.to = {number(to), to_pitch, to_pitch * height},
          .from = {number(from), from_pitch, from_pitch * height},
          .box = {width, height, 1}};
}

// An address in a variable of the device; an error where it is none.
Error in_symbol(Runtime& runtime, const void* symbol, std::size_t offset, std::size_t size,
                std::uint64_t& address) {
  if (!runtime.modules->has_symbol(symbol)) return Error::kInvalidSymbol;
  const Result<cuda::Symbol> found = runtime.modules->symbol(symbol);
  if (!found) {
    runtime.complain(found.error().message);
    return Error::kInvalidSymbol;
  }
  if (offset > found->size || size > found->size - offset) return Error::kInvalidValue;
  address = found->address + offset;
  return Error::kSuccess;
}

Error fill_in(Runtime& runtime, Stream& stream, FillOp fill) {
  if (fill.box.empty()) return Error::kSuccess;
  if (!runtime.memory->reachable(fill.to.address) || !inside(runtime, fill.to, fill.box)) {
    return Error::kInvalidValue;
  }
  return runtime.submit(stream, fill);
}

// Bytes of what extents count: elements where an array takes part. 0: two arrays that differ.
std::size_t element_of(const Memcpy3DParms& p) {
  const std::size_t to = p.dst_array == nullptr ? 0 : p.dst_array->image.element();
  const std::size_t from = p.src_array == nullptr ? 0 : p.src_array->image.element();
  if (to != 0 && from != 0) return to == from ? to : 0;
  return std::max<std::size_t>({to, from, 1});
}

// x counts elements of the array that takes part, also in the memory of the other side.
bool side_of(const Array* array, const PitchedPtr& at, const Pos& pos, const Extent& extent,
             std::size_t element, Side3D& to) {
  if (array != nullptr) {
    if (at.ptr != nullptr || !array->holds(pos, extent)) return false;
    to = {array->image.at(pos.x, pos.y, pos.z), array->image.pitch, array->image.slice};
    return true;
  }
  const std::size_t slice = at.pitch * at.ysize;
  to = {number(at.ptr) + pos.z * slice + pos.y * at.pitch + pos.x * element, at.pitch, slice};
  return extent.height <= 1 || (pos.x + extent.width) * element <= at.pitch;
}

Memcpy3DParms without_devices(const Memcpy3DPeerParms& p) {
  return {p.src_array, p.src_pos, p.src_ptr, p.dst_array,
          p.dst_pos,   p.dst_ptr, p.extent,  CopyKind::kDefault};
}

}  // namespace

Error copy_in(Runtime& runtime, Stream& stream, CopyOp copy, CopyKind kind, Manner manner) {
  const Error fault = finish(runtime, kind, manner, copy);
  if (fault != Error::kSuccess || copy.box.empty()) return fault;
  return runtime.submit(stream, copy);
}

Error prepare(Runtime& runtime, const Memcpy3DParms& p, CopyOp& copy) {
  for (const Array* const each : {p.src_array, p.dst_array}) {
    if (each != nullptr && runtime.images->find(each) == nullptr) {
      return Error::kInvalidResourceHandle;
    }
  }
  const std::size_t element = element_of(p);
  if (element == 0) return Error::kInvalidValue;
  copy.box = {p.extent.width * element, p.extent.height, p.extent.depth};
  if (!side_of(p.dst_array, p.dst_ptr, p.dst_pos, p.extent, element, copy.to) ||
      !side_of(p.src_array, p.src_ptr, p.src_pos, p.extent, element, copy.from)) {
    return Error::kInvalidValue;
  }
  return finish(runtime, p.kind, Manner::kAsync, copy);
}

}  // namespace redflag::cudart

using namespace redflag::cudart;

#define COPY_BODY(manner, kind, ...)                                                     \
  return call_stream(caller, handle, by_default, [&](Runtime& runtime, Stream& stream) { \
    return copy_in(runtime, stream, __VA_ARGS__, kind, Manner::manner);                  \
  })

CUDART_STREAM_API(cudaMemcpy, _ptds, (void* to, const void* from, std::size_t size, CopyKind kind),
                  (to, from, size, kind)) {
  Stream* const handle = nullptr;
  COPY_BODY(kWaits, kind, flat(to, from, size));
}

CUDART_STREAM_API(cudaMemcpyAsync, _ptsz,
                  (void* to, const void* from, std::size_t size, CopyKind kind, Stream* handle),
                  (to, from, size, kind, handle)) {
  COPY_BODY(kAsync, kind, flat(to, from, size));
}

CUDART_API(cudaMemcpyPeer, (void* to, int, const void* from, int, std::size_t size)) {
  return cudaMemcpy_by(CUDART_CALLER, Default::kLegacy, to, from, size, CopyKind::kDefault);
}

CUDART_API(cudaMemcpyPeerAsync,
           (void* to, int, const void* from, int, std::size_t size, Stream* handle)) {
  return cudaMemcpyAsync_by(CUDART_CALLER, Default::kLegacy, to, from, size, CopyKind::kDefault,
                            handle);
}

CUDART_STREAM_API(cudaMemcpy2D, _ptds,
                  (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                   std::size_t width, std::size_t height, CopyKind kind),
                  (to, to_pitch, from, from_pitch, width, height, kind)) {
  if (width > to_pitch || width > from_pitch) return keep(Error::kInvalidPitchValue);
  Stream* const handle = nullptr;
  COPY_BODY(kWaits, kind, plane(to, to_pitch, from, from_pitch, width, height));
}

CUDART_STREAM_API(cudaMemcpy2DAsync, _ptsz,
                  (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                   std::size_t width, std::size_t height, CopyKind kind, Stream* handle),
                  (to, to_pitch, from, from_pitch, width, height, kind, handle)) {
  if (width > to_pitch || width > from_pitch) return keep(Error::kInvalidPitchValue);
  COPY_BODY(kAsync, kind, plane(to, to_pitch, from, from_pitch, width, height));
}

namespace {

Error copy_box(const void* caller, Default by_default, const Memcpy3DParms& parms, Manner manner,
               Stream* handle) {
  return call_stream(caller, handle, by_default, [&](Runtime& runtime, Stream& stream) {
    CopyOp copy;
    const Error fault = prepare(runtime, parms, copy);
    return fault != Error::kSuccess ? fault : copy_in(runtime, stream, copy, parms.kind, manner);
  });
}

}  // namespace

CUDART_STREAM_API(cudaMemcpy3D, _ptds, (const Memcpy3DParms* parms), (parms)) {
  return copy_box(caller, by_default, *parms, Manner::kWaits, nullptr);
}

CUDART_STREAM_API(cudaMemcpy3DAsync, _ptsz, (const Memcpy3DParms* parms, Stream* handle),
                  (parms, handle)) {
  return copy_box(caller, by_default, *parms, Manner::kAsync, handle);
}

CUDART_STREAM_API(cudaMemcpy3DPeer, _ptds, (const Memcpy3DPeerParms* parms), (parms)) {
  return copy_box(caller, by_default, without_devices(*parms), Manner::kWaits, nullptr);
}

CUDART_STREAM_API(cudaMemcpy3DPeerAsync, _ptsz, (const Memcpy3DPeerParms* parms, Stream* handle),
                  (parms, handle)) {
  return copy_box(caller, by_default, without_devices(*parms), Manner::kAsync, handle);
}

namespace {

Error to_symbol(const void* caller, Default by_default, const void* symbol, const void* from,
                std::size_t size, std::size_t offset, CopyKind kind, Manner manner,
                Stream* handle) {
  return call_stream(caller, handle, by_default, [&](Runtime& runtime, Stream& stream) {
    std::uint64_t at = 0;
    const Error fault = in_symbol(runtime, symbol, offset, size, at);
    if (fault != Error::kSuccess) return fault;
    return copy_in(runtime, stream, flat(reinterpret_cast<void*>(at), from, size), kind, manner);
  });
}

Error from_symbol(const void* caller, Default by_default, void* to, const void* symbol,
                  std::size_t size, std::size_t offset, CopyKind kind, Manner manner,
                  Stream* handle) {
  return call_stream(caller, handle, by_default, [&](Runtime& runtime, Stream& stream) {
    std::uint64_t at = 0;
    const Error fault = in_symbol(runtime, symbol, offset, size, at);
    if (fault != Error::kSuccess) return fault;
    return copy_in(runtime, stream, flat(to, reinterpret_cast<const void*>(at), size), kind,
                   manner);
  });
}

}  // namespace

CUDART_STREAM_API(cudaMemcpyToSymbol, _ptds,
                  (const void* symbol, const void* from, std::size_t size, std::size_t offset,
                   CopyKind kind),
                  (symbol, from, size, offset, kind)) {
  return to_symbol(caller, by_default, symbol, from, size, offset, kind, Manner::kWaits, nullptr);
}

CUDART_STREAM_API(cudaMemcpyToSymbolAsync, _ptsz,
                  (const void* symbol, const void* from, std::size_t size, std::size_t offset,
                   CopyKind kind, Stream* handle),
                  (symbol, from, size, offset, kind, handle)) {
  return to_symbol(caller, by_default, symbol, from, size, offset, kind, Manner::kAsync, handle);
}

CUDART_STREAM_API(cudaMemcpyFromSymbol, _ptds,
                  (void* to, const void* symbol, std::size_t size, std::size_t offset,
                   CopyKind kind),
                  (to, symbol, size, offset, kind)) {
  return from_symbol(caller, by_default, to, symbol, size, offset, kind, Manner::kWaits, nullptr);
}

CUDART_STREAM_API(cudaMemcpyFromSymbolAsync, _ptsz,
                  (void* to, const void* symbol, std::size_t size, std::size_t offset,
                   CopyKind kind, Stream* handle),
                  (to, symbol, size, offset, kind, handle)) {
  return from_symbol(caller, by_default, to, symbol, size, offset, kind, Manner::kAsync, handle);
}

CUDART_API(cudaGetSymbolAddress, (void** address, const void* symbol)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    std::uint64_t at = 0;
    const Error fault = in_symbol(runtime, symbol, 0, 0, at);
    if (fault == Error::kSuccess) *address = reinterpret_cast<void*>(at);
    return fault;
  });
}

CUDART_API(cudaGetSymbolSize, (std::size_t* size, const void* symbol)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    if (!runtime.modules->has_symbol(symbol)) return Error::kInvalidSymbol;
    const redflag::Result<redflag::cuda::Symbol> found = runtime.modules->symbol(symbol);
    if (!found) return Error::kInvalidSymbol;
    *size = found->size;
    return Error::kSuccess;
  });
}

#define FILL_BODY(...)                                                                   \
  return call_stream(caller, handle, by_default, [&](Runtime& runtime, Stream& stream) { \
    return fill_in(runtime, stream, __VA_ARGS__);                                        \
  })

namespace {

FillOp flat_fill(void* to, int value, std::size_t size) {
  return {.to = {number(to), size, size},
          .box = {size, 1, 1},
          .value = static_cast<std::uint32_t>(value) & 0xff};
}
FillOp plane_fill(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return {.to = {number(to), pitch, pitch * height},
          .box = {width, height, 1},
          .value = static_cast<std::uint32_t>(value) & 0xff};
}
FillOp box_fill(const PitchedPtr& to, int value, const Extent& extent) {
  return {.to = {number(to.ptr), to.pitch, to.pitch * to.ysize},
          .box = {extent.width, extent.height, extent.depth},
          .value = static_cast<std::uint32_t>(value) & 0xff};
}

}  // namespace

CUDART_STREAM_API(cudaMemset, _ptds, (void* to, int value, std::size_t size), (to, value, size)) {
  Stream* const handle = nullptr;
  FILL_BODY(flat_fill(to, value, size));
}

CUDART_STREAM_API(cudaMemsetAsync, _ptsz, (void* to, int value, std::size_t size, Stream* handle),
                  (to, value, size, handle)) {
  FILL_BODY(flat_fill(to, value, size));
}

CUDART_STREAM_API(cudaMemset2D, _ptds,
                  (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height),
                  (to, pitch, value, width, height)) {
  Stream* const handle = nullptr;
  FILL_BODY(plane_fill(to, pitch, value, width, height));
}

CUDART_STREAM_API(cudaMemset2DAsync, _ptsz,
                  (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                   Stream* handle),
                  (to, pitch, value, width, height, handle)) {
  FILL_BODY(plane_fill(to, pitch, value, width, height));
}

CUDART_STREAM_API(cudaMemset3D, _ptds, (PitchedPtr to, int value, Extent extent),
                  (to, value, extent)) {
  Stream* const handle = nullptr;
  FILL_BODY(box_fill(to, value, extent));
}

CUDART_STREAM_API(cudaMemset3DAsync, _ptsz,
                  (PitchedPtr to, int value, Extent extent, Stream* handle),
                  (to, value, extent, handle)) {
  FILL_BODY(box_fill(to, value, extent));
}
