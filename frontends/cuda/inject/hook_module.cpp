// Modules and the ways to their kernels: the rewritten module is loaded in the place of the program's.
//
// Where that does not work the program's own is loaded, and its kernels are listed at the end.
#include <optional>
#include <string>

#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/files.h"
#include "frontends/cuda/inject/hooks.h"
#include "frontends/cuda/inject/load.h"

namespace redflag::inject {
namespace {

// Ours instead of the driver's, where the function is one that we intercept. A driver may answer with
// an older one, or one for the other default stream, where it has no better: the address tells.
void hand_out(const char* name, void** to, int version, std::uint64_t flags) {
  if (name == nullptr || to == nullptr || *to == nullptr) return;
  const std::optional<Fn> fn = find_function(name, version, flags);
  if (!fn) return;
  if (real_address(*fn) == *to) {
    *to = hook_address(*fn);
    return;
  }
  for (std::size_t i = 0; i < kFunctionCount; ++i) {
    const auto other = static_cast<Fn>(i);
    if (hook_address(other) == nullptr || real_address(other) != *to) continue;
    *to = hook_address(other);
    return;
  }
  if (real_address(*fn) != nullptr) *to = hook_address(*fn);
}

void add_kernel(const void* handle, const void* module, const char* name, bool of_library) {
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.modules().add_kernel(handle, checker.modules().find(module), name, of_library);
}

// The program does not know of the parameter that was added.
CUresult parameter(const Call& call, const void* handle, std::size_t index, std::size_t* offset,
                   std::size_t* size) {
  {
    Checker& checker = Checker::get();
    const Lock lock = checker.lock();
    const Kernel kernel = checker.kernel(handle);
    if (kernel.checked() && index >= kernel.code->parameters) return kErrorInvalidValue;
  }
  return pass(call, handle, index, offset, size);
}

}  // namespace

CUresult get_proc_address_v1(const Call& call, const char* name, void** to, int version,
                             std::uint64_t flags) {
  const CUresult done = pass(call, name, to, version, flags);
  if (done == kSuccess) hand_out(name, to, version, flags);
  return done;
}

CUresult get_proc_address(const Call& call, const char* name, void** to, int version,
                          std::uint64_t flags, int* found) {
  const CUresult done = pass(call, name, to, version, flags, found);
  if (done == kSuccess) hand_out(name, to, version, flags);
  return done;
}

CUresult init(const Call& call, unsigned flags) {
  const CUresult done = pass(call, flags);
  if (done == kSuccess) Checker::begin();
  return done;
}

CUresult module_load(const Call& call, CUmodule* made, const char* path) {
  const std::optional<std::string> file = read_file(path);
  return load(
      made, file ? file->c_str() : nullptr, path == nullptr ? "" : path,
      [&](Module& own) { return real(Fn::k_cuModuleLoadData, made, own.bytes()); },
      [&] { return pass(call, made, path); });
}

CUresult module_load_data(const Call& call, CUmodule* made, const void* image) {
  return load(
      made, image, "a module",
      [&](Module& own) { return real(Fn::k_cuModuleLoadData, made, own.bytes()); },
      [&] { return pass(call, made, image); });
}

CUresult module_load_data_ex(const Call& call, CUmodule* made, const void* image, unsigned count,
                             CUjit_option* options, void** values) {
  return load(
      made, image, "a module",
      [&](Module& own) { return pass(call, made, own.bytes(), count, options, values); },
      [&] { return pass(call, made, image, count, options, values); });
}

CUresult library_load_data(const Call& call, CUlibrary* made, const void* code,
                           CUjit_option* options, void** values, unsigned count,
                           CUlibraryOption* library_options, void** library_values,
                           unsigned library_count) {
  const auto with = [&](const void* image) {
    return pass(call, made, image, options, values, count, library_options, library_values,
                library_count);
  };
  return load(
      made, code, "a library", [&](Module& own) { return with(own.bytes()); },
      [&] { return with(code); });
}

CUresult library_load_file(const Call& call, CUlibrary* made, const char* path,
                           CUjit_option* options, void** values, unsigned count,
                           CUlibraryOption* library_options, void** library_values,
                           unsigned library_count) {
  const std::optional<std::string> file = read_file(path);
  return load(
      made, file ? file->c_str() : nullptr, path == nullptr ? "" : path,
      [&](Module& own) {
        return real(Fn::k_cuLibraryLoadData, made, own.bytes(), options, values, count,
                    library_options, library_values, library_count);
      },
      [&] {
        return pass(call, made, path, options, values, count, library_options, library_values,
                    library_count);
      });
}

CUresult module_unload(const Call& call, CUmodule module) {
  {
    Checker& checker = Checker::get();
    const Lock lock = checker.lock();
    checker.module_gone(module);
  }
  return pass(call, module);
}

CUresult library_unload(const Call& call, CUlibrary library) {
  {
    Checker& checker = Checker::get();
    const Lock lock = checker.lock();
    checker.module_gone(library);
  }
  return pass(call, library);
}

CUresult module_get_function(const Call& call, CUfunction* made, CUmodule module,
                             const char* name) {
  const CUresult done = pass(call, made, module, name);
  if (done == kSuccess) add_kernel(*made, module, name, false);
  return done;
}

CUresult library_get_kernel(const Call& call, CUkernel* made, CUlibrary library, const char* name) {
  const CUresult done = pass(call, made, library, name);
  if (done == kSuccess) add_kernel(*made, library, name, true);
  return done;
}

CUresult library_get_module(const Call& call, CUmodule* made, CUlibrary library) {
  const CUresult done = pass(call, made, library);
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  if (std::shared_ptr<Module> module = checker.modules().find(library)) {
    checker.modules().add(*made, std::move(module));
  }
  return done;
}

CUresult kernel_get_function(const Call& call, CUfunction* made, CUkernel kernel) {
  const CUresult done = pass(call, made, kernel);
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  Kernel known = checker.kernel(kernel);
  known.of_library = false;
  checker.modules().add_kernel(*made, known);
  return done;
}

CUresult function_parameter(const Call& call, CUfunction function, std::size_t index,
                            std::size_t* offset, std::size_t* size) {
  return parameter(call, function, index, offset, size);
}

CUresult kernel_parameter(const Call& call, CUkernel kernel, std::size_t index, std::size_t* offset,
                          std::size_t* size) {
  return parameter(call, kernel, index, offset, size);
}

}  // namespace redflag::inject
