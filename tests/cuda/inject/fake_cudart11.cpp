// A runtime library that does what CUDA 11.8's does, for a test to be linked with, shared or static.
//
// It finds the driver's functions by cuGetProcAddress, gets a table of functions that are not documented,
// and makes sure that the driver means the same table. Before its first work all registered fat binaries are
// loaded by the table, in the primary context. Kernels are found and launched by the driver's documented
// functions.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "tests/cuda/inject/fake_table.h"

namespace redflag::fake {
namespace {

constexpr int kVersion = 11080;

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

void need(bool truth, const char* what) {
  if (truth) return;
  (void)std::fprintf(stderr, "the runtime library: %s\n", what);
  std::abort();
}

template <typename Signature>
Signature* driver(const char* name) {
  static void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
  using Ask = CUresult(const char*, void**, int, std::uint64_t);
  static auto* const ask = reinterpret_cast<Ask*>(::dlsym(library, "cuGetProcAddress"));
  void* found = nullptr;
  need(ask != nullptr && ask(name, &found, kVersion, 0) == kSuccess && found != nullptr, name);
  return reinterpret_cast<Signature*>(found);
}

const Table& table() {
  static const Table* const found = [] {
    const void* made = nullptr;
    need(driver<CUresult(unsigned)>("cuInit")(0) == kSuccess, "cuInit");
    (void)driver<CUresult(const void**, const void*)>("cuGetExportTable")(&made, kTableId);
    need(driver<CUresult(const void*)>("cuFakeMeans")(made) == kSuccess, "another table");
    return static_cast<const Table*>(made);
  }();
  return *found;
}

void start() {
  static const bool done = [] {
    CUcontext context = nullptr;
    need(table().context(&context, 0) == kSuccess, "the context");
    need(driver<CUresult(CUcontext)>("cuCtxPushCurrent")(context) == kSuccess, "its push");
    for (auto& [wrapper, module] : modules()) {
      need(table().load_managed(&module, wrapper, nullptr, nullptr, 0) == kSuccess, "a module");
    }
    need(driver<CUresult(CUcontext*)>("cuCtxPopCurrent")(&context) == kSuccess, "its pop");
    return driver<CUresult(CUcontext)>("cuCtxSetCurrent")(context) == kSuccess;
  }();
  need(done, "its start");
}

}  // namespace
}  // namespace redflag::fake

using namespace redflag::fake;

#define API extern "C" __attribute__((visibility("default")))

// NOLINTBEGIN(bugprone-reserved-identifier): the names are NVIDIA's
API void** __cudaRegisterFatBinary(void* wrapper);
API void** __cudaRegisterFatBinary(void* wrapper) {
  modules()[wrapper] = nullptr;
  return static_cast<void**>(wrapper);
}
API void __cudaUnregisterFatBinary(void** handle);
API void __cudaUnregisterFatBinary(void** handle) {
  (void)table().forget(handle);
}
API void __cudaRegisterFunction(void** handle, const char* host, const char* name);
API void __cudaRegisterFunction(void** handle, const char* host, const char* name) {
  functions()[host] = {handle, name};
}
// NOLINTEND(bugprone-reserved-identifier)
API int cudaMalloc(void** made, std::size_t bytes);
API int cudaMalloc(void** made, std::size_t bytes) {
  start();
  return driver<CUresult(CUdeviceptr*, std::size_t)>("cuMemAlloc")(
      reinterpret_cast<CUdeviceptr*>(made), bytes);
}
API int cudaDeviceSynchronize();
API int cudaDeviceSynchronize() {
  return driver<CUresult()>("cuCtxSynchronize")();
}
API int cudaLaunch(const void* host, unsigned blocks, unsigned threads, void** params);
API int cudaLaunch(const void* host, unsigned blocks, unsigned threads, void** params) {
  start();
  const Function& function = functions().at(host);
  CUfunction found = nullptr;
  using Find = CUresult(CUfunction*, CUmodule, const char*);
  if (driver<Find>("cuModuleGetFunction")(&found, modules().at(function.wrapper),
                                          function.name.c_str()) != kSuccess) {
    return 1;
  }
  using Launch = CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, CUstream, void**, void**);
  return driver<Launch>("cuLaunchKernel")(found, blocks, 1, 1, threads, 1, 1, 0, nullptr, params,
                                          nullptr);
}
