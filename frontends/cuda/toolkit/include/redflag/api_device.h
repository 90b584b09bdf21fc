// The runtime API's calls about the device, its limits, errors and versions.
#pragma once

const char* CUDARTAPI cudaGetErrorName(cudaError_t error);
const char* CUDARTAPI cudaGetErrorString(cudaError_t error);
REDFLAG_CUDA(cudaGetLastError, (void));
REDFLAG_CUDA(cudaPeekAtLastError, (void));

REDFLAG_CUDA(cudaGetDeviceCount, (int* count));
REDFLAG_CUDA(cudaGetDevice, (int* device));
REDFLAG_CUDA(cudaSetDevice, (int device));
REDFLAG_CUDA(cudaInitDevice, (int device, unsigned device_flags, unsigned flags));
REDFLAG_CUDA(cudaSetValidDevices, (int* devices, int count));
REDFLAG_CUDA(cudaChooseDevice, (int* device, const struct cudaDeviceProp* wanted));
REDFLAG_CUDA(cudaGetDeviceProperties, (struct cudaDeviceProp * to, int device));
REDFLAG_CUDA(cudaDeviceGetAttribute, (int* value, enum cudaDeviceAttr attribute, int device));
REDFLAG_CUDA(cudaDeviceGetPCIBusId, (char* to, int length, int device));
REDFLAG_CUDA(cudaDeviceGetByPCIBusId, (int* device, const char* id));
REDFLAG_CUDA(cudaDeviceSynchronize, (void));
REDFLAG_CUDA(cudaDeviceReset, (void));
REDFLAG_CUDA(cudaDeviceGetLimit, (size_t* value, enum cudaLimit limit));
REDFLAG_CUDA(cudaDeviceSetLimit, (enum cudaLimit limit, size_t value));
REDFLAG_CUDA(cudaDeviceGetStreamPriorityRange, (int* least, int* greatest));
REDFLAG_CUDA(cudaDeviceGetCacheConfig, (enum cudaFuncCache * config));
REDFLAG_CUDA(cudaDeviceSetCacheConfig, (enum cudaFuncCache config));
REDFLAG_CUDA(cudaDeviceGetSharedMemConfig, (enum cudaSharedMemConfig * config));
REDFLAG_CUDA(cudaDeviceSetSharedMemConfig, (enum cudaSharedMemConfig config));
REDFLAG_CUDA(cudaCtxResetPersistingL2Cache, (void));
REDFLAG_CUDA(cudaSetDeviceFlags, (unsigned flags));
REDFLAG_CUDA(cudaGetDeviceFlags, (unsigned* flags));
REDFLAG_CUDA(cudaDeviceCanAccessPeer, (int* can, int device, int peer));
REDFLAG_CUDA(cudaDeviceEnablePeerAccess, (int peer, unsigned flags));
REDFLAG_CUDA(cudaDeviceDisablePeerAccess, (int peer));
REDFLAG_CUDA(cudaDriverGetVersion, (int* version));
REDFLAG_CUDA(cudaRuntimeGetVersion, (int* version));
REDFLAG_CUDA(cudaProfilerStart, (void));
REDFLAG_CUDA(cudaProfilerStop, (void));
