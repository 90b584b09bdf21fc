// Programs on CUDA 11's shared runtime library: their fat binaries are rewritten before it hands them on.
//
// Kernels are known by the driver's names for them, which it has from CUDA 12.3 on; with an older driver
// nothing is changed. Compiling is left to the driver: at cuInit there is no context.
#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/compile.h"
#include "frontends/cuda/inject/image.h"
#include "frontends/cuda/inject/real.h"

namespace redflag::inject {

void* Checker::registered(const void* wrapper) {
  const Lock held = lock();
  Registered::Binary& binary = registered_.add(wrapper);
  // Of a library that is loaded later.
  if (pid_ != 0) rewrite_registered();
  return &binary.own;
}

void Checker::rewrite_registered() {
  const bool names_kernels = real_address(Fn::k_cuFuncGetName) != nullptr &&
                             real_address(Fn::k_cuFuncGetModule) != nullptr;
  if (!names_kernels || registered_.all().empty()) return;
  const Gpu gpu = current_gpu();
  for (std::size_t i = 0; i < registered_.all().size(); ++i) {
    Registered::Binary& binary = *registered_.all()[i];
    if (binary.tried) continue;
    binary.tried = true;
    Result<std::string> ptx = ptx_of_image(binary.original, gpu.sm);
    if (!ptx) continue;
    const auto later = [](const std::string&) { return Result<std::string>(""); };
    Result<Made> made = maker_.make(std::move(*ptx), {"a registered module", gpu.name}, later);
    if (made) Registered::replace(binary, i, std::move(made->code));
  }
}

std::shared_ptr<Module> Checker::registered_module(CUmodule handle) {
  for (std::size_t i = 0; i < registered_.all().size(); ++i) {
    const Registered::Binary& binary = *registered_.all()[i];
    if (binary.code == nullptr) continue;
    CUdeviceptr at = 0;
    std::size_t size = 0;
    if (real(Fn::k_cuModuleGetGlobal_v2, &at, &size, handle, mark_of(i).c_str()) != kSuccess) {
      continue;
    }
    auto module = std::make_shared<Module>();
    module->code = binary.code;
    module->handle = handle;
    modules_.add(handle, module);
    return module;
  }
  return nullptr;
}

}  // namespace redflag::inject
