// __cudaRegisterFatBinary of CUDA 11's shared runtime library, wrapped (registered.h).
//
// Later runtimes export it too; their modules are seen when they are loaded, so it is passed on as it is.
// A runtime that is linked into the program (-cudart static) calls its own, which is not seen.
#include <dlfcn.h>

#include <cstring>

#include "frontends/cuda/inject/checker.h"

namespace redflag::inject {

void* next_dlsym(void* handle, const char* name);  // dlsym.cpp

namespace {

constexpr const char* kFunction = "__cudaRegisterFatBinary";
constexpr const char* kLibrary = "libcudart.so.11";

bool is_of_cuda_11(const void* function) {
  Dl_info info{};
  return ::dladdr(function, &info) != 0 && info.dli_fname != nullptr &&
         std::strstr(info.dli_fname, kLibrary) != nullptr;
}

}  // namespace
}  // namespace redflag::inject

// NOLINTBEGIN(bugprone-reserved-identifier): the name is NVIDIA's
extern "C" __attribute__((visibility("default"))) void** __cudaRegisterFatBinary(void* wrapper);
extern "C" void** __cudaRegisterFatBinary(void* wrapper) {
  using namespace redflag::inject;
  using Function = void** (*)(void*);
  static const auto next = reinterpret_cast<Function>(next_dlsym(RTLD_NEXT, kFunction));
  if (next == nullptr) return nullptr;
  if (wrapper == nullptr || !is_of_cuda_11(reinterpret_cast<const void*>(next))) {
    return next(wrapper);
  }
  return next(Checker::get().registered(wrapper));
}
// NOLINTEND(bugprone-reserved-identifier)
