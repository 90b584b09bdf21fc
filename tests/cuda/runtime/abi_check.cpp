// Our declarations of the runtime API's types against the toolkit's: compiled where that is installed, never run.
#include <cuda_runtime_api.h>

#include <cstddef>

#include "frontends/cuda/cudart/abi.h"
#include "frontends/cuda/cudart/device_properties.h"

namespace ours = redflag::cudart;

#define SAME_SIZE(theirs, own) static_assert(sizeof(theirs) == sizeof(ours::own), #theirs)
#define SAME_PLACE(theirs, field, own, name) \
  static_assert(offsetof(theirs, field) == offsetof(ours::own, name), #theirs "::" #field)

SAME_SIZE(cudaMemcpy3DParms, Memcpy3DParms);
SAME_PLACE(cudaMemcpy3DParms, dstPtr, Memcpy3DParms, dst_ptr);
SAME_PLACE(cudaMemcpy3DParms, kind, Memcpy3DParms, kind);
SAME_SIZE(cudaMemcpy3DPeerParms, Memcpy3DPeerParms);
SAME_PLACE(cudaMemcpy3DPeerParms, extent, Memcpy3DPeerParms, extent);
SAME_SIZE(cudaPointerAttributes, PointerAttributes);
SAME_PLACE(cudaPointerAttributes, hostPointer, PointerAttributes, host_pointer);
SAME_SIZE(cudaFuncAttributes, FuncAttributes);
SAME_PLACE(cudaFuncAttributes, maxDynamicSharedSizeBytes, FuncAttributes, max_dynamic_shared);
SAME_PLACE(cudaFuncAttributes, nonPortableClusterSizeAllowed, FuncAttributes, non_portable_cluster);
SAME_SIZE(cudaLaunchAttribute, LaunchAttribute);
SAME_SIZE(cudaLaunchConfig_t, LaunchConfigC);
SAME_PLACE(cudaLaunchConfig_t, numAttrs, LaunchConfigC, attribute_count);
SAME_SIZE(cudaKernelNodeParams, KernelNodeParams);
SAME_PLACE(cudaKernelNodeParams, kernelParams, KernelNodeParams, params);
SAME_SIZE(cudaMemsetParams, MemsetParams);
SAME_PLACE(cudaMemsetParams, width, MemsetParams, width);
SAME_SIZE(cudaHostNodeParams, HostNodeParams);
SAME_SIZE(cudaGraphEdgeData, GraphEdgeData);
SAME_SIZE(cudaGraphInstantiateParams, GraphInstantiateParams);
SAME_SIZE(cudaGraphExecUpdateResultInfo, GraphExecUpdateResult);
SAME_SIZE(cudaMemLocation, MemLocation);
SAME_SIZE(cudaChannelFormatDesc, ChannelFormat);
SAME_SIZE(cudaResourceDesc, ResourceDesc);
SAME_PLACE(cudaResourceDesc, res.linear.sizeInBytes, ResourceDesc, linear.bytes);
SAME_PLACE(cudaResourceDesc, res.pitch2D.width, ResourceDesc, plane.width);
SAME_PLACE(cudaResourceDesc, res.pitch2D.pitchInBytes, ResourceDesc, plane.pitch);
SAME_SIZE(cudaTextureDesc, TextureDesc);
SAME_PLACE(cudaTextureDesc, readMode, TextureDesc, read_mode);
SAME_PLACE(cudaTextureDesc, borderColor, TextureDesc, border);
SAME_PLACE(cudaTextureDesc, normalizedCoords, TextureDesc, normalized);
SAME_PLACE(cudaTextureDesc, seamlessCubemap, TextureDesc, seamless_cube);
SAME_SIZE(cudaResourceViewDesc, ResourceViewDesc);
SAME_SIZE(cudaDeviceProp, DeviceProperties);
SAME_PLACE(cudaDeviceProp, totalGlobalMem, DeviceProperties, total_global);
SAME_PLACE(cudaDeviceProp, warpSize, DeviceProperties, warp_size);
SAME_PLACE(cudaDeviceProp, maxThreadsPerBlock, DeviceProperties, max_threads_per_block);
SAME_PLACE(cudaDeviceProp, major, DeviceProperties, major);
SAME_PLACE(cudaDeviceProp, multiProcessorCount, DeviceProperties, multiprocessors);
SAME_PLACE(cudaDeviceProp, surfaceAlignment, DeviceProperties, surface_alignment);
SAME_PLACE(cudaDeviceProp, l2CacheSize, DeviceProperties, l2_bytes);
SAME_PLACE(cudaDeviceProp, sharedMemPerMultiprocessor, DeviceProperties, shared_per_multiprocessor);
SAME_PLACE(cudaDeviceProp, managedMemory, DeviceProperties, managed);
SAME_PLACE(cudaDeviceProp, cooperativeLaunch, DeviceProperties, cooperative);
SAME_PLACE(cudaDeviceProp, sharedMemPerBlockOptin, DeviceProperties, shared_opt_in);
SAME_PLACE(cudaDeviceProp, maxBlocksPerMultiProcessor, DeviceProperties, blocks_per_multiprocessor);
SAME_PLACE(cudaDeviceProp, clusterLaunch, DeviceProperties, cluster_launch);
SAME_PLACE(cudaDeviceProp, reserved, DeviceProperties, reserved);

#define SAME_ERROR(name) static_assert(cudaError##name == static_cast<int>(ours::Error::k##name))
SAME_ERROR(InvalidValue);
SAME_ERROR(MemoryAllocation);
SAME_ERROR(InvalidConfiguration);
SAME_ERROR(InvalidPitchValue);
SAME_ERROR(InvalidSymbol);
SAME_ERROR(InvalidMemcpyDirection);
SAME_ERROR(InvalidChannelDescriptor);
SAME_ERROR(InvalidFilterSetting);
SAME_ERROR(InvalidNormSetting);
SAME_ERROR(MissingConfiguration);
SAME_ERROR(InvalidDeviceFunction);
SAME_ERROR(InvalidDevice);
SAME_ERROR(NoKernelImageForDevice);
SAME_ERROR(UnsupportedLimit);
SAME_ERROR(PeerAccessUnsupported);
SAME_ERROR(InvalidResourceHandle);
SAME_ERROR(IllegalState);
SAME_ERROR(NotReady);
SAME_ERROR(IllegalAddress);
SAME_ERROR(LaunchOutOfResources);
SAME_ERROR(LaunchTimeout);
SAME_ERROR(PeerAccessNotEnabled);
SAME_ERROR(Assert);
SAME_ERROR(HostMemoryAlreadyRegistered);
SAME_ERROR(HostMemoryNotRegistered);
SAME_ERROR(HardwareStackError);
SAME_ERROR(MisalignedAddress);
SAME_ERROR(LaunchFailure);
SAME_ERROR(CooperativeLaunchTooLarge);
SAME_ERROR(NotSupported);
SAME_ERROR(StreamCaptureUnsupported);
SAME_ERROR(StreamCaptureInvalidated);
SAME_ERROR(StreamCaptureMerge);
SAME_ERROR(StreamCaptureUnmatched);
SAME_ERROR(StreamCaptureUnjoined);
SAME_ERROR(StreamCaptureIsolation);
SAME_ERROR(StreamCaptureImplicit);
SAME_ERROR(CapturedEvent);
SAME_ERROR(GraphExecUpdateFailure);
SAME_ERROR(InvalidClusterSize);

static_assert(cudaGraphNodeTypeEventRecord == static_cast<int>(ours::NodeType::kEventRecord));
static_assert(cudaMemcpyDefault == static_cast<int>(ours::CopyKind::kDefault));
static_assert(cudaMemoryTypeManaged == static_cast<int>(ours::MemoryType::kManaged));
static_assert(cudaLaunchAttributeCooperative == ours::kAttributeCooperative);
static_assert(cudaLaunchAttributeClusterDimension == ours::kAttributeCluster);
static_assert(cudaLaunchAttributeLaunchCompletionEvent == ours::kAttributeCompletionEvent);
