// The device and the library themselves: which there is, what it can, what went wrong last.
#include <array>
#include <cstring>

#include "frontends/cuda/cudart/api.h"
#include "frontends/cuda/cudart/device_properties.h"

namespace redflag::cudart {
namespace {

constexpr int kVersion = 13000;
constexpr int kNoSuchDevice = 1;  // the first number that is none

thread_local Error t_last = Error::kSuccess;

struct ErrorText {
  int number;
  const char* name;
  const char* text;
};
constexpr auto kErrors = std::to_array<ErrorText>({
#define X(number, name, text) {number, #name, text},
#include "frontends/cuda/cudart/errors.inc"
#undef X
});

const ErrorText* text_of(Error error) {
  for (const ErrorText& row : kErrors) {
    if (row.number == static_cast<int>(error)) return &row;
  }
  return nullptr;
}

bool exists(int device) {
  return device >= 0 && device < kNoSuchDevice;
}

// cudaLimit: stack, printf buffer, heap, and four that only nested launches and caches know.
std::array<std::size_t, 7> g_limits{1024, 1U << 20, 8U << 20, 2, 2048, 128, 0};

}  // namespace

Error& last_error() {
  return t_last;
}

}  // namespace redflag::cudart

using namespace redflag::cudart;

CUDART_API(cudaGetLastError, ()) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  if (runtime.sticky != Error::kSuccess) return runtime.sticky;
  return std::exchange(last_error(), Error::kSuccess);
}

CUDART_API(cudaPeekAtLastError, ()) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  return runtime.sticky != Error::kSuccess ? runtime.sticky : last_error();
}

CUDART_EXPORT const char* cudaGetErrorName(Error error) {
  const ErrorText* row = text_of(error);
  return row == nullptr ? "unrecognized error code" : row->name;
}

CUDART_EXPORT const char* cudaGetErrorString(Error error) {
  const ErrorText* row = text_of(error);
  return row == nullptr ? "unrecognized error code" : row->text;
}

CUDART_API(cudaGetDeviceCount, (int* count)) {
  *count = 1;
  return Error::kSuccess;
}

CUDART_API(cudaGetDevice, (int* device)) {
  *device = 0;
  return Error::kSuccess;
}

CUDART_API(cudaSetDevice, (int device)) {
  return keep(exists(device) ? Error::kSuccess : Error::kInvalidDevice);
}

CUDART_API(cudaInitDevice, (int device, unsigned, unsigned)) {
  return keep(exists(device) ? Error::kSuccess : Error::kInvalidDevice);
}

CUDART_API(cudaSetValidDevices, (int*, int count)) {
  return keep(count >= 0 ? Error::kSuccess : Error::kInvalidValue);
}

CUDART_API(cudaChooseDevice, (int* device, const DeviceProperties*)) {
  *device = 0;
  return Error::kSuccess;
}

CUDART_API(cudaGetDeviceProperties, (DeviceProperties * to, int device)) {
  if (to == nullptr || !exists(device)) return keep(Error::kInvalidDevice);
  *to = device_properties();
  return Error::kSuccess;
}

CUDART_API(cudaDeviceGetAttribute, (int* value, int attribute, int device)) {
  if (!exists(device)) return keep(Error::kInvalidDevice);
  return keep(device_attribute(attribute, *value) ? Error::kSuccess : Error::kInvalidValue);
}

CUDART_API(cudaDeviceGetPCIBusId, (char* to, int length, int device)) {
  constexpr char kBus[] = "0000:00:00.0";
  if (!exists(device)) return keep(Error::kInvalidDevice);
  if (to == nullptr || length < static_cast<int>(sizeof(kBus))) return keep(Error::kInvalidValue);
  std::memcpy(to, kBus, sizeof(kBus));
  return Error::kSuccess;
}

CUDART_API(cudaDeviceGetByPCIBusId, (int* device, const char*)) {
  *device = 0;
  return Error::kSuccess;
}

CUDART_API(cudaDeviceSynchronize, ()) {
  return call(CUDART_CALLER, [](Runtime& runtime) {
    if (runtime.streams->any_capture()) return Error::kStreamCaptureUnsupported;
    return runtime.synchronize_device();
  });
}

CUDART_API(cudaDeviceReset, ()) {
  return call_always(CUDART_CALLER, [](Runtime& runtime) {
    const Error done = runtime.synchronize_device();
    runtime.sticky = Error::kSuccess;
    return done;
  });
}

CUDART_API(cudaDeviceGetLimit, (std::size_t* value, int limit)) {
  if (limit < 0 || limit >= static_cast<int>(g_limits.size())) {
    return keep(Error::kUnsupportedLimit);
  }
  *value = g_limits[static_cast<std::size_t>(limit)];
  return Error::kSuccess;
}

CUDART_API(cudaDeviceSetLimit, (int limit, std::size_t value)) {
  if (limit < 0 || limit >= static_cast<int>(g_limits.size())) {
    return keep(Error::kUnsupportedLimit);
  }
  g_limits[static_cast<std::size_t>(limit)] = value;
  return Error::kSuccess;
}

CUDART_API(cudaDeviceGetStreamPriorityRange, (int* least, int* greatest)) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return Error::kSuccess;
}

CUDART_API(cudaDeviceGetCacheConfig, (int* config)) {
  *config = 0;
  return Error::kSuccess;
}

CUDART_API(cudaDeviceSetCacheConfig, (int)) {
  return Error::kSuccess;
}

CUDART_API(cudaDeviceGetSharedMemConfig, (int* config)) {
  *config = 1;  // banks of four bytes
  return Error::kSuccess;
}

CUDART_API(cudaDeviceSetSharedMemConfig, (int)) {
  return Error::kSuccess;
}

CUDART_API(cudaCtxResetPersistingL2Cache, ()) {
  return Error::kSuccess;
}

CUDART_API(cudaSetDeviceFlags, (unsigned)) {
  return Error::kSuccess;
}

CUDART_API(cudaGetDeviceFlags, (unsigned* flags)) {
  *flags = 0x8;  // mapped host memory is always possible
  return Error::kSuccess;
}

CUDART_API(cudaDeviceCanAccessPeer, (int* can, int, int)) {
  *can = 0;
  return Error::kSuccess;
}

CUDART_API(cudaDeviceEnablePeerAccess, (int, unsigned)) {
  return keep(Error::kPeerAccessUnsupported);
}

CUDART_API(cudaDeviceDisablePeerAccess, (int)) {
  return keep(Error::kPeerAccessNotEnabled);
}

CUDART_API(cudaDriverGetVersion, (int* version)) {
  *version = kVersion;
  return Error::kSuccess;
}

CUDART_API(cudaRuntimeGetVersion, (int* version)) {
  *version = kVersion;
  return Error::kSuccess;
}

CUDART_API(cudaProfilerStart, ()) {
  return Error::kSuccess;
}

CUDART_API(cudaProfilerStop, ()) {
  return Error::kSuccess;
}

CUDART_EXPORT ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}
