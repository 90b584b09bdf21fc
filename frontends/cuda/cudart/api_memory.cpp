// Memory: allocating, freeing, registering, pools, and what programs ask about addresses.
#include <algorithm>
#include <cstring>

#include "frontends/cuda/cudart/api.h"

// A pool has no memory of its own here: what is taken from it is taken from the device.
struct redflag::cudart::MemPool {
  std::uint64_t threshold = 0;
  int reuse[3] = {1, 1, 1};
};

namespace redflag::cudart {
namespace {

constexpr std::size_t kPitch = 512;
constexpr std::uint64_t kTotal = std::uint64_t{80} << 30;

MemPool g_default_pool;

Error allocate(Runtime& runtime, void** to, std::size_t size, Where where, unsigned flags,
               gpu::StreamId stream = gpu::StreamId{0}) {
  if (to == nullptr) return Error::kInvalidValue;
  *to = nullptr;
  if (size == 0) return Error::kSuccess;
  if (where == Where::kDevice && size > kTotal - runtime.memory->device_bytes()) {
    return Error::kMemoryAllocation;
  }
  const Result<Block> block = runtime.memory->allocate(size, where, flags);
  if (!block) return Error::kMemoryAllocation;
  *to = reinterpret_cast<void*>(block->address);
  if (block->on_host()) runtime.watch->add(block->address, block->size);
  runtime.streams->tell({.kind = gpu::HostKind::kAlloc,
                         .stream = stream,
                         .address = block->address,
                         .size = block->size});
  return Error::kSuccess;
}

// `ordered`: in the stream only; else the whole device is waited for, as cudaFree does.
Error release(Runtime& runtime, void* memory, bool on_host, bool ordered, gpu::StreamId stream) {
  if (memory == nullptr) return Error::kSuccess;
  const Block* block = runtime.memory->find(number(memory));
  const bool pinned = block != nullptr && block->where == Where::kPinned;
  if (block == nullptr || block->address != number(memory) || pinned != on_host ||
      block->where == Where::kRegistered) {
    return Error::kInvalidValue;
  }
  if (!ordered) {
    runtime.streams->tell({.kind = gpu::HostKind::kSyncDevice, .waits = true});
    runtime.watch->forget();
  }
  runtime.streams->tell({.kind = gpu::HostKind::kFree,
                         .stream = stream,
                         .address = block->address,
                         .size = block->size});
  runtime.reporter->collect();
  runtime.watch->remove(block->address);
  (void)runtime.memory->release(number(memory));
  return Error::kSuccess;
}

}  // namespace
}  // namespace redflag::cudart

using namespace redflag::cudart;

CUDART_API(cudaMalloc, (void** memory, std::size_t size)) {
  return call(CUDART_CALLER,
              [&](Runtime& runtime) { return allocate(runtime, memory, size, Where::kDevice, 0); });
}

CUDART_API(cudaMallocManaged, (void** memory, std::size_t size, unsigned flags)) {
  if (size == 0) return keep(Error::kInvalidValue);
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    return allocate(runtime, memory, size, Where::kManaged, flags);
  });
}

CUDART_API(cudaHostAlloc, (void** memory, std::size_t size, unsigned flags)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    return allocate(runtime, memory, size, Where::kPinned, flags);
  });
}

CUDART_API(cudaMallocHost, (void** memory, std::size_t size)) {
  return call(CUDART_CALLER,
              [&](Runtime& runtime) { return allocate(runtime, memory, size, Where::kPinned, 0); });
}

CUDART_API(cudaMallocPitch,
           (void** memory, std::size_t* pitch, std::size_t width, std::size_t height)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    if (pitch == nullptr) return Error::kInvalidValue;
    *pitch = (width + kPitch - 1) / kPitch * kPitch;
    return allocate(runtime, memory, *pitch * height, Where::kDevice, 0);
  });
}

CUDART_API(cudaMalloc3D, (PitchedPtr * to, Extent extent)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    const std::size_t pitch = (extent.width + kPitch - 1) / kPitch * kPitch;
    to->pitch = pitch;
    to->xsize = extent.width;
    to->ysize = extent.height;
    return allocate(runtime, &to->ptr, pitch * extent.height * extent.depth, Where::kDevice, 0);
  });
}

CUDART_STREAM_API(cudaMallocAsync, _ptsz, (void** memory, std::size_t size, Stream* handle),
                  (memory, size, handle)) {
  return call_stream(caller, handle, by_default, [&](Runtime& runtime, Stream& stream) {
    if (stream.capture != nullptr) return Error::kStreamCaptureUnsupported;
    runtime.streams->begin_work(stream);
    return allocate(runtime, memory, size, Where::kDevice, 0, stream.id);
  });
}

CUDART_STREAM_API(cudaMallocFromPoolAsync, _ptsz,
                  (void** memory, std::size_t size, MemPool* pool, Stream* handle),
                  (memory, size, pool, handle)) {
  if (pool == nullptr) return keep(Error::kInvalidValue);
  return cudaMallocAsync_by(caller, by_default, memory, size, handle);
}

CUDART_STREAM_API(cudaFreeAsync, _ptsz, (void* memory, Stream* handle), (memory, handle)) {
  return call_stream(caller, handle, by_default, [&](Runtime& runtime, Stream& stream) {
    if (stream.capture != nullptr) return Error::kStreamCaptureUnsupported;
    runtime.streams->begin_work(stream);
    return release(runtime, memory, false, true, stream.id);
  });
}

CUDART_API(cudaFree, (void* memory)) {
  return call(CUDART_CALLER,
              [&](Runtime& runtime) { return release(runtime, memory, false, false, {}); });
}

CUDART_API(cudaFreeHost, (void* memory)) {
  return call(CUDART_CALLER,
              [&](Runtime& runtime) { return release(runtime, memory, true, false, {}); });
}

CUDART_API(cudaHostRegister, (void* memory, std::size_t size, unsigned flags)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    if (memory == nullptr || size == 0) return Error::kInvalidValue;
    return runtime.memory->enrol(number(memory), size, flags) ? Error::kSuccess
                                                              : Error::kHostMemoryAlreadyRegistered;
  });
}

CUDART_API(cudaHostUnregister, (void* memory)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    const Block* block = runtime.memory->find(number(memory));
    if (block == nullptr || block->where != Where::kRegistered ||
        block->address != number(memory)) {
      return Error::kHostMemoryNotRegistered;
    }
    (void)runtime.memory->release(number(memory));
    return Error::kSuccess;
  });
}

CUDART_API(cudaHostGetDevicePointer, (void** device, void* host, unsigned)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    const Block* block = runtime.memory->find(number(host));
    if (block == nullptr || !block->on_host()) return Error::kInvalidValue;
    *device = host;
    return Error::kSuccess;
  });
}

CUDART_API(cudaHostGetFlags, (unsigned* flags, void* host)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    const Block* block = runtime.memory->find(number(host));
    if (block == nullptr || !block->on_host()) return Error::kInvalidValue;
    *flags = block->flags;
    return Error::kSuccess;
  });
}

CUDART_API(cudaPointerGetAttributes, (PointerAttributes * to, const void* address)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    if (to == nullptr) return Error::kInvalidValue;
    *to = {};
    const Block* block = runtime.memory->find(number(address));
    const bool variable = block == nullptr && runtime.memory->reachable(number(address));
    if (block == nullptr && !variable) {
      to->device = -2;  // cudaInvalidDeviceId
      to->host_pointer = const_cast<void*>(address);
      return Error::kSuccess;
    }
    const Where where = variable ? Where::kDevice : block->where;
    to->type = where == Where::kDevice    ? MemoryType::kDevice
               : where == Where::kManaged ? MemoryType::kManaged
                                          : MemoryType::kHost;
    to->device_pointer = const_cast<void*>(address);
    to->host_pointer = where == Where::kDevice ? nullptr : const_cast<void*>(address);
    return Error::kSuccess;
  });
}

CUDART_API(cudaMemGetInfo, (std::size_t* free, std::size_t* total)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    *total = kTotal;
    *free = kTotal - runtime.memory->device_bytes();
    return Error::kSuccess;
  });
}

// Hints: where managed memory is best kept. There is only one place here.
CUDART_API(cudaMemAdvise, (const void* address, std::size_t, int, MemLocation)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    return runtime.memory->reachable(number(address)) ? Error::kSuccess : Error::kInvalidValue;
  });
}

CUDART_STREAM_API(cudaMemPrefetchAsync, _ptsz,
                  (const void* address, std::size_t size, MemLocation location, unsigned flags,
                   Stream* handle),
                  (address, size, location, flags, handle)) {
  (void)size;
  (void)location;
  (void)flags;
  return call_stream(caller, handle, by_default, [&](Runtime& runtime, Stream& stream) {
    if (!runtime.memory->reachable(number(address))) return Error::kInvalidValue;
    return runtime.submit(stream, EmptyOp{});
  });
}

CUDART_STREAM_API(cudaStreamAttachMemAsync, _ptsz,
                  (Stream * handle, void* memory, std::size_t length, unsigned flags),
                  (handle, memory, length, flags)) {
  (void)length;
  (void)flags;
  return call_stream(caller, handle, by_default, [&](Runtime& runtime, Stream& stream) {
    if (!runtime.memory->reachable(number(memory))) return Error::kInvalidValue;
    return runtime.submit(stream, EmptyOp{});
  });
}

CUDART_API(cudaDeviceGetDefaultMemPool, (MemPool * *pool, int)) {
  *pool = &g_default_pool;
  return Error::kSuccess;
}

CUDART_API(cudaDeviceGetMemPool, (MemPool * *pool, int)) {
  *pool = &g_default_pool;
  return Error::kSuccess;
}

CUDART_API(cudaDeviceSetMemPool, (int, MemPool* pool)) {
  return keep(pool == nullptr ? Error::kInvalidValue : Error::kSuccess);
}

CUDART_API(cudaMemPoolCreate, (MemPool * *pool, const void*)) {
  *pool = new MemPool;
  return Error::kSuccess;
}

CUDART_API(cudaMemPoolDestroy, (MemPool * pool)) {
  if (pool == nullptr || pool == &g_default_pool) return keep(Error::kInvalidValue);
  delete pool;
  return Error::kSuccess;
}

CUDART_API(cudaMemPoolTrimTo, (MemPool * pool, std::size_t)) {
  return keep(pool == nullptr ? Error::kInvalidValue : Error::kSuccess);
}

// 1 to 3: how memory is used again, an int; 4: the threshold; 5 to 8: bytes in use.
CUDART_API(cudaMemPoolSetAttribute, (MemPool * pool, int attribute, void* value)) {
  if (pool == nullptr || attribute < 1 || attribute > 8) return keep(Error::kInvalidValue);
  if (attribute <= 3) pool->reuse[attribute - 1] = *static_cast<int*>(value);
  if (attribute == 4) pool->threshold = *static_cast<std::uint64_t*>(value);
  return Error::kSuccess;
}

CUDART_API(cudaMemPoolGetAttribute, (MemPool * pool, int attribute, void* value)) {
  if (pool == nullptr || attribute < 1 || attribute > 8) return keep(Error::kInvalidValue);
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    if (attribute <= 3) {
      *static_cast<int*>(value) = pool->reuse[attribute - 1];
    } else {
      *static_cast<std::uint64_t*>(value) =
          attribute == 4 ? pool->threshold : runtime.memory->device_bytes();
    }
    return Error::kSuccess;
  });
}

CUDART_API(cudaMemPoolSetAccess, (MemPool * pool, const void*, std::size_t)) {
  return keep(pool == nullptr ? Error::kInvalidValue : Error::kSuccess);
}
