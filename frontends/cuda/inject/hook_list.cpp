// Lists of a module's kernels: the versions that were added to it are left out.
#include <algorithm>
#include <vector>

#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/hooks.h"

namespace redflag::inject {
namespace {

const char* name_of(CUfunction function) {
  const char* name = nullptr;
  return real(Fn::k_cuFuncGetName, &name, function) == kSuccess ? name : nullptr;
}

const char* name_of(CUkernel kernel) {
  const char* name = nullptr;
  return real(Fn::k_cuKernelGetName, &name, kernel) == kSuccess ? name : nullptr;
}

// `count` and `list` are the driver's functions. Returns what they do; `found`: what the program has itself.
template <typename Handle, typename Owner>
CUresult own_kernels(Fn count, Fn list, Owner owner, std::vector<Handle>& found) {
  unsigned all = 0;
  CUresult done = real(count, &all, owner);
  if (done != kSuccess) return done;
  found.resize(all);
  done = real(list, found.data(), all, owner);
  if (done != kSuccess) return done;
  std::shared_ptr<Module> module;
  {
    Checker& checker = Checker::get();
    const Lock lock = checker.lock();
    module = checker.modules().find(owner);
  }
  if (module == nullptr || module->code == nullptr) return done;
  std::erase_if(found, [&](Handle each) {
    const char* const name = name_of(each);
    return name != nullptr && is_version(module->code->kernels, name);
  });
  return done;
}

template <typename Handle, typename Owner>
CUresult count_of(Fn count, Fn list, unsigned* to, Owner owner) {
  std::vector<Handle> found;
  const CUresult done = own_kernels(count, list, owner, found);
  if (done == kSuccess) *to = static_cast<unsigned>(found.size());
  return done;
}

template <typename Handle, typename Owner>
CUresult list_of(Fn count, Fn list, Handle* to, unsigned most, Owner owner) {
  std::vector<Handle> found;
  const CUresult done = own_kernels(count, list, owner, found);
  if (done == kSuccess) std::copy_n(found.begin(), std::min<std::size_t>(most, found.size()), to);
  return done;
}

}  // namespace

CUresult module_function_count(const Call& call, unsigned* count, CUmodule module) {
  if (count == nullptr) return pass(call, count, module);
  return count_of<CUfunction>(Fn::k_cuModuleGetFunctionCount, Fn::k_cuModuleEnumerateFunctions,
                              count, module);
}

CUresult module_functions(const Call& call, CUfunction* functions, unsigned most, CUmodule module) {
  if (functions == nullptr) return pass(call, functions, most, module);
  return list_of(Fn::k_cuModuleGetFunctionCount, Fn::k_cuModuleEnumerateFunctions, functions, most,
                 module);
}

CUresult library_kernel_count(const Call& call, unsigned* count, CUlibrary library) {
  if (count == nullptr) return pass(call, count, library);
  return count_of<CUkernel>(Fn::k_cuLibraryGetKernelCount, Fn::k_cuLibraryEnumerateKernels, count,
                            library);
}

CUresult library_kernels(const Call& call, CUkernel* kernels, unsigned most, CUlibrary library) {
  if (kernels == nullptr) return pass(call, kernels, most, library);
  return list_of(Fn::k_cuLibraryGetKernelCount, Fn::k_cuLibraryEnumerateKernels, kernels, most,
                 library);
}

}  // namespace redflag::inject
