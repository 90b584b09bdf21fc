// A program whose launches cannot race, or do, as it is told.
//
//   versions KERNELS.ptx (quiet|racy|alias|extra|ex|cluster|cooperative|graph|fill|stream|unordered|library|list|attributes|second|crowded)...
//
// It says whether what the kernels computed is right, where that is sure.
#include <string>

#include "tests/cuda/inject/calls.h"

namespace {

constexpr unsigned kCount = Numbers::kCount;
constexpr int kCarveout = 9;

struct Spread {
  Numbers out, in;
  unsigned stride = 1, count = kCount;

  // Two blocks.
  void run(CUfunction spread, CUstream stream = nullptr) {
    void* params[] = {&out.at, &in.at, &stride, &count};
    NEED(cuLaunchKernel(spread, 2, 1, 1, kCount / 2, 1, 1, 0, stream, params, nullptr));
    NEED(cuCtxSynchronize());
  }
  void run_racy(CUfunction spread) {
    stride = 0;
    run(spread);
    stride = 1;
  }
  // Everybody reads what its neighbour writes.
  void run_aliased(CUfunction spread) {
    const CUdeviceptr own = out.at;
    out.at = in.at + sizeof(unsigned);
    count = kCount - 1;
    run(spread);
    count = kCount;
    out.at = own;
  }
  void run_extra(CUfunction spread) {
    struct {
      CUdeviceptr out, in;
      unsigned stride, count;
    } block{out.at, in.at, stride, count};
    std::size_t size = sizeof(block);
    void* extra[] = {reinterpret_cast<void*>(kParamBufferPointer), &block,
                     reinterpret_cast<void*>(kParamBufferSize), &size, nullptr};
    NEED(cuLaunchKernel(spread, 2, 1, 1, kCount / 2, 1, 1, 0, nullptr, nullptr, extra));
    NEED(cuCtxSynchronize());
  }
  void run_cooperative(CUfunction spread) {
    void* params[] = {&out.at, &in.at, &stride, &count};
    NEED(cuLaunchCooperativeKernel(spread, 2, 1, 1, kCount / 2, 1, 1, 0, nullptr, params));
    NEED(cuCtxSynchronize());
  }
  void run_graph(CUfunction spread) {
    CUstream stream = nullptr;
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    NEED(cuStreamCreate(&stream, 0));
    NEED(cuStreamBeginCapture_v2(stream, 0));
    run(spread, stream);
    NEED(cuStreamEndCapture(stream, &graph));
    NEED(cuGraphInstantiateWithFlags(&exec, graph, 0));
    NEED(cuGraphLaunch(exec, nullptr));
    NEED(cuCtxSynchronize());
  }
  void run_ex(CUfunction spread, unsigned cluster) {
    CUlaunchAttribute attribute{.id = kLaunchCluster, .pad = 0, .value = {}};
    attribute.value.cluster[0] = cluster;
    attribute.value.cluster[1] = attribute.value.cluster[2] = 1;
    const CUlaunchConfig config{2, 1, 1, kCount / 2, 1, 1, 0, nullptr, &attribute, 1};
    void* params[] = {&out.at, &in.at, &stride, &count};
    NEED(cuLaunchKernelEx(&config, spread, params, nullptr));
    NEED(cuCtxSynchronize());
  }
};

// The same kernel in a module of its own, by its source: its places in the code have the same numbers.
CUfunction second(std::string ptx) {
  const std::string file = "versions.cu";
  ptx.replace(ptx.find(file), file.size(), "second.cu");
  CUmodule module = nullptr;
  CUfunction spread = nullptr;
  NEED(cuModuleLoadData(&module, ptx.c_str()));
  NEED(cuModuleGetFunction(&spread, module, "spread"));
  return spread;
}

void library(const std::string& ptx, Spread& numbers) {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  NEED(cuLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  NEED(cuLibraryGetKernel(&kernel, library, "spread"));
  numbers.run(reinterpret_cast<CUfunction>(kernel));
  numbers.out.are(2, "a library's kernel");
  NEED(cuKernelGetFunction(&function, kernel));
  numbers.run(function);
  numbers.run_racy(reinterpret_cast<CUfunction>(kernel));
  unsigned count = 0;
  std::vector<CUkernel> kernels(10);
  NEED(cuLibraryGetKernelCount(&count, library));
  NEED(cuLibraryEnumerateKernels(kernels.data(), 10, library));
  for (unsigned i = 0; i < count; ++i) {
    const char* name = nullptr;
    NEED(cuKernelGetName(&name, kernels[i]));
    std::printf("the library has %s\n", name);
  }
  std::printf("%s\n", kernels[count] == nullptr ? "and no more" : "and more");
  // What is set on a kernel holds for its function.
  CUkernel roomy = nullptr;
  NEED(cuLibraryGetKernel(&roomy, library, "roomy"));
  NEED(cuKernelSetAttribute(kFunctionMostDynamic, 50 << 10, roomy, 0));
  NEED(cuKernelSetCacheConfig(roomy, 2, 0));
  NEED(cuKernelGetFunction(&function, roomy));
  void* params[] = {&numbers.out.at};
  for (CUfunction each : {reinterpret_cast<CUfunction>(roomy), function}) {
    NEED(cuLaunchKernel(each, 1, 1, 1, kCount, 1, 1, 50 << 10, nullptr, params, nullptr));
  }
}

void list(CUmodule module) {
  unsigned count = 0;
  NEED(cuModuleGetFunctionCount(&count, module));
  std::vector<CUfunction> functions(count + 1);
  NEED(cuModuleEnumerateFunctions(functions.data(), count + 1, module));
  for (unsigned i = 0; i < count; ++i) {
    const char* name = nullptr;
    NEED(cuFuncGetName(&name, functions[i]));
    std::printf("the module has %s\n", name);
  }
  std::printf("%s\n", functions[count] == nullptr ? "and no more" : "and more");
  std::vector<CUfunction> first(2);
  NEED(cuModuleEnumerateFunctions(first.data(), 1, module));
  std::printf("%s\n", first[0] == functions[0] && first[1] == nullptr ? "one is one" : "not one");
}

// All the shared memory that a block can have, by a kernel that races.
void crowded(CUmodule module, Numbers& numbers) {
  constexpr int kAll = 64 << 10;
  CUfunction crowd = nullptr;
  int blocks = 0;
  NEED(cuModuleGetFunction(&crowd, module, "crowd"));
  void* params[] = {&numbers.at};
  const auto launch = [&](unsigned dynamic) {
    return cuLaunchKernel(crowd, 1, 1, 1, kCount, 1, 1, dynamic, nullptr, params, nullptr);
  };
  NEED(launch(4096));
  NEED(cuFuncSetAttribute(crowd, kFunctionMostDynamic, kAll));
  NEED(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, crowd, kCount, kAll));
  NEED(launch(kAll));
  NEED(cuCtxSynchronize());
  std::printf("%d blocks; more than all: %d, set: %d\n", blocks, launch(kAll + 16),
              cuFuncSetAttribute(crowd, kFunctionMostDynamic, kAll + 16));
}

// Set before the first launch, and changed behind it.
void attributes(CUmodule module, Numbers& numbers) {
  CUfunction roomy = nullptr;
  NEED(cuModuleGetFunction(&roomy, module, "roomy"));
  void* params[] = {&numbers.at};
  const auto launch = [&](unsigned dynamic) {
    return cuLaunchKernel(roomy, 1, 1, 1, kCount, 1, 1, dynamic, nullptr, params, nullptr);
  };
  for (const int dynamic : {50 << 10, 54 << 10}) {
    NEED(cuFuncSetAttribute(roomy, kFunctionMostDynamic, dynamic));
    NEED(cuFuncSetAttribute(roomy, kCarveout, dynamic >> 10));
    NEED(cuFuncSetCacheConfig(roomy, 1));
    NEED(launch(static_cast<unsigned>(dynamic)));
    CUfunction again = nullptr;
    int most = 0;
    NEED(cuModuleGetFunction(&again, module, "roomy"));
    NEED(cuFuncGetAttribute(&most, kFunctionMostDynamic, again));
    std::printf("dynamic at most %d\n", most);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string ptx = bytes_of(argv[1]);
  start();
  CUmodule module = nullptr;
  CUfunction spread = nullptr;
  NEED(cuModuleLoadData(&module, ptx.c_str()));
  NEED(cuModuleGetFunction(&spread, module, "spread"));
  Spread numbers;
  for (int i = 2; i < argc; ++i) {
    const std::string what = argv[i];
    if (what == "quiet") numbers.run(spread);
    if (what == "racy") numbers.run_racy(spread);
    if (what == "alias") numbers.run_aliased(spread);
    if (what == "extra") numbers.run_extra(spread);
    if (what == "ex") numbers.run_ex(spread, 1);
    if (what == "cluster") numbers.run_ex(spread, 2);
    if (what == "cooperative") numbers.run_cooperative(spread);
    if (what == "graph") numbers.run_graph(spread);
    if (what == "second") numbers.run_racy(second(ptx));
    if (what == "library") library(ptx, numbers);
    if (what == "list") list(module);
    if (what == "attributes") attributes(module, numbers.out);
    if (what == "crowded") crowded(module, numbers.out);
    if (what == "fill") {
      CUfunction fill = nullptr;
      NEED(cuModuleGetFunction(&fill, module, "fill"));
      NEED(cuLaunchKernel(fill, 1, 1, 1, kCount, 1, 1, 0, nullptr, nullptr, nullptr));
      NEED(cuLaunchKernel(fill, 2, 1, 1, kCount, 1, 1, 0, nullptr, nullptr, nullptr));
      NEED(cuCtxSynchronize());
    }
    if (what == "stream" || what == "unordered") {
      CUstream stream = nullptr;
      NEED(cuStreamCreate(&stream, what == "unordered" ? kStreamNonBlocking : 0));
      numbers.run(spread, stream);
    }
    if (what == "quiet" || what == "extra" || what == "ex" || what == "cluster" ||
        what == "cooperative" || what == "graph" || what == "stream") {
      numbers.out.are(2, what.c_str());
    }
  }
  std::printf("all numbers are right\n");
  return 0;
}
