// A runtime library as CUDA 11's shared one: it keeps fat binaries until a kernel is launched, and hands
// them to the driver by a table that only the two of them know. Launches go by the driver's own function.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "tests/cuda/inject/fake_table.h"

namespace redflag::fake {
namespace {

struct Function {
  void* wrapper = nullptr;
  std::string name;
};
std::map<const void*, Function>& functions() {
  static auto* const all = new std::map<const void*, Function>;
  return *all;
}
std::map<void*, CUmodule>& modules() {
  static auto* const all = new std::map<void*, CUmodule>;
  return *all;
}

template <typename Signature>
Signature* driver(const char* name) {
  static void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
  void* const found = ::dlsym(library, name);
  if (found == nullptr) std::abort();
  return reinterpret_cast<Signature*>(found);
}

const Table& table() {
  static const Table* const found = [] {
    CUcontext context = nullptr;
    const void* made = nullptr;
    (void)driver<CUresult(unsigned)>("cuInit")(0);
    (void)driver<CUresult(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain")(&context, 0);
    (void)driver<CUresult(CUcontext)>("cuCtxSetCurrent")(context);
    (void)driver<CUresult(const void**, const void*)>("cuGetExportTable")(&made, nullptr);
    return static_cast<const Table*>(made);
  }();
  return *found;
}

}  // namespace
}  // namespace redflag::fake

using namespace redflag::fake;

#define API extern "C" __attribute__((visibility("default")))

// NOLINTBEGIN(bugprone-reserved-identifier): the names are NVIDIA's
API void** __cudaRegisterFatBinary(void* wrapper);
API void** __cudaRegisterFatBinary(void* wrapper) {
  return static_cast<void**>(wrapper);
}
API void __cudaRegisterFunction(void** handle, const char* host, const char* name);
API void __cudaRegisterFunction(void** handle, const char* host, const char* name) {
  functions()[host] = {handle, name};
}
// NOLINTEND(bugprone-reserved-identifier)
API int cudaMalloc(void** made, std::size_t bytes);
API int cudaMalloc(void** made, std::size_t bytes) {
  (void)table();
  return driver<CUresult(CUdeviceptr*, std::size_t)>("cuMemAlloc_v2")(
      reinterpret_cast<CUdeviceptr*>(made), bytes);
}
API int cudaDeviceSynchronize();
API int cudaDeviceSynchronize() {
  return driver<CUresult()>("cuCtxSynchronize")();
}
API int cudaLaunch(const void* host, unsigned blocks, unsigned threads, void** params);
API int cudaLaunch(const void* host, unsigned blocks, unsigned threads, void** params) {
  const Function& function = functions().at(host);
  CUmodule& module = modules()[function.wrapper];
  if (module == nullptr && table().load(&module, function.wrapper) != kSuccess) return 1;
  CUfunction found = nullptr;
  if (table().function(&found, module, function.name.c_str()) != kSuccess) return 2;
  using Launch = CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, CUstream, void**, void**);
  return driver<Launch>("cuLaunchKernel")(found, blocks, 1, 1, threads, 1, 1, 0, nullptr, params,
                                          nullptr);
}
