// A program of CUDA's driver API: everything a test of the interposer wants to see done.
//
//   program (direct|dlsym|address|per-thread) KERNELS.ptx [collide|reset|stuck|cubin]
//
// It finds the driver's functions the way that its first argument says, and says whether what the
// kernels computed is right. Then: collide runs a kernel with a race; reset does so after the context was
// reset, stuck with a kernel that does not end then; cubin loads machine code only.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "frontends/cuda/fatbin/testing.h"
#include "frontends/cuda/inject/driver.h"
#include "tests/cuda/inject/fake_cubin.h"

using namespace redflag::inject;

// What is called, with the version that a program of today would ask for.
#define FUNCTIONS(F)                                                                              \
  F(cuInit, cuInit, unsigned)                                                                     \
  F(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, CUcontext*, CUdevice)                     \
  F(cuCtxSetCurrent, cuCtxSetCurrent, CUcontext)                                                  \
  F(cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset, CUdevice)                                \
  F(cuCtxSynchronize, cuCtxSynchronize)                                                           \
  F(cuModuleLoadData, cuModuleLoadData, CUmodule*, const void*)                                   \
  F(cuModuleUnload, cuModuleUnload, CUmodule)                                                     \
  F(cuModuleGetFunction, cuModuleGetFunction, CUfunction*, CUmodule, const char*)                 \
  F(cuLibraryLoadData, cuLibraryLoadData, CUlibrary*, const void*, CUjit_option*, void**,         \
    unsigned, CUlibraryOption*, void**, unsigned)                                                 \
  F(cuLibraryGetKernel, cuLibraryGetKernel, CUkernel*, CUlibrary, const char*)                    \
  F(cuKernelGetFunction, cuKernelGetFunction, CUfunction*, CUkernel)                              \
  F(cuFuncGetParamInfo, cuFuncGetParamInfo, CUfunction, std::size_t, std::size_t*, std::size_t*)  \
  F(cuLaunchKernel, cuLaunchKernel, CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, \
    unsigned, unsigned, CUstream, void**, void**)                                                 \
  F(cuLaunchKernelEx, cuLaunchKernelEx, const CUlaunchConfig*, CUfunction, void**, void**)        \
  F(cuMemAlloc_v2, cuMemAlloc, CUdeviceptr*, std::size_t)                                         \
  F(cuMemFree_v2, cuMemFree, CUdeviceptr)                                                         \
  F(cuMemcpyHtoD_v2, cuMemcpyHtoD, CUdeviceptr, const void*, std::size_t)                         \
  F(cuMemcpyDtoH_v2, cuMemcpyDtoH, void*, CUdeviceptr, std::size_t)                               \
  F(cuMemsetD32_v2, cuMemsetD32, CUdeviceptr, unsigned, std::size_t)                              \
  F(cuStreamCreate, cuStreamCreate, CUstream*, unsigned)                                          \
  F(cuStreamSynchronize, cuStreamSynchronize, CUstream)                                           \
  F(cuStreamBeginCapture_v2, cuStreamBeginCapture, CUstream, int)                                 \
  F(cuStreamEndCapture, cuStreamEndCapture, CUstream, CUgraph*)                                   \
  F(cuGraphCreate, cuGraphCreate, CUgraph*, unsigned)                                             \
  F(cuGraphAddKernelNode_v2, cuGraphAddKernelNode, CUgraphNode*, CUgraph, const CUgraphNode*,     \
    std::size_t, const CUDA_KERNEL_NODE_PARAMS*)                                                  \
  F(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, CUgraphExec*, CUgraph,              \
    unsigned long long)                                                                           \
  F(cuGraphLaunch, cuGraphLaunch, CUgraphExec, CUstream)

#define DECLARE(symbol, name, ...) extern "C" CUresult symbol(__VA_ARGS__);
FUNCTIONS(DECLARE)
extern "C" CUresult cuGetProcAddress_v2(const char*, void**, int, std::uint64_t, int*);

namespace {

struct Api {
#define MEMBER(symbol, name, ...) CUresult (*symbol)(__VA_ARGS__) = nullptr;
  FUNCTIONS(MEMBER)
} api;

void need(CUresult result, const char* what) {
  if (result == kSuccess) return;
  std::printf("%s: %d\n", what, result);
  std::exit(1);
}
#define NEED(call) need(api.call, #call)

template <typename Function>
void find(const std::string& way, Function& to, const char* symbol, const char* name,
          Function linked) {
  void* found = nullptr;
  if (way == "direct") {
    to = linked;
    return;
  }
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (way == "dlsym") {
    found = ::dlsym(library, symbol);
  } else {
    const auto get =
        reinterpret_cast<decltype(&cuGetProcAddress_v2)>(::dlsym(library, "cuGetProcAddress_v2"));
    const std::uint64_t flags =
        way == "per-thread" ? kPerThreadStreamSymbols : kLegacyStreamSymbols;
    int status = 0;
    need(get(name, &found, 13000, flags, &status), name);
  }
  if (found == nullptr) need(500, symbol);
  to = reinterpret_cast<Function>(found);
}

constexpr unsigned kCount = 100;
constexpr std::size_t kBytes = std::size_t{kCount} * sizeof(unsigned);

// Adds 3 to each, by the kernel.
struct Numbers {
  CUdeviceptr at = 0;
  unsigned count = kCount;
  void* params[2] = {&at, &count};
  unsigned expected = 1;

  Numbers() {
    NEED(cuMemAlloc_v2(&at, kBytes));
    const std::vector<unsigned> ones(kCount, 1);
    NEED(cuMemcpyHtoD_v2(at, ones.data(), kBytes));
  }
  void added(const char* how) {
    expected += 3;
    std::vector<unsigned> got(kCount);
    NEED(cuMemcpyDtoH_v2(got.data(), at, kBytes));
    for (unsigned i = 0; i < kCount; ++i) {
      if (got[i] == expected) continue;
      std::printf("%s: number %u is %u, not %u\n", how, i, got[i], expected);
      std::exit(1);
    }
  }
};

void launches(CUfunction scale, Numbers& numbers, CUstream stream) {
  NEED(cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, stream, numbers.params, nullptr));
  NEED(cuStreamSynchronize(stream));
  numbers.added("by pointers");
  struct {
    CUdeviceptr at;
    unsigned count;
  } block{numbers.at, kCount};
  std::size_t size = 12;
  void* extra[] = {reinterpret_cast<void*>(kParamBufferPointer), &block,
                   reinterpret_cast<void*>(kParamBufferSize), &size, nullptr};
  // What the driver itself wants is the whole block.
  const CUresult blocked = api.cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, stream, nullptr, extra);
  need(blocked, "extra");
  NEED(cuStreamSynchronize(stream));
  numbers.added("by a block");
  CUlaunchConfig config{4, 1, 1, 32, 1, 1, 0, stream, nullptr, 0};
  NEED(cuLaunchKernelEx(&config, scale, numbers.params, nullptr));
  NEED(cuStreamSynchronize(stream));
  numbers.added("by a configuration");
}

void graphs(CUfunction scale, Numbers& numbers, CUstream stream) {
  NEED(cuStreamBeginCapture_v2(stream, 0));
  NEED(cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, stream, numbers.params, nullptr));
  CUgraph graph = nullptr;
  NEED(cuStreamEndCapture(stream, &graph));
  CUgraphExec exec = nullptr;
  NEED(cuGraphInstantiateWithFlags(&exec, graph, 0));
  for (int i = 0; i < 2; ++i) {
    NEED(cuGraphLaunch(exec, stream));
    NEED(cuStreamSynchronize(stream));
    numbers.added("captured");
  }
  CUDA_KERNEL_NODE_PARAMS params{scale,          4,       1,       1,      32, 1, 1, 0,
                                 numbers.params, nullptr, nullptr, nullptr};
  CUgraphNode node = nullptr;
  NEED(cuGraphCreate(&graph, 0));
  NEED(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params));
  NEED(cuGraphInstantiateWithFlags(&exec, graph, 0));
  NEED(cuGraphLaunch(exec, stream));
  NEED(cuCtxSynchronize());
  numbers.added("by a node");
}

void parameters(CUfunction scale) {
  std::size_t count = 0;
  std::size_t offset = 0;
  std::size_t size = 0;
  while (api.cuFuncGetParamInfo(scale, count, &offset, &size) == kSuccess) ++count;
  std::printf("scale has %zu parameters\n", count);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string way = argv[1];
  const std::string what = argc > 3 ? argv[3] : "";
#define FIND(symbol, name, ...) find(way, api.symbol, #symbol, #name, &symbol);
  FUNCTIONS(FIND)
  std::ifstream in(argv[2]);
  const std::string ptx(std::istreambuf_iterator<char>(in), {});
  NEED(cuInit(0));
  CUcontext context = nullptr;
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxSetCurrent(context));
  Numbers numbers;
  CUmodule module = nullptr;
  const std::string image = what == "cubin" ? redflag::fake::cubin(ptx) : ptx;
  NEED(cuModuleLoadData(&module, image.c_str()));
  CUfunction scale = nullptr;
  NEED(cuModuleGetFunction(&scale, module, "scale"));
  CUstream stream = nullptr;
  NEED(cuStreamCreate(&stream, 0));
  parameters(scale);
  launches(scale, numbers, stream);
  graphs(scale, numbers, stream);

  // A fat binary as a library, and its kernel launched as the function that it is not.
  const std::string fat = redflag::fatbin::testing::container({{.sm = 80, .payload = ptx}});
  CUlibrary library = nullptr;
  if (api.cuLibraryLoadData(&library, fat.data(), nullptr, nullptr, 0, nullptr, nullptr, 0) ==
      kSuccess) {
    CUkernel kernel = nullptr;
    NEED(cuLibraryGetKernel(&kernel, library, "scale"));
    NEED(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 4, 1, 1, 32, 1, 1, 0, nullptr,
                        numbers.params, nullptr));
    numbers.added("from a library");
    NEED(cuKernelGetFunction(&scale, kernel));
    NEED(cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, nullptr, numbers.params, nullptr));
    numbers.added("from a library's function");
  }
  CUfunction count = nullptr;  // without parameters
  NEED(cuModuleGetFunction(&count, module, "count"));
  NEED(cuLaunchKernel(count, 2, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
  NEED(cuCtxSynchronize());
  if (what == "reset") NEED(cuDevicePrimaryCtxReset_v2(0));
  if (what == "stuck") (void)::setenv("FAKE_DRIVER_STUCK", "1", 1);
  if (what == "collide" || what == "reset" || what == "stuck") {
    CUfunction collide = nullptr;
    NEED(cuModuleGetFunction(&collide, module, "collide"));
    NEED(cuLaunchKernel(collide, 2, 1, 1, 32, 1, 1, 0, stream, numbers.params, nullptr));
    NEED(cuCtxSynchronize());
  }
  NEED(cuMemFree_v2(numbers.at));
  NEED(cuModuleUnload(module));
  std::printf("all numbers are right\n");
  return 0;
}
