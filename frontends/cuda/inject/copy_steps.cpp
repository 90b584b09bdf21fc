#include "frontends/cuda/inject/copy_steps.h"

namespace redflag::inject {

using gpu::HostKind;

namespace {

// One side of a copy.
struct Side {
  int type = 0;
  const void* host = nullptr;
  CUdeviceptr device = 0;
  CUarray array = nullptr;
  std::uint64_t pitch = 0, height = 0;
  std::uint64_t x = 0, y = 0, z = 0;  // x in bytes
};

void add_side(Steps& to, HostKind kind, const Side& side, const Size& size, const BoxOf& box_of) {
  Box box{side.device, side.pitch, side.pitch * side.height};
  if (side.type == kMemoryHost) box.address = reinterpret_cast<std::uint64_t>(side.host);
  if (side.type == kMemoryArray) box = box_of ? box_of(side.array) : Box{};
  if (box.address == 0) return;
  box.address += side.z * box.slice + side.y * box.pitch + side.x;
  add_steps(to, kind, box, size);
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

Steps steps_of(const CUDA_MEMCPY2D& copy, const BoxOf& box_of) {
  Steps steps;
  const Size size{.width = copy.WidthInBytes, .height = copy.Height};
  add_side(steps, HostKind::kRead,
           {copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcArray, copy.srcPitch, 0,
            copy.srcXInBytes, copy.srcY, 0},
           size, box_of);
  add_side(steps, HostKind::kWrite,
           {copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstArray, copy.dstPitch, 0,
            copy.dstXInBytes, copy.dstY, 0},
           size, box_of);
  return steps;
}

Steps steps_of(const CUDA_MEMCPY3D& copy, const BoxOf& box_of) {
  Steps steps;
  const Size size{copy.WidthInBytes, copy.Height, copy.Depth};
  add_side(steps, HostKind::kRead,
           {copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcArray, copy.srcPitch,
            copy.srcHeight, copy.srcXInBytes, copy.srcY, copy.srcZ},
           size, box_of);
  add_side(steps, HostKind::kWrite,
           {copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstArray, copy.dstPitch,
            copy.dstHeight, copy.dstXInBytes, copy.dstY, copy.dstZ},
           size, box_of);
  return steps;
}

Steps steps_of(const CUDA_MEMSET_NODE_PARAMS& fill) {
  Steps steps;
  add_steps(steps, HostKind::kWrite, {.address = fill.dst, .pitch = fill.pitch},
            {.width = fill.width * fill.elementSize, .height = fill.height});
  return steps;
}

}  // namespace redflag::inject
