#include "frontends/cuda/inject/symbols.h"

#include "frontends/cuda/inject/driver_memory.h"
#include "frontends/cuda/inject/real.h"

namespace redflag::inject {

CUfunction find_beside(const Kernel& kernel, const std::string& name) {
  const Module& module = *kernel.module;
  const Inside inside(nullptr);
  CUfunction function = nullptr;
  if (!module.is_library) {
    auto* const owner = static_cast<CUmodule>(module.handle);
    const CUresult done = real(Fn::k_cuModuleGetFunction, &function, owner, name.c_str());
    return done == kSuccess ? function : nullptr;
  }
  CUkernel found = nullptr;
  auto* const owner = static_cast<CUlibrary>(module.handle);
  if (real(Fn::k_cuLibraryGetKernel, &found, owner, name.c_str()) != kSuccess) return nullptr;
  if (kernel.of_library) return reinterpret_cast<CUfunction>(found);
  return real(Fn::k_cuKernelGetFunction, &function, found) == kSuccess ? function : nullptr;
}

FoundVariable find_variable(const Module& module, const std::string& name) {
  CUdeviceptr at = 0;
  std::size_t size = 0;
  const CUresult found = module.is_library
                             ? real(Fn::k_cuLibraryGetGlobal, &at, &size,
                                    static_cast<CUlibrary>(module.handle), name.c_str())
                             : real(Fn::k_cuModuleGetGlobal_v2, &at, &size,
                                    static_cast<CUmodule>(module.handle), name.c_str());
  return found == kSuccess ? FoundVariable{at, size} : FoundVariable{};
}

}  // namespace redflag::inject
