// The runtime API's calls that launch kernels and describe them, and what compiled code calls for
// <<<>>>.
#pragma once

REDFLAG_CUDA_STREAM(cudaLaunchKernel, _ptsz,
                    (const void* function, dim3 grid, dim3 block, void** args, size_t shared,
                     cudaStream_t stream));
REDFLAG_CUDA_STREAM(cudaLaunchCooperativeKernel, _ptsz,
                    (const void* function, dim3 grid, dim3 block, void** args, size_t shared,
                     cudaStream_t stream));
REDFLAG_CUDA_STREAM(cudaLaunchKernelExC, _ptsz,
                    (const cudaLaunchConfig_t* config, const void* function, void** args));
REDFLAG_CUDA(cudaFuncGetAttributes, (struct cudaFuncAttributes * to, const void* function));
REDFLAG_CUDA(cudaFuncSetAttribute,
             (const void* function, enum cudaFuncAttribute attribute, int value));
REDFLAG_CUDA(cudaFuncSetCacheConfig, (const void* function, enum cudaFuncCache config));
REDFLAG_CUDA(cudaFuncSetSharedMemConfig, (const void* function, enum cudaSharedMemConfig config));
REDFLAG_CUDA(cudaFuncGetName, (const char** name, const void* function));
REDFLAG_CUDA(cudaFuncGetParamInfo,
             (const void* function, size_t index, size_t* offset, size_t* size));
REDFLAG_CUDA(cudaGetKernel, (cudaKernel_t * kernel, const void* function));
REDFLAG_CUDA(cudaGetFuncBySymbol, (cudaFunction_t * kernel, const void* function));
REDFLAG_CUDA(cudaKernelSetAttributeForDevice,
             (cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value, int device));
REDFLAG_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
             (int* blocks, const void* function, int threads, size_t dynamic_shared));
REDFLAG_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
             (int* blocks, const void* function, int threads, size_t dynamic_shared,
              unsigned flags));
REDFLAG_CUDA(cudaOccupancyAvailableDynamicSMemPerBlock,
             (size_t* bytes, const void* function, int blocks, int threads));
REDFLAG_CUDA(cudaOccupancyMaxPotentialClusterSize,
             (int* size, const void* function, const cudaLaunchConfig_t* config));
REDFLAG_CUDA(cudaOccupancyMaxActiveClusters,
             (int* clusters, const void* function, const cudaLaunchConfig_t* config));

// What clang calls for <<<>>> where the default stream is each thread's own.
REDFLAG_CUDA(cudaLaunchKernel_ptsz, (const void* function, dim3 grid, dim3 block, void** args,
                                     size_t shared, cudaStream_t stream));
unsigned CUDARTAPI __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                               size_t shared REDFLAG_DEFAULT(0),
                                               struct CUstream_st* stream REDFLAG_DEFAULT(0));
REDFLAG_CUDA(__cudaPopCallConfiguration, (dim3 * grid, dim3* block, size_t* shared, void* stream));
