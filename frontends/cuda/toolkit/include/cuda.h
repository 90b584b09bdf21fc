// Types of CUDA's driver API, for programs that include this header only for its types.
//
// The emulated GPU supports the runtime API only. The compiler refuses a call of the driver API and
// names the remedy; the table has the calls with which programs begin.
#pragma once

#include <stddef.h>

#define __cuda_cuda_h__
#define CUDA_VERSION 13000

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef enum cudaError_enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 } CUresult;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;

#ifdef __cplusplus
#define REDFLAG_DRIVER(name)                                                                       \
  template <typename... T>                                                                         \
  CUresult name(T...) __attribute__((unavailable(                                                  \
      "needed: NVIDIA's driver API, which the emulated GPU does not provide; to mend it: install " \
      "CUDA 13's toolkit, compile with its nvcc, and run on a GPU (redflag run)")));
REDFLAG_DRIVER(cuInit)
REDFLAG_DRIVER(cuDeviceGet)
REDFLAG_DRIVER(cuDeviceGetCount)
REDFLAG_DRIVER(cuDeviceGetName)
REDFLAG_DRIVER(cuDeviceGetAttribute)
REDFLAG_DRIVER(cuCtxCreate)
REDFLAG_DRIVER(cuCtxDestroy)
REDFLAG_DRIVER(cuCtxSetCurrent)
REDFLAG_DRIVER(cuCtxGetCurrent)
REDFLAG_DRIVER(cuCtxSynchronize)
REDFLAG_DRIVER(cuDevicePrimaryCtxRetain)
REDFLAG_DRIVER(cuDevicePrimaryCtxRelease)
REDFLAG_DRIVER(cuModuleLoad)
REDFLAG_DRIVER(cuModuleLoadData)
REDFLAG_DRIVER(cuModuleLoadDataEx)
REDFLAG_DRIVER(cuModuleGetFunction)
REDFLAG_DRIVER(cuModuleGetGlobal)
REDFLAG_DRIVER(cuModuleUnload)
REDFLAG_DRIVER(cuLibraryLoadData)
REDFLAG_DRIVER(cuLinkCreate)
REDFLAG_DRIVER(cuMemAlloc)
REDFLAG_DRIVER(cuMemAllocManaged)
REDFLAG_DRIVER(cuMemFree)
REDFLAG_DRIVER(cuMemcpyHtoD)
REDFLAG_DRIVER(cuMemcpyDtoH)
REDFLAG_DRIVER(cuMemsetD8)
REDFLAG_DRIVER(cuMemsetD32)
REDFLAG_DRIVER(cuStreamCreate)
REDFLAG_DRIVER(cuStreamSynchronize)
REDFLAG_DRIVER(cuEventCreate)
REDFLAG_DRIVER(cuLaunchKernel)
REDFLAG_DRIVER(cuLaunchCooperativeKernel)
REDFLAG_DRIVER(cuGetErrorName)
REDFLAG_DRIVER(cuGetErrorString)
REDFLAG_DRIVER(cuGetProcAddress)
#undef REDFLAG_DRIVER
#endif
