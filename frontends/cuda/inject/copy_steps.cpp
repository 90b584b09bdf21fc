#include "frontends/cuda/inject/copy_steps.h"

namespace redflag::inject {

using gpu::HostKind;

namespace {

std::uint64_t start(int type, const void* host, CUdeviceptr device) {
  if (type == kMemoryArray) return 0;
  return type == kMemoryHost ? reinterpret_cast<std::uint64_t>(host) : device;
}

}  // namespace

void add_steps(Steps& to, HostKind kind, const Box& box, const Size& size) {
  if (box.address == 0 || size.width == 0) return;
  const bool whole = (size.height == 1 || box.pitch == size.width) &&
                     (size.depth == 1 || box.slice == size.width * size.height);
  if (whole) {
    to.push_back(
        {.kind = kind, .address = box.address, .size = size.width * size.height * size.depth});
    return;
  }
  for (std::uint64_t z = 0; z < size.depth; ++z) {
    for (std::uint64_t y = 0; y < size.height; ++y) {
      to.push_back({.kind = kind,
                    .address = box.address + z * box.slice + y * box.pitch,
                    .size = size.width});
    }
  }
}

Steps steps_of(const CUDA_MEMCPY2D& copy) {
  Steps steps;
  const Size size{.width = copy.WidthInBytes, .height = copy.Height};
  if (const std::uint64_t from = start(copy.srcMemoryType, copy.srcHost, copy.srcDevice)) {
    add_steps(steps, HostKind::kRead,
              {from + copy.srcY * copy.srcPitch + copy.srcXInBytes, copy.srcPitch}, size);
  }
  if (const std::uint64_t to = start(copy.dstMemoryType, copy.dstHost, copy.dstDevice)) {
    add_steps(steps, HostKind::kWrite,
              {to + copy.dstY * copy.dstPitch + copy.dstXInBytes, copy.dstPitch}, size);
  }
  return steps;
}

Steps steps_of(const CUDA_MEMCPY3D& copy) {
  Steps steps;
  const Size size{copy.WidthInBytes, copy.Height, copy.Depth};
  if (const std::uint64_t from = start(copy.srcMemoryType, copy.srcHost, copy.srcDevice)) {
    const std::uint64_t slice = copy.srcPitch * copy.srcHeight;
    add_steps(steps, HostKind::kRead,
              {from + copy.srcZ * slice + copy.srcY * copy.srcPitch + copy.srcXInBytes,
               copy.srcPitch, slice},
              size);
  }
  if (const std::uint64_t to = start(copy.dstMemoryType, copy.dstHost, copy.dstDevice)) {
    const std::uint64_t slice = copy.dstPitch * copy.dstHeight;
    add_steps(steps, HostKind::kWrite,
              {to + copy.dstZ * slice + copy.dstY * copy.dstPitch + copy.dstXInBytes, copy.dstPitch,
               slice},
              size);
  }
  return steps;
}

Steps steps_of(const CUDA_MEMSET_NODE_PARAMS& fill) {
  Steps steps;
  add_steps(steps, HostKind::kWrite, {.address = fill.dst, .pitch = fill.pitch},
            {.width = fill.width * fill.elementSize, .height = fill.height});
  return steps;
}

}  // namespace redflag::inject
