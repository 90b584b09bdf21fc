// What nvcc's host code calls: registration before main, and the two halves of <<<...>>>.
#include <vector>

#include "frontends/cuda/cudart/api.h"

namespace redflag::cudart {
namespace {

struct Configuration {
  Dim3 grid, block;
  std::size_t shared = 0;
  void* stream = nullptr;
};
thread_local std::vector<Configuration> t_configurations;

// Handles are pointers to pointers for historical reasons; ours point to themselves.
FatBinary* binary_of(void** handle) {
  return reinterpret_cast<FatBinary*>(handle);
}

template <typename Body>
void registering(Body body) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  body(runtime);
}

}  // namespace
}  // namespace redflag::cudart

using namespace redflag::cudart;  // the entry points are C's

// NOLINTBEGIN(bugprone-reserved-identifier): the names are NVIDIA's

CUDART_EXPORT void** __cudaRegisterFatBinary(void* wrapper) {
  void** handle = nullptr;
  registering([&](Runtime& runtime) {
    handle = reinterpret_cast<void**>(
        runtime.modules->add_binary(static_cast<const FatbinWrapper*>(wrapper)));
  });
  return handle;
}

CUDART_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}

CUDART_EXPORT void __cudaUnregisterFatBinary(void** handle) {
  registering([&](Runtime& runtime) { runtime.modules->remove_binary(binary_of(handle)); });
}

CUDART_EXPORT void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name,
                                          int, void*, void*, void*, void*, int*) {
  registering(
      [&](Runtime& runtime) { runtime.modules->add_kernel(binary_of(handle), host, name); });
}

CUDART_EXPORT void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int,
                                     std::size_t size, int, int) {
  registering([&](Runtime& runtime) {
    runtime.modules->add_variable(binary_of(handle), host,
                                  {.binary = nullptr, .name = name, .size = size});
  });
}

CUDART_EXPORT void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name,
                                            int, std::size_t size, int, int) {
  registering([&](Runtime& runtime) {
    runtime.modules->add_variable(binary_of(handle), host,
                                  {.binary = nullptr, .name = name, .size = size, .managed = host});
  });
}

// Called before the host first uses a managed variable, until it gives something other than 0.
CUDART_EXPORT char __cudaInitModule(void** handle) {
  registering([&](Runtime& runtime) {
    const redflag::Result<void> placed = runtime.modules->place_managed(binary_of(handle));
    if (!placed) {
      runtime.complain(placed.error().message);
      return;
    }
    for (const redflag::cuda::Symbol& variable : runtime.modules->managed(binary_of(handle))) {
      runtime.watch->add(variable.address, variable.size);
    }
  });
  return 1;
}

CUDART_EXPORT unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared,
                                                   void* stream) {
  t_configurations.push_back({grid, block, shared, stream});
  return 0;
}

CUDART_API(__cudaPopCallConfiguration,
           (Dim3 * grid, Dim3* block, std::size_t* shared, void** stream)) {
  if (t_configurations.empty()) return keep(Error::kMissingConfiguration);
  const Configuration& top = t_configurations.back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *stream = top.stream;
  t_configurations.pop_back();
  return Error::kSuccess;
}

CUDART_API(__cudaGetKernel, (Kernel * *kernel, const void* function)) {
  return call_always(CUDART_CALLER, [&](Runtime& runtime) {
    *kernel = runtime.modules->find(function);
    return *kernel == nullptr ? Error::kInvalidDeviceFunction : Error::kSuccess;
  });
}

// NOLINTEND(bugprone-reserved-identifier)

CUDART_API(cudaGetKernel, (Kernel * *kernel, const void* function)) {
  return __cudaGetKernel(kernel, function);
}

CUDART_API(cudaGetFuncBySymbol, (Kernel * *kernel, const void* function)) {
  return __cudaGetKernel(kernel, function);
}
