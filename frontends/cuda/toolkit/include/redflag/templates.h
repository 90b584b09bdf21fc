// The C++ forms of the runtime API: pointers of any type, kernels by their function, symbols by
// name.
#pragma once

#ifdef __cplusplus

template <typename T>
inline cudaError_t cudaMalloc(T** memory, size_t size) {
  return cudaMalloc((void**)memory, size);
}
template <typename T>
inline cudaError_t cudaMallocManaged(T** memory, size_t size,
                                     unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged((void**)memory, size, flags);
}
template <typename T>
inline cudaError_t cudaMallocHost(T** memory, size_t size, unsigned flags = 0) {
  return cudaHostAlloc((void**)memory, size, flags);
}
inline cudaError_t cudaMallocHost(void** memory, size_t size, unsigned flags) {
  return cudaHostAlloc(memory, size, flags);
}
template <typename T>
inline cudaError_t cudaHostAlloc(T** memory, size_t size, unsigned flags) {
  return cudaHostAlloc((void**)memory, size, flags);
}
template <typename T>
inline cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
  return cudaHostGetDevicePointer((void**)device, host, flags);
}
template <typename T>
inline cudaError_t cudaMallocPitch(T** memory, size_t* pitch, size_t width, size_t height) {
  return cudaMallocPitch((void**)memory, pitch, width, height);
}
template <typename T>
inline cudaError_t cudaMallocAsync(T** memory, size_t size, cudaStream_t stream) {
  return cudaMallocAsync((void**)memory, size, stream);
}
template <typename T>
inline cudaError_t cudaMallocAsync(T** memory, size_t size, cudaMemPool_t pool,
                                   cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void**)memory, size, pool, stream);
}
template <typename T>
inline cudaError_t cudaMallocFromPoolAsync(T** memory, size_t size, cudaMemPool_t pool,
                                           cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void**)memory, size, pool, stream);
}
template <typename T>
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* memory, size_t length = 0,
                                            unsigned flags = cudaMemAttachSingle) {
  return cudaStreamAttachMemAsync(stream, static_cast<void*>(memory), length, flags);
}

// Before CUDA 13 a device was named by its number.
inline cudaError_t cudaMemPrefetchAsync(const void* address, size_t size, int device,
                                        cudaStream_t stream = 0) {
  const cudaMemLocation to{
      device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
      device == cudaCpuDeviceId ? 0 : device};
  return cudaMemPrefetchAsync(address, size, to, 0, stream);
}
inline cudaError_t cudaMemAdvise(const void* address, size_t size, cudaMemoryAdvise advice,
                                 int device) {
  const cudaMemLocation at{
      device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
      device == cudaCpuDeviceId ? 0 : device};
  return cudaMemAdvise(address, size, advice, at);
}
// Before CUDA 12 instantiation had a log to write to.
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                        cudaGraphNode_t* error_node, char*, size_t) {
  if (error_node != nullptr) *error_node = nullptr;
  return cudaGraphInstantiate(exec, graph, 0ULL);
}
// Before CUDA 12 the answer of an update was two values.
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphNode_t* error_node,
                                       cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info = {};
  const cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
  if (error_node != nullptr) *error_node = info.errorNode;
  if (result != nullptr) *result = info.result;
  return error;
}
// Before CUDA 13 edges had no data.
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                size_t* count) {
  return cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
}
inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                     size_t* count) {
  return cudaGraphGetEdges(graph, from, to, nullptr, count);
}

template <typename T>
inline cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  return cudaGetSymbolAddress(address, static_cast<const void*>(&symbol));
}
template <typename T>
inline cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol) {
  return cudaGetSymbolSize(size, static_cast<const void*>(&symbol));
}
template <typename T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t size,
                                      size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol(static_cast<const void*>(&symbol), from, size, offset, kind);
}
template <typename T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t size,
                                           size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                           cudaStream_t stream = 0) {
  return cudaMemcpyToSymbolAsync(static_cast<const void*>(&symbol), from, size, offset, kind,
                                 stream);
}
template <typename T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t size, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(to, static_cast<const void*>(&symbol), size, offset, kind);
}
template <typename T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t size,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                             cudaStream_t stream = 0) {
  return cudaMemcpyFromSymbolAsync(to, static_cast<const void*>(&symbol), size, offset, kind,
                                   stream);
}

inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}

template <typename T>
inline cudaError_t cudaLaunchKernel(T* kernel, dim3 grid, dim3 block, void** args,
                                    size_t shared = 0, cudaStream_t stream = 0) {
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, args, shared, stream);
}
template <typename T>
inline cudaError_t cudaLaunchCooperativeKernel(T* kernel, dim3 grid, dim3 block, void** args,
                                               size_t shared = 0, cudaStream_t stream = 0) {
  return cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid, block, args,
                                     shared, stream);
}
template <typename... Expected, typename... Given>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Expected...),
                                      Given&&... given) {
  // The arguments become the parameters' types first: the kernel reads those.
  return [&](Expected... values) {
    void* args[sizeof...(Expected) + 1] = {(void*)&values...};
    return cudaLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), args);
  }(static_cast<Given&&>(given)...);
}
template <typename T>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* to, T* kernel) {
  return cudaFuncGetAttributes(to, reinterpret_cast<const void*>(kernel));
}
template <typename T>
inline cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <typename T>
inline cudaError_t cudaFuncSetCacheConfig(T* kernel, cudaFuncCache config) {
  return cudaFuncSetCacheConfig(reinterpret_cast<const void*>(kernel), config);
}
template <typename T>
inline cudaError_t cudaFuncSetSharedMemConfig(T* kernel, cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(kernel), config);
}
template <typename T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T* kernel,
                                                                 int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, reinterpret_cast<const void*>(kernel), threads, shared);
}
template <typename T>
inline cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, T* kernel,
                                                  const cudaLaunchConfig_t* config) {
  return cudaOccupancyMaxActiveClusters(clusters, reinterpret_cast<const void*>(kernel), config);
}

// The block size with which most threads are resident; at equal numbers the larger block.
template <typename T, typename SharedOfBlock>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, T kernel,
                                                                  SharedOfBlock shared_of,
                                                                  int limit = 0) {
  int device = 0, multiprocessors = 0;
  cudaFuncAttributes facts;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  }
  if (error == cudaSuccess) {
    error = cudaFuncGetAttributes(&facts, reinterpret_cast<const void*>(kernel));
  }
  if (error != cudaSuccess) return error;
  const int most = limit > 0 && limit < facts.maxThreadsPerBlock ? limit : facts.maxThreadsPerBlock;
  int best = 0;
  *grid = *block = 0;
  for (int threads = most; threads > 0;
       threads = threads % 32 == 0 ? threads - 32 : threads / 32 * 32) {
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, reinterpret_cast<const void*>(kernel), threads, shared_of(threads));
    if (error != cudaSuccess) return error;
    if (blocks * threads > best) {
      best = blocks * threads;
      *block = threads;
      *grid = blocks * multiprocessors;
    }
  }
  return cudaSuccess;
}
template <typename T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T kernel,
                                                      size_t shared = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid, block, kernel, [shared](int) { return shared; }, limit);
}

#endif
