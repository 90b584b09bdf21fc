// The runtime API's calls that make, free and describe memory.
#pragma once

REDFLAG_CUDA(cudaMalloc, (void** memory, size_t size));
REDFLAG_CUDA(cudaFree, (void* memory));
REDFLAG_CUDA(cudaMallocManaged,
             (void** memory, size_t size, unsigned flags REDFLAG_DEFAULT(cudaMemAttachGlobal)));
REDFLAG_CUDA(cudaHostAlloc, (void** memory, size_t size, unsigned flags));
REDFLAG_CUDA(cudaMallocHost, (void** memory, size_t size));
REDFLAG_CUDA(cudaFreeHost, (void* memory));
REDFLAG_CUDA(cudaMallocPitch, (void** memory, size_t* pitch, size_t width, size_t height));
REDFLAG_CUDA(cudaMalloc3D, (struct cudaPitchedPtr * to, struct cudaExtent extent));
REDFLAG_CUDA_STREAM(cudaMallocAsync, _ptsz, (void** memory, size_t size, cudaStream_t stream));
REDFLAG_CUDA_STREAM(cudaMallocFromPoolAsync, _ptsz,
                    (void** memory, size_t size, cudaMemPool_t pool, cudaStream_t stream));
REDFLAG_CUDA_STREAM(cudaFreeAsync, _ptsz, (void* memory, cudaStream_t stream));
REDFLAG_CUDA(cudaHostRegister, (void* memory, size_t size, unsigned flags));
REDFLAG_CUDA(cudaHostUnregister, (void* memory));
REDFLAG_CUDA(cudaHostGetDevicePointer, (void** device, void* host, unsigned flags));
REDFLAG_CUDA(cudaHostGetFlags, (unsigned* flags, void* host));
REDFLAG_CUDA(cudaPointerGetAttributes, (struct cudaPointerAttributes * to, const void* address));
REDFLAG_CUDA(cudaMemGetInfo, (size_t* free, size_t* total));
REDFLAG_CUDA(cudaMemAdvise, (const void* address, size_t size, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location));
REDFLAG_CUDA_STREAM(cudaMemPrefetchAsync, _ptsz,
                    (const void* address, size_t size, struct cudaMemLocation location,
                     unsigned flags, cudaStream_t stream REDFLAG_DEFAULT(0)));
REDFLAG_CUDA_STREAM(cudaStreamAttachMemAsync, _ptsz,
                    (cudaStream_t stream, void* memory, size_t length REDFLAG_DEFAULT(0),
                     unsigned flags REDFLAG_DEFAULT(cudaMemAttachSingle)));

REDFLAG_CUDA(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int device));
REDFLAG_CUDA(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int device));
REDFLAG_CUDA(cudaDeviceSetMemPool, (int device, cudaMemPool_t pool));
REDFLAG_CUDA(cudaMemPoolCreate, (cudaMemPool_t * pool, const struct cudaMemPoolProps* properties));
REDFLAG_CUDA(cudaMemPoolDestroy, (cudaMemPool_t pool));
REDFLAG_CUDA(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t bytes_to_keep));
REDFLAG_CUDA(cudaMemPoolSetAttribute,
             (cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void* value));
REDFLAG_CUDA(cudaMemPoolGetAttribute,
             (cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void* value));
REDFLAG_CUDA(cudaMemPoolSetAccess,
             (cudaMemPool_t pool, const struct cudaMemAccessDesc* access, size_t count));
