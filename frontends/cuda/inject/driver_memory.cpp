#include "frontends/cuda/inject/driver_memory.h"

#include <cstring>

#include "frontends/cuda/inject/real.h"

namespace redflag::inject {

Inside::Inside(CUcontext context) {
  pushed_ = context != nullptr && real(Fn::k_cuCtxPushCurrent_v2, context) == kSuccess;
  (void)real(Fn::k_cuThreadExchangeStreamCaptureMode, &mode_);
}

Inside::~Inside() {
  (void)real(Fn::k_cuThreadExchangeStreamCaptureMode, &mode_);
  CUcontext popped = nullptr;
  if (pushed_) (void)real(Fn::k_cuCtxPopCurrent_v2, &popped);
}

std::string error_name(CUresult result) {
  const char* name = nullptr;
  if (real(Fn::k_cuGetErrorName, result, &name) == kSuccess && name != nullptr) return name;
  return "error " + std::to_string(result);
}

CUstream DriverMemory::stream() {
  const std::lock_guard lock(mutex_);
  if (stream_ == nullptr) (void)real(Fn::k_cuStreamCreate, &stream_, kStreamNonBlocking);
  return stream_;
}

Result<std::uint64_t> DriverMemory::allocate(std::uint64_t bytes) {
  const Inside inside(context_);
  CUdeviceptr made = 0;
  const auto size = static_cast<std::size_t>(bytes);
  if (const CUresult done = real(Fn::k_cuMemAlloc_v2, &made, size); done != kSuccess) {
    return fail("needed: " + std::to_string(bytes) +
                " bytes of GPU memory for the checks; found: " + error_name(done));
  }
  clear(made, bytes);
  return made;
}

void DriverMemory::clear(std::uint64_t from, std::uint64_t bytes) {
  const Inside inside(context_);
  CUstream const own = stream();
  const unsigned char zero = 0;
  const auto size = static_cast<std::size_t>(bytes);
  (void)real(Fn::k_cuMemsetD8Async, static_cast<CUdeviceptr>(from), zero, size, own);
  (void)real(Fn::k_cuStreamSynchronize, own);
}

void DriverMemory::free(std::uint64_t address) {
  const Inside inside(context_);
  (void)real(Fn::k_cuMemFree_v2, static_cast<CUdeviceptr>(address));
}

void DriverMemory::write(std::uint64_t to, std::span<const std::byte> bytes) {
  const Inside inside(context_);
  CUstream const own = stream();
  const void* from = bytes.data();
  (void)real(Fn::k_cuMemcpyHtoDAsync_v2, static_cast<CUdeviceptr>(to), from, bytes.size(), own);
  (void)real(Fn::k_cuStreamSynchronize, own);
}

void DriverMemory::read(std::uint64_t from, std::span<std::byte> bytes) {
  const Inside inside(context_);
  CUstream const own = stream();
  void* to = bytes.data();
  (void)real(Fn::k_cuMemcpyDtoHAsync_v2, to, static_cast<CUdeviceptr>(from), bytes.size(), own);
  (void)real(Fn::k_cuStreamSynchronize, own);
}

Result<device::DeviceMemory::Mapped> DriverMemory::allocate_mapped(std::uint64_t bytes) {
  const Inside inside(context_);
  void* host = nullptr;
  CUdeviceptr there = 0;
  const auto size = static_cast<std::size_t>(bytes);
  const unsigned flags = kHostAllocPortable | kHostAllocDeviceMap;
  CUresult done = real(Fn::k_cuMemHostAlloc, &host, size, flags);
  if (done == kSuccess) done = real(Fn::k_cuMemHostGetDevicePointer_v2, &there, host, 0U);
  if (done != kSuccess) {
    return fail("needed: " + std::to_string(bytes) +
                " bytes of page-locked host memory for the checks; found: " + error_name(done));
  }
  std::memset(host, 0, size);
  return Mapped{static_cast<std::byte*>(host), there};
}

std::uint64_t DriverMemory::free_bytes() const {
  const Inside inside(context_);
  std::size_t unused = 0;
  std::size_t total = 0;
  return real(Fn::k_cuMemGetInfo_v2, &unused, &total) == kSuccess ? unused : 0;
}

}  // namespace redflag::inject
