// Modules, as the checker has them: what is loaded in the place of an image, which kernel a handle stands
// for, and what a module needs before its first launch in a context.
#include <optional>
#include <utility>

#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/compile.h"
#include "frontends/cuda/inject/image.h"
#include "frontends/cuda/inject/real.h"
#include "frontends/cuda/inject/relocatable.h"
#include "frontends/cuda/inject/symbols.h"

namespace redflag::inject {
namespace {

constexpr gpu::SiteId kNoCall{0x7fffffff};  // neither of the host nor of a kernel

}  // namespace

Result<Made> Checker::make(const void* image, const std::string& name, bool& has_ptx) {
  const Gpu gpu = current_gpu();
  const Target target{name, gpu.name};
  if (const std::string key = key_of_code(image); !key.empty()) {
    std::shared_ptr<const Link> from;
    {
      const Lock held = lock();
      from = links_.find(key);
    }
    if (from != nullptr && !from->why.empty()) return fail(from->why);
    if (from != nullptr) return maker_.link(opened(from->inputs, gpu.sm), key, target, link);
    if (std::optional<Made> made = maker_.linked_earlier(key, target)) return std::move(*made);
  }
  Result<std::string> ptx = ptx_of_image(image, gpu.sm);
  if (!ptx) {
    const std::vector<Input> objects = objects_of(image, gpu.sm);
    if (!objects.empty()) return maker_.link(objects, {}, target, link);
    has_ptx = false;
    return Failure(ptx.error());
  }
  return maker_.make(std::move(*ptx), target, compile);
}

std::shared_ptr<Module> Checker::prepare(const void* image, const std::string& name) {
  auto module = std::make_shared<Module>();
  Result<Made> made = make(image, name, module->has_ptx);
  if (!made) {
    module->why = made.error().message;
    return module;
  }
  module->code = std::move(made->code);
  module->image = std::move(made->image);
  module->why = module->code->note;
  return module;
}

Kernel Checker::kernel(const void* handle) {
  if (const Kernel* known = modules_.find_kernel(handle)) return *known;
  // Listed by the driver, or from before we were there: it knows the module and the name.
  auto* const function = static_cast<CUfunction>(const_cast<void*>(handle));
  auto* const as_kernel = reinterpret_cast<CUkernel>(function);
  const char* name = nullptr;
  CUmodule module = nullptr;
  CUlibrary library = nullptr;
  Kernel made;
  if (real(Fn::k_cuFuncGetModule, &module, function) == kSuccess) {
    made.module = modules_.find(module);
  }
  if (made.module == nullptr && real(Fn::k_cuKernelGetLibrary, &library, as_kernel) == kSuccess) {
    made.module = modules_.find(library);
    made.of_library = made.module != nullptr;
  }
  if (real(Fn::k_cuFuncGetName, &name, function) == kSuccess && name != nullptr) made.name = name;
  made.readable = cuda_report::demangled(made.name);
  if (made.module != nullptr) {
    made.code = made.module->kernel(made.name);
    modules_.add_kernel(handle, std::move(made));
    return *modules_.find_kernel(handle);
  }
  return made;
}

// Memory that nobody allocates is there as long as its module.
void Checker::tell_variables(Module& module) {
  for (const std::string& name : module.code->variables) {
    const FoundVariable found = find_variable(module, name);
    if (found.size == 0) continue;
    module.variables.push_back(found.address);
    tell({.kind = gpu::HostKind::kAlloc,
          .site = kNoCall,
          .address = found.address,
          .size = found.size});
  }
}

void Checker::module_gone(const void* handle) {
  const std::shared_ptr<Module> module = modules_.find(handle);
  if (module == nullptr) return;
  for (const std::uint64_t address : module->variables) {
    managed_ends(address);
    const auto at = allocations_.find(address);
    const std::uint64_t size = at == allocations_.end() ? 0 : at->second.size;
    tell({.kind = gpu::HostKind::kFree, .site = kNoCall, .address = address, .size = size});
  }
  modules_.remove(handle);
}

bool Checker::is_ready(const Kernel& kernel) {
  if (!kernel.checked()) {
    leave_out(kernel, kernel.why());
    return false;
  }
  const std::string why = make_ready(kernel);
  if (why.empty()) return true;
  // Hooks of a module without state return at once. The parameter is there all the same.
  leave_out(kernel, why);
  return true;
}

void Checker::leave_out(const Kernel& kernel, const std::string& why) {
  unchecked_.add(kernel, why);
  outlet_.leave_out(kernel.kind(), kernel.readable);
}

std::string Checker::make_ready(const Kernel& kernel) {
  Module& module = *kernel.module;
  const Result<Context*> where = context();
  if (!where) return where.error().message;
  CUcontext const handle = current_context();
  if (module.ready.contains(handle)) return {};
  const Inside inside(handle);
  const FoundVariable state = find_variable(module, device::kStateSymbol);
  if (state.size == sizeof((*where)->state)) {
    (*where)->memory.write(state.address, std::as_bytes(std::span(&(*where)->state, 1)));
  } else if (module.code->counts.hooks != 0) {
    return std::string("its module does not define ") + device::kStateSymbol;
  }
  tell_variables(module);
  find_managed(module);
  module.ready.insert(handle);
  return {};
}

}  // namespace redflag::inject
