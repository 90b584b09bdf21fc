#include "frontends/cuda/inject/shared_memory.h"

#include "frontends/cuda/inject/real.h"

namespace redflag::inject {
namespace {

constexpr std::uint64_t kWithoutAsking = 48 << 10;  // on every GPU

CUdevice current_device() {
  CUdevice device = 0;
  (void)real(Fn::k_cuCtxGetDevice, &device);
  return device;
}

int attribute(CUfunction handle, int which) {
  int value = 0;
  if (real(Fn::k_cuFuncGetAttribute, &value, which, handle) == kSuccess) return value;
  auto* const kernel = reinterpret_cast<CUkernel>(handle);
  (void)real(Fn::k_cuKernelGetAttribute, &value, which, kernel, current_device());
  return value;
}

}  // namespace

std::uint64_t static_shared(CUfunction handle) {
  return static_cast<std::uint64_t>(attribute(handle, kFunctionShared));
}

int dynamic_shared_limit(CUfunction handle) {
  return attribute(handle, kFunctionMostDynamic);
}

bool allow_dynamic_shared(CUfunction handle, std::uint64_t fixed, std::uint64_t dynamic) {
  if (fixed + dynamic <= kWithoutAsking) return true;
  int most = 0;
  (void)real(Fn::k_cuDeviceGetAttribute, &most, kAttributeMostShared, current_device());
  if (fixed + dynamic > static_cast<std::uint64_t>(most)) return false;
  if (static_cast<std::uint64_t>(dynamic_shared_limit(handle)) >= dynamic) return true;
  const int wanted = static_cast<int>(dynamic);
  if (real(Fn::k_cuFuncSetAttribute, handle, kFunctionMostDynamic, wanted) == kSuccess) return true;
  auto* const kernel = reinterpret_cast<CUkernel>(handle);
  return real(Fn::k_cuKernelSetAttribute, kFunctionMostDynamic, wanted, kernel, current_device()) ==
         kSuccess;
}

}  // namespace redflag::inject
