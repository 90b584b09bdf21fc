// Copies and fills, as what is read and written in their stream.
//
// A copy that the host waits for is told with a wait behind it. In a stream that is being captured they
// become part of the graph (graphs.h).
#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/copy_steps.h"
#include "frontends/cuda/inject/hooks.h"

namespace redflag::inject {
namespace {

using gpu::HostKind;

// Tells of work that the driver has put into the stream.
CUresult told(const Call& call, CUresult result, const Steps& steps, CUstream stream, bool waits) {
  if (result != kSuccess) return result;
  CUstream const handle = meant(stream, call.per_thread());
  const std::uint64_t capture = capture_of(handle);
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  if (capture != 0) {
    CUgraphNode const node = captured_node(handle);
    for (const gpu::HostStep& step : steps) checker.graphs().captured(capture, {node, step});
    return result;
  }
  StreamOrder::Stream& in = checker.stream(stream, call.per_thread());
  checker.streams().begin_work(in);
  for (gpu::HostStep step : steps) {
    step.stream = in.id;
    checker.tell(step);
  }
  if (waits) checker.ended(checker.streams().synchronized(in));
  return result;
}

// With arrays at the addresses that are told of them.
template <typename Copy>
Steps steps_here(const Copy& what) {
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  return steps_of(what, [&](CUarray array) { return checker.box_of(array); });
}

std::uint64_t number(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

CUresult copied(const Call& call, CUresult done, std::uint64_t to, std::uint64_t from,
                std::size_t bytes, CUstream stream, bool waits) {
  Steps steps;
  add_steps(steps, HostKind::kRead, {.address = from}, {.width = bytes});
  add_steps(steps, HostKind::kWrite, {.address = to}, {.width = bytes});
  return told(call, done, steps, stream, waits);
}

std::uint64_t in_array(CUarray array, std::size_t offset) {
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  const Box box = checker.box_of(array);
  return box.address == 0 ? 0 : box.address + offset;
}

CUresult filled(const Call& call, CUresult done, const Box& box, const Size& size,
                CUstream stream) {
  Steps steps;
  add_steps(steps, HostKind::kWrite, box, size);
  return told(call, done, steps, stream, false);  // the host does not wait for a fill
}

}  // namespace

CUresult copy(const Call& call, CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return copied(call, pass(call, to, from, bytes), to, from, bytes, nullptr, true);
}

CUresult copy_async(const Call& call, CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                    CUstream stream) {
  return copied(call, pass(call, to, from, bytes, stream), to, from, bytes, stream, false);
}

CUresult copy_to(const Call& call, CUdeviceptr to, const void* from, std::size_t bytes) {
  return copied(call, pass(call, to, from, bytes), to, number(from), bytes, nullptr, true);
}

CUresult copy_from(const Call& call, void* to, CUdeviceptr from, std::size_t bytes) {
  return copied(call, pass(call, to, from, bytes), number(to), from, bytes, nullptr, true);
}

// The host does not wait for a copy within the device.
CUresult copy_within(const Call& call, CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return copied(call, pass(call, to, from, bytes), to, from, bytes, nullptr, false);
}

CUresult copy_to_async(const Call& call, CUdeviceptr to, const void* from, std::size_t bytes,
                       CUstream stream) {
  return copied(call, pass(call, to, from, bytes, stream), to, number(from), bytes, stream, false);
}

CUresult copy_from_async(const Call& call, void* to, CUdeviceptr from, std::size_t bytes,
                         CUstream stream) {
  return copied(call, pass(call, to, from, bytes, stream), number(to), from, bytes, stream, false);
}

CUresult copy_peer(const Call& call, CUdeviceptr to, CUcontext there, CUdeviceptr from,
                   CUcontext here, std::size_t bytes) {
  return copied(call, pass(call, to, there, from, here, bytes), to, from, bytes, nullptr, false);
}

CUresult copy_peer_async(const Call& call, CUdeviceptr to, CUcontext there, CUdeviceptr from,
                         CUcontext here, std::size_t bytes, CUstream stream) {
  return copied(call, pass(call, to, there, from, here, bytes, stream), to, from, bytes, stream,
                false);
}

CUresult copy_2d(const Call& call, const CUDA_MEMCPY2D* what) {
  const CUresult done = pass(call, what);
  return what == nullptr ? done : told(call, done, steps_here(*what), nullptr, true);
}

CUresult copy_2d_async(const Call& call, const CUDA_MEMCPY2D* what, CUstream stream) {
  const CUresult done = pass(call, what, stream);
  return what == nullptr ? done : told(call, done, steps_here(*what), stream, false);
}

CUresult copy_3d(const Call& call, const CUDA_MEMCPY3D* what) {
  const CUresult done = pass(call, what);
  return what == nullptr ? done : told(call, done, steps_here(*what), nullptr, true);
}

CUresult copy_3d_async(const Call& call, const CUDA_MEMCPY3D* what, CUstream stream) {
  const CUresult done = pass(call, what, stream);
  return what == nullptr ? done : told(call, done, steps_here(*what), stream, false);
}

CUresult copy_to_array(const Call& call, CUarray to, std::size_t offset, const void* from,
                       std::size_t bytes) {
  const CUresult done = pass(call, to, offset, from, bytes);
  return copied(call, done, in_array(to, offset), number(from), bytes, nullptr, true);
}

CUresult copy_to_array_async(const Call& call, CUarray to, std::size_t offset, const void* from,
                             std::size_t bytes, CUstream stream) {
  const CUresult done = pass(call, to, offset, from, bytes, stream);
  return copied(call, done, in_array(to, offset), number(from), bytes, stream, false);
}

CUresult copy_from_array(const Call& call, void* to, CUarray from, std::size_t offset,
                         std::size_t bytes) {
  const CUresult done = pass(call, to, from, offset, bytes);
  return copied(call, done, number(to), in_array(from, offset), bytes, nullptr, true);
}

CUresult copy_from_array_async(const Call& call, void* to, CUarray from, std::size_t offset,
                               std::size_t bytes, CUstream stream) {
  const CUresult done = pass(call, to, from, offset, bytes, stream);
  return copied(call, done, number(to), in_array(from, offset), bytes, stream, false);
}

CUresult copy_array_to_memory(const Call& call, CUdeviceptr to, CUarray from, std::size_t offset,
                              std::size_t bytes) {
  const CUresult done = pass(call, to, from, offset, bytes);
  return copied(call, done, to, in_array(from, offset), bytes, nullptr, false);
}

CUresult copy_memory_to_array(const Call& call, CUarray to, std::size_t offset, CUdeviceptr from,
                              std::size_t bytes) {
  const CUresult done = pass(call, to, offset, from, bytes);
  return copied(call, done, in_array(to, offset), from, bytes, nullptr, false);
}

CUresult copy_array_to_array(const Call& call, CUarray to, std::size_t to_offset, CUarray from,
                             std::size_t from_offset, std::size_t bytes) {
  const CUresult done = pass(call, to, to_offset, from, from_offset, bytes);
  return copied(call, done, in_array(to, to_offset), in_array(from, from_offset), bytes, nullptr,
                false);
}

#define REDFLAG_FILL(name, type)                                                             \
  CUresult name(const Call& call, CUdeviceptr to, type value, std::size_t count) {           \
    return filled(call, pass(call, to, value, count), {.address = to},                       \
                  {.width = count * sizeof(type)}, nullptr);                                 \
  }                                                                                          \
  CUresult name##_async(const Call& call, CUdeviceptr to, type value, std::size_t count,     \
                        CUstream stream) {                                                   \
    return filled(call, pass(call, to, value, count, stream), {.address = to},               \
                  {.width = count * sizeof(type)}, stream);                                  \
  }                                                                                          \
  CUresult name##_2d(const Call& call, CUdeviceptr to, std::size_t pitch, type value,        \
                     std::size_t width, std::size_t height) {                                \
    return filled(call, pass(call, to, pitch, value, width, height),                         \
                  {.address = to, .pitch = pitch}, {width * sizeof(type), height}, nullptr); \
  }                                                                                          \
  CUresult name##_2d_async(const Call& call, CUdeviceptr to, std::size_t pitch, type value,  \
                           std::size_t width, std::size_t height, CUstream stream) {         \
    return filled(call, pass(call, to, pitch, value, width, height, stream),                 \
                  {.address = to, .pitch = pitch}, {width * sizeof(type), height}, stream);  \
  }
REDFLAG_FILL(fill8, unsigned char)
REDFLAG_FILL(fill16, unsigned short)
REDFLAG_FILL(fill32, unsigned)
#undef REDFLAG_FILL

}  // namespace redflag::inject
