// How the entry points are written: exported, under the lock, with the last error kept.
//
//   CUDART_API(cudaFree, (void* memory)) {
//     return call([&](Runtime& runtime) { ... });
//   }
//
// CUDART_STREAM_API makes two of a name: the second, with a suffix, is what programs compiled for a
// default stream per thread call; `by_default` says which of them was called.
#pragma once

#include "frontends/cuda/cudart/runtime.h"
#include "frontends/cuda/report/caller.h"

#define CUDART_EXPORT extern "C" __attribute__((visibility("default")))
#define CUDART_UNWRAP(...) __VA_ARGS__

#define CUDART_API(name, params) CUDART_EXPORT redflag::cudart::Error name params

#define CUDART_STREAM_API(name, suffix, params, args)                                              \
  static redflag::cudart::Error name##_by(const void* caller, redflag::cudart::Default by_default, \
                                          CUDART_UNWRAP params);                                   \
  CUDART_EXPORT redflag::cudart::Error name params {                                               \
    return name##_by(CUDART_CALLER, redflag::cudart::Default::kLegacy, CUDART_UNWRAP args);        \
  }                                                                                                \
  CUDART_EXPORT redflag::cudart::Error name##suffix params {                                       \
    return name##_by(CUDART_CALLER, redflag::cudart::Default::kPerThread, CUDART_UNWRAP args);     \
  }                                                                                                \
  static redflag::cudart::Error name##_by(const void* caller, redflag::cudart::Default by_default, \
                                          CUDART_UNWRAP params)

// Where in the program an entry point was called from.
#define CUDART_CALLER redflag::cudart::before(__builtin_return_address(0))

namespace redflag::cudart {

// A return address is behind its call, which may be the last thing of its line.
inline const void* before(const void* return_address) {
  return static_cast<const char*>(return_address) - 1;
}

// The last error of this thread, for cudaGetLastError.
Error& last_error();

inline Error keep(Error error) {
  if (error != Error::kSuccess && error != Error::kNotReady) last_error() = error;
  return error;
}

// While it lives, pages that are watched are open: the library may touch them.
class Opened {
 public:
  explicit Opened(Watch& watch) : watch_(watch) { watch_.open(); }
  ~Opened() { watch_.close(); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

 private:
  Watch& watch_;
};

// `body` gets the runtime, locked, and gives the error. After a fault of a kernel it is not called.
template <typename Body>
Error call(const void* caller, Body body) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  cuda_report::set_caller(caller, true);
  if (runtime.sticky != Error::kSuccess) return keep(runtime.sticky);
  const Opened opened(*runtime.watch);
  return keep(body(runtime));
}

// The same for what must be possible after a fault: cleaning up.
template <typename Body>
Error call_always(const void* caller, Body body) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  cuda_report::set_caller(caller, true);
  const Opened opened(*runtime.watch);
  return keep(body(runtime));
}

// As call(), with a stream.
template <typename Body>
Error call_stream(const void* caller, Stream* handle, Default by_default, Body body) {
  return call(caller, [&](Runtime& runtime) {
    Stream* stream = runtime.streams->resolve(handle, by_default);
    return stream == nullptr ? Error::kInvalidResourceHandle : body(runtime, *stream);
  });
}

inline std::uint64_t number(const void* address) {
  return reinterpret_cast<std::uint64_t>(address);
}

// Facts about the device that several functions need.
inline constexpr int kMultiprocessors = static_cast<int>(cuda::kMultiprocessors);
inline constexpr int kThreadsPerMultiprocessor = 2048;
inline constexpr int kBlocksPerMultiprocessor = 32;
inline constexpr int kRegisters = 65536;
inline constexpr std::size_t kSharedPerBlock = 48U << 10;
inline constexpr std::size_t kSharedOptIn = 227U << 10;
inline constexpr std::size_t kSharedPerMultiprocessor = 228U << 10;
inline constexpr std::size_t kSharedReserved = 1U << 10;
// How many blocks of a kernel fit on one multiprocessor.
int active_blocks(const cuda::KernelInfo& kernel, int threads, std::size_t dynamic_shared);

// Parameters as a kernel reads them, from pointers to each.
std::vector<std::byte> pack(const cuda::KernelInfo& kernel, void** args);
// A launch, checked against the limits of device and kernel.
struct LaunchRequest {
  const void* function = nullptr;
  Dim3 grid, block, cluster;
  std::size_t dynamic_shared = 0;
  bool cooperative = false;
  void** args = nullptr;
};
Error prepare(Runtime& runtime, const LaunchRequest& request, LaunchOp& launch);
// Whether the host waits for a copy: always, or only where pageable memory of the host receives it.
enum class Manner : std::uint8_t { kWaits, kAsync };
// Into the stream, direction and sizes checked.
Error copy_in(Runtime& runtime, Stream& stream, CopyOp copy, CopyKind kind, Manner manner);
// A copy as an operation: direction and sizes checked.
Error prepare(Runtime& runtime, const Memcpy3DParms& parms, CopyOp& copy);

}  // namespace redflag::cudart
