// The driver's functions for test programs that are linked with it, and what to do when one fails.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "frontends/cuda/inject/driver.h"

using namespace redflag::inject;

extern "C" {
CUresult cuInit(unsigned);
CUresult cuDevicePrimaryCtxRetain(CUcontext*, CUdevice);
CUresult cuCtxSetCurrent(CUcontext);
CUresult cuCtxSynchronize();
CUresult cuModuleLoad(CUmodule*, const char*);
CUresult cuModuleLoadData(CUmodule*, const void*);
CUresult cuModuleGetFunction(CUfunction*, CUmodule, const char*);
CUresult cuLibraryLoadData(CUlibrary*, const void*, CUjit_option*, void**, unsigned,
                           CUlibraryOption*, void**, unsigned);
CUresult cuLibraryGetModule(CUmodule*, CUlibrary);
CUresult cuLibraryGetKernel(CUkernel*, CUlibrary, const char*);
CUresult cuLibraryGetKernelCount(unsigned*, CUlibrary);
CUresult cuLibraryEnumerateKernels(CUkernel*, unsigned, CUlibrary);
CUresult cuKernelGetFunction(CUfunction*, CUkernel);
CUresult cuKernelGetName(const char**, CUkernel);
CUresult cuKernelSetAttribute(int, int, CUkernel, CUdevice);
CUresult cuKernelSetCacheConfig(CUkernel, int, CUdevice);
CUresult cuModuleGetFunctionCount(unsigned*, CUmodule);
CUresult cuModuleEnumerateFunctions(CUfunction*, unsigned, CUmodule);
CUresult cuLinkCreate_v2(unsigned, CUjit_option*, void**, CUlinkState*);
CUresult cuLinkAddData_v2(CUlinkState, int, void*, std::size_t, const char*, unsigned,
                          CUjit_option*, void**);
CUresult cuLinkAddFile_v2(CUlinkState, int, const char*, unsigned, CUjit_option*, void**);
CUresult cuLinkComplete(CUlinkState, void**, std::size_t*);
CUresult cuLinkDestroy(CUlinkState);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, CUstream, void**, void**);
CUresult cuLaunchKernelEx(const CUlaunchConfig*, CUfunction, void**, void**);
CUresult cuLaunchCooperativeKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                   unsigned, unsigned, CUstream, void**);
CUresult cuFuncGetName(const char**, CUfunction);
CUresult cuFuncSetCacheConfig(CUfunction, int);
CUresult cuFuncGetAttribute(int*, int, CUfunction);
CUresult cuFuncSetAttribute(CUfunction, int, int);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int*, CUfunction, int, std::size_t);
CUresult cuOccupancyMaxPotentialBlockSize(int*, int*, CUfunction, std::size_t (*)(int), std::size_t,
                                          int);
CUresult cuStreamCreate(CUstream*, unsigned);
CUresult cuStreamSynchronize(CUstream);
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned);
CUresult cuStreamBeginCapture_v2(CUstream, int);
CUresult cuStreamEndCapture(CUstream, CUgraph*);
CUresult cuEventCreate(CUevent*, unsigned);
CUresult cuEventRecord(CUevent, CUstream);
CUresult cuGraphCreate(CUgraph*, unsigned);
CUresult cuGraphAddKernelNode_v2(CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t,
                                 const CUDA_KERNEL_NODE_PARAMS*);
CUresult cuGraphAddMemcpyNode(CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t,
                              const CUDA_MEMCPY3D*, CUcontext);
CUresult cuGraphAddMemsetNode(CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t,
                              const CUDA_MEMSET_NODE_PARAMS*, CUcontext);
CUresult cuGraphAddChildGraphNode(CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, CUgraph);
CUresult cuGraphInstantiateWithFlags(CUgraphExec*, CUgraph, unsigned long long);
CUresult cuGraphLaunch(CUgraphExec, CUstream);
CUresult cuGraphDestroy(CUgraph);
CUresult cuGraphExecDestroy(CUgraphExec);
CUresult cuMemAlloc_v2(CUdeviceptr*, std::size_t);
CUresult cuMemFree_v2(CUdeviceptr);
CUresult cuMemcpyHtoD_v2(CUdeviceptr, const void*, std::size_t);
CUresult cuMemcpyDtoH_v2(void*, CUdeviceptr, std::size_t);
}

inline void need(CUresult result, const char* what) {
  if (result == kSuccess) return;
  std::printf("%s: %d\n", what, result);
  std::exit(1);
}
#define NEED(call) need(call, #call)

inline void start() {
  CUcontext context = nullptr;
  NEED(cuInit(0));
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxSetCurrent(context));
}

inline std::string bytes_of(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Numbers in the GPU's memory, one for each thread of two blocks of 32.
struct Numbers {
  static constexpr unsigned kCount = 64;
  CUdeviceptr at = 0;

  Numbers() {
    NEED(cuMemAlloc_v2(&at, kCount * sizeof(unsigned)));
    const std::vector<unsigned> ones(kCount, 1);
    NEED(cuMemcpyHtoD_v2(at, ones.data(), kCount * sizeof(unsigned)));
  }
  void run(CUmodule module, const char* name, unsigned blocks = 2) {
    CUfunction function = nullptr;
    NEED(cuModuleGetFunction(&function, module, name));
    void* params[] = {&at};
    NEED(
        cuLaunchKernel(function, blocks, 1, 1, kCount / blocks, 1, 1, 0, nullptr, params, nullptr));
    NEED(cuCtxSynchronize());
  }
  void are(unsigned expected, const char* when) const {
    std::vector<unsigned> got(kCount);
    NEED(cuMemcpyDtoH_v2(got.data(), at, kCount * sizeof(unsigned)));
    for (const unsigned each : got) {
      if (each == expected) continue;
      std::printf("%s: %u, not %u\n", when, each, expected);
      std::exit(1);
    }
  }
};
