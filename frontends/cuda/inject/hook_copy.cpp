// Copies and fills, as what is read and written in their stream.
//
// Of memory of the host only what kernels can reach matters, and detectors know which that is by the
// allocations. A copy that the host waits for is told with a wait behind it.
#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/hooks.h"

namespace redflag::inject {
namespace {

using gpu::HostKind;

// Rows of bytes: `width` of each, `pitch` from one to the next, `slice` from slice to slice.
struct Box {
  std::uint64_t address = 0;  // 0: not memory that kernels reach by an address
  std::uint64_t pitch = 0, slice = 0;
};
struct Size {
  std::uint64_t width = 0, height = 1, depth = 1;
};

class Work {
 public:
  Work(const Call& call, CUstream stream)
      : stream_(stream),
        per_thread_(call.per_thread()),
        capture_(capture_of(meant(stream, call.per_thread()))) {}

  void reads(const Box& box, const Size& size) { add(HostKind::kRead, box, size); }
  void writes(const Box& box, const Size& size) { add(HostKind::kWrite, box, size); }

  // The driver has taken it.
  CUresult done(CUresult result, bool waits) {
    if (result != kSuccess) return result;
    Checker& checker = Checker::get();
    const Lock lock = checker.lock();
    if (capture_ != 0) {
      for (const gpu::HostStep& step : steps_) {
        checker.graphs().captured(capture_, {nullptr, step});
      }
      return result;
    }
    StreamOrder::Stream& in = checker.stream(stream_, per_thread_);
    checker.streams().begin_work(in);
    for (gpu::HostStep step : steps_) {
      step.stream = in.id;
      checker.tell(step);
    }
    if (waits) checker.ended(checker.streams().synchronized(in));
    return result;
  }

 private:
  void add(HostKind kind, const Box& box, const Size& size) {
    if (box.address == 0 || size.width == 0) return;
    const bool whole = (size.height == 1 || box.pitch == size.width) &&
                       (size.depth == 1 || box.slice == size.width * size.height);
    if (whole) {
      steps_.push_back(
          {.kind = kind, .address = box.address, .size = size.width * size.height * size.depth});
      return;
    }
    for (std::uint64_t z = 0; z < size.depth; ++z) {
      for (std::uint64_t y = 0; y < size.height; ++y) {
        steps_.push_back({.kind = kind,
                          .address = box.address + z * box.slice + y * box.pitch,
                          .size = size.width});
      }
    }
  }

  CUstream stream_;
  bool per_thread_;
  std::uint64_t capture_;
  std::vector<gpu::HostStep> steps_;
};

std::uint64_t number(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

CUresult copied(const Call& call, CUresult done, std::uint64_t to, std::uint64_t from,
                std::size_t bytes, CUstream stream, bool waits) {
  Work work(call, stream);
  work.reads({.address = from}, {.width = bytes});
  work.writes({.address = to}, {.width = bytes});
  return work.done(done, waits);
}

CUresult filled(const Call& call, CUresult done, const Box& box, const Size& size,
                CUstream stream) {
  Work work(call, stream);
  work.writes(box, size);
  return work.done(done, false);  // the host does not wait for a fill of device memory
}

std::uint64_t start(int type, const void* host, CUdeviceptr device) {
  if (type == kMemoryArray) return 0;
  return type == kMemoryHost ? number(host) : device;
}

CUresult copied(const Call& call, CUresult done, const CUDA_MEMCPY2D& what, CUstream stream,
                bool waits) {
  Work work(call, stream);
  const Size size{.width = what.WidthInBytes, .height = what.Height};
  if (const std::uint64_t from = start(what.srcMemoryType, what.srcHost, what.srcDevice)) {
    work.reads({from + what.srcY * what.srcPitch + what.srcXInBytes, what.srcPitch}, size);
  }
  if (const std::uint64_t to = start(what.dstMemoryType, what.dstHost, what.dstDevice)) {
    work.writes({to + what.dstY * what.dstPitch + what.dstXInBytes, what.dstPitch}, size);
  }
  return work.done(done, waits);
}

CUresult copied(const Call& call, CUresult done, const CUDA_MEMCPY3D& what, CUstream stream,
                bool waits) {
  Work work(call, stream);
  const Size size{what.WidthInBytes, what.Height, what.Depth};
  if (const std::uint64_t from = start(what.srcMemoryType, what.srcHost, what.srcDevice)) {
    const std::uint64_t slice = what.srcPitch * what.srcHeight;
    work.reads({from + what.srcZ * slice + what.srcY * what.srcPitch + what.srcXInBytes,
                what.srcPitch, slice},
               size);
  }
  if (const std::uint64_t to = start(what.dstMemoryType, what.dstHost, what.dstDevice)) {
    const std::uint64_t slice = what.dstPitch * what.dstHeight;
    work.writes({to + what.dstZ * slice + what.dstY * what.dstPitch + what.dstXInBytes,
                 what.dstPitch, slice},
                size);
  }
  return work.done(done, waits);
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
  return what == nullptr ? done : copied(call, done, *what, nullptr, true);
}

CUresult copy_2d_async(const Call& call, const CUDA_MEMCPY2D* what, CUstream stream) {
  const CUresult done = pass(call, what, stream);
  return what == nullptr ? done : copied(call, done, *what, stream, false);
}

CUresult copy_3d(const Call& call, const CUDA_MEMCPY3D* what) {
  const CUresult done = pass(call, what);
  return what == nullptr ? done : copied(call, done, *what, nullptr, true);
}

CUresult copy_3d_async(const Call& call, const CUDA_MEMCPY3D* what, CUstream stream) {
  const CUresult done = pass(call, what, stream);
  return what == nullptr ? done : copied(call, done, *what, stream, false);
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
