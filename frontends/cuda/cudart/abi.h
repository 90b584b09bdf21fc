// The types of CUDA's runtime API, by their layout: what programs compiled against CUDA 13 hand over.
//
// Written from the numbers, so that the library builds where no CUDA toolkit is installed; where one
// is, tests/cuda/abi_test compares every size, offset and value here with the toolkit's own header.
// Names are ours: the API's entry points are in global scope, its types are not needed there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace redflag::cudart {

// cudaError_t: those that this library gives; the texts of all are in errors.inc.
enum class Error : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInitializationError = 3,
  kInvalidConfiguration = 9,
  kInvalidPitchValue = 12,
  kInvalidSymbol = 13,
  kInvalidDevicePointer = 17,
  kInvalidChannelDescriptor = 20,
  kInvalidMemcpyDirection = 21,
  kInvalidFilterSetting = 26,
  kInvalidNormSetting = 27,
  kMissingConfiguration = 52,
  kInvalidDeviceFunction = 98,
  kInvalidDevice = 101,
  kInvalidKernelImage = 200,
  kNoKernelImageForDevice = 209,
  kUnsupportedLimit = 215,
  kPeerAccessUnsupported = 217,
  kInvalidPtx = 218,
  kInvalidResourceHandle = 400,
  kIllegalState = 401,
  kSymbolNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kPeerAccessNotEnabled = 705,
  kAssert = 710,
  kHostMemoryAlreadyRegistered = 712,
  kHostMemoryNotRegistered = 713,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kLaunchFailure = 719,
  kCooperativeLaunchTooLarge = 720,
  kNotSupported = 801,
  kStreamCaptureUnsupported = 900,
  kStreamCaptureInvalidated = 901,
  kStreamCaptureMerge = 902,
  kStreamCaptureUnmatched = 903,
  kStreamCaptureUnjoined = 904,
  kStreamCaptureIsolation = 905,
  kStreamCaptureImplicit = 906,
  kCapturedEvent = 907,
  kGraphExecUpdateFailure = 910,
  kInvalidClusterSize = 912,
  kUnknown = 999,
};

enum class CopyKind : int { kHostToHost, kHostToDevice, kDeviceToHost, kDeviceToDevice, kDefault };
enum class MemoryType : int { kUnregistered, kHost, kDevice, kManaged };
enum class CaptureStatus : int { kNone, kActive, kInvalidated };
enum class NodeType : int {
  kKernel,
  kMemcpy,
  kMemset,
  kHost,
  kGraph,
  kEmpty,
  kWaitEvent,
  kEventRecord,
};

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};
struct Pos {
  std::size_t x, y, z;
};
struct Extent {
  std::size_t width, height, depth;
};
struct PitchedPtr {
  void* ptr;
  std::size_t pitch, xsize, ysize;
};
struct Memcpy3DParms {
  struct Array* src_array;
  Pos src_pos;
  PitchedPtr src_ptr;
  struct Array* dst_array;
  Pos dst_pos;
  PitchedPtr dst_ptr;
  Extent extent;
  CopyKind kind;
};
static_assert(sizeof(Memcpy3DParms) == 160);
struct Memcpy3DPeerParms {
  struct Array* src_array;
  Pos src_pos;
  PitchedPtr src_ptr;
  int src_device;
  struct Array* dst_array;
  Pos dst_pos;
  PitchedPtr dst_ptr;
  int dst_device;
  Extent extent;
};
static_assert(sizeof(Memcpy3DPeerParms) == 168);
struct PointerAttributes {
  MemoryType type;
  int device;
  void* device_pointer;
  void* host_pointer;
  long reserved[8];
};
static_assert(sizeof(PointerAttributes) == 88);
struct FuncAttributes {
  std::size_t shared_size, const_size, local_size;
  int max_threads, registers, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared;
  int carveout, cluster_must_be_set, cluster_width, cluster_height, cluster_depth;
  int cluster_policy, non_portable_cluster;
  int reserved[16];
};
static_assert(sizeof(FuncAttributes) == 144);
struct MemLocation {
  int type, id;
};

// An opaque handle's pointee; the tables below make and own them.
struct Stream;
struct Event;
struct Graph;
struct GraphNode;
struct GraphExec;
struct Kernel;
struct MemPool;
struct Array;

using HostFunction = void (*)(void* data);
using StreamCallback = void (*)(Stream* stream, Error status, void* data);

struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int cooperative;
    Dim3 cluster;
    struct {
      Event* event;
      int flags, at_block_start;
    } programmatic_event;
    struct {
      Event* event;
      int flags;
    } completion_event;
  };
};
static_assert(sizeof(LaunchAttribute) == 72);
inline constexpr int kAttributeCooperative = 2;
inline constexpr int kAttributeCluster = 4;
inline constexpr int kAttributeCompletionEvent = 12;
struct LaunchConfigC {
  Dim3 grid, block;
  std::size_t dynamic_shared;
  Stream* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};
static_assert(sizeof(LaunchConfigC) == 56);

struct KernelNodeParams {
  void* func;
  Dim3 grid, block;
  unsigned shared_bytes;
  void** params;
  void** extra;
};
static_assert(sizeof(KernelNodeParams) == 56);
struct MemsetParams {
  void* dst;
  std::size_t pitch;
  unsigned value, element_size;
  std::size_t width, height;
};
static_assert(sizeof(MemsetParams) == 40);
struct HostNodeParams {
  HostFunction fn;
  void* data;
};
struct GraphEdgeData {
  unsigned char from_port, to_port, type, reserved[5];
};
struct GraphInstantiateParams {
  unsigned long long flags;
  Stream* upload_stream;
  GraphNode* error_node;
  int result;
};
struct GraphExecUpdateResult {
  int result;
  GraphNode* error_node;
  GraphNode* error_from;
};
struct ChannelFormat {
  int x, y, z, w, kind;
};
enum class ResourceType : int { kArray, kMipmappedArray, kLinear, kPitch2D };
struct ResourceDesc {
  ResourceType type;
  union {
    struct Array* array;
    struct {
      void* address;
      ChannelFormat format;
      std::size_t bytes;
    } linear;
    struct {
      void* address;
      ChannelFormat format;
      std::size_t width, height, pitch;
    } plane;
    int reserved[32];
  };
  unsigned flags;
};
static_assert(sizeof(ResourceDesc) == 144);
struct TextureDesc {
  int address_mode[3], filter_mode, read_mode, srgb;
  float border[4];
  int normalized;
  unsigned anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_least, mipmap_most;
  int disable_trilinear, seamless_cube;
};
static_assert(sizeof(TextureDesc) == 72);
struct ResourceViewDesc {
  int format;
  std::size_t width, height, depth;
  unsigned first_level, last_level, first_layer, last_layer, reserved[16];
};
static_assert(sizeof(ResourceViewDesc) == 112);
inline constexpr unsigned kArrayLayered = 1, kArraySurface = 2, kArrayCube = 4, kArrayGather = 8;

// What __cudaRegisterFatBinary is given. Version 2: `linked` are the containers of the objects that
// were linked (-rdc=true), up to a nullptr.
struct FatbinWrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* const* linked;
};
static_assert(sizeof(FatbinWrapper) == 24);

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;

}  // namespace redflag::cudart
