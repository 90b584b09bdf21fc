// The CUDA driver's interface, as far as it is seen or called here.
//
// Names and layouts are those of NVIDIA's public documentation of the driver API (CUDA 11 to 13,
// 64 bits); no header of theirs is needed to build. What is not looked into stays opaque.
#pragma once

#include <cstddef>
#include <cstdint>

namespace redflag::inject {

using CUresult = int;
inline constexpr CUresult kSuccess = 0;
inline constexpr CUresult kErrorInvalidValue = 1;
inline constexpr CUresult kErrorNotReady = 600;

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUlibrary = struct CUlib_st*;
using CUkernel = struct CUkern_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphNode = struct CUgraphNode_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUlinkState = struct CUlinkState_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;
using CUarray = struct CUarray_st*;
using CUjit_option = int;
using CUlibraryOption = int;

// Streams that are numbers.
inline constexpr std::uintptr_t kStreamLegacy = 1;
inline constexpr std::uintptr_t kStreamPerThread = 2;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;

// cuGetProcAddress.
inline constexpr std::uint64_t kLegacyStreamSymbols = 1;
inline constexpr std::uint64_t kPerThreadStreamSymbols = 2;

// Words of cuLaunchKernel's `extra`.
inline constexpr std::uintptr_t kParamEnd = 0;
inline constexpr std::uintptr_t kParamBufferPointer = 1;
inline constexpr std::uintptr_t kParamBufferSize = 2;

inline constexpr int kCaptureNone = 0;
inline constexpr int kCaptureRelaxed = 2;

// What a linker is given.
inline constexpr int kJitInputCode = 0;
inline constexpr int kJitInputPtx = 1;
inline constexpr int kJitInputFatBinary = 2;
inline constexpr int kJitInputObject = 3;
inline constexpr int kJitInputLibrary = 4;
inline constexpr CUjit_option kJitMostRegisters = 0;
inline constexpr CUjit_option kJitErrorLog = 5;
inline constexpr CUjit_option kJitErrorLogBytes = 6;
inline constexpr CUjit_option kJitSymbolNames = 17;

inline constexpr int kAttributeMajor = 75;  // of the device: compute capability
inline constexpr int kAttributeMinor = 76;
inline constexpr int kAttributeMostShared = 97;  // of a block, where a kernel asks for it
inline constexpr int kFunctionShared = 1;        // static, of a block
inline constexpr int kFunctionMostDynamic = 8;
inline constexpr unsigned kHostAllocPortable = 1;
inline constexpr unsigned kHostAllocDeviceMap = 2;

struct CUlaunchAttribute {
  int id;
  int pad;
  union {
    char bytes[64];
    int cooperative;
    unsigned cluster[3];
  } value;
};
static_assert(sizeof(CUlaunchAttribute) == 72);
inline constexpr int kLaunchCooperative = 2;
inline constexpr int kLaunchCluster = 4;

struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute* attrs;
  unsigned numAttrs;
};
static_assert(sizeof(CUlaunchConfig) == 56);

// Of kernel nodes. The first version ends before `kern`.
struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
  CUkernel kern;
  CUcontext ctx;
};
static_assert(sizeof(CUDA_KERNEL_NODE_PARAMS) == 72);
inline constexpr std::size_t kFirstNodeParams = offsetof(CUDA_KERNEL_NODE_PARAMS, kern);

inline constexpr int kMemoryHost = 1;
inline constexpr int kMemoryDevice = 2;
inline constexpr int kMemoryArray = 3;
inline constexpr int kMemoryUnified = 4;

struct CUDA_MEMCPY2D {
  std::size_t srcXInBytes, srcY;
  int srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  std::size_t srcPitch;
  std::size_t dstXInBytes, dstY;
  int dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  std::size_t dstPitch;
  std::size_t WidthInBytes, Height;
};
static_assert(sizeof(CUDA_MEMCPY2D) == 128);

struct CUDA_MEMCPY3D {
  std::size_t srcXInBytes, srcY, srcZ, srcLOD;
  int srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void* reserved0;
  std::size_t srcPitch, srcHeight;
  std::size_t dstXInBytes, dstY, dstZ, dstLOD;
  int dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void* reserved1;
  std::size_t dstPitch, dstHeight;
  std::size_t WidthInBytes, Height, Depth;
};
static_assert(sizeof(CUDA_MEMCPY3D) == 200);

// Of fill nodes. The first version ends before `ctx`.
struct CUDA_MEMSET_NODE_PARAMS {
  CUdeviceptr dst;
  std::size_t pitch;
  unsigned value, elementSize;
  std::size_t width, height;
  CUcontext ctx;
};
static_assert(sizeof(CUDA_MEMSET_NODE_PARAMS) == 48);

inline constexpr int kKernelNode = 0;
inline constexpr int kCopyNode = 1;
inline constexpr int kFillNode = 2;
inline constexpr int kChildNode = 4;
struct CUgraphNodeParams {
  int type;
  int reserved0[3];
  union {
    long long reserved1[29];
    CUDA_KERNEL_NODE_PARAMS kernel;
    struct {
      int flags, reserved;
      CUcontext copyCtx;
      CUDA_MEMCPY3D copyParams;
    } memcpy;
    CUDA_MEMSET_NODE_PARAMS memset;
    struct {
      CUgraph graph;
      int ownership;
    } graph;
  };
  long long reserved2;
};
static_assert(sizeof(CUgraphNodeParams) == 256);

}  // namespace redflag::inject
