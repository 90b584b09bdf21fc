/* Arrays, textures and surfaces of CUDA's runtime API, declared by their ABI: what cudart.h has not. */
#ifndef REDFLAG_TESTS_CUDA_RUNTIME_IMAGES_H
#define REDFLAG_TESTS_CUDA_RUNTIME_IMAGES_H

#include "cudart.h"

typedef struct cudaArray* cudaArray_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef struct {
  int type;
  union {
    cudaArray_t array;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      size_t width, height, pitch;
    } pitch2D;
    int reserved[32];
  };
  unsigned flags;
} cudaResourceDesc;
typedef struct {
  int addressMode[3], filterMode, readMode, sRGB;
  float borderColor[4];
  int normalizedCoords, rest[7];
} cudaTextureDesc;

cudaError_t cudaMallocArray(cudaArray_t*, const cudaChannelFormatDesc*, size_t, size_t, unsigned);
cudaError_t cudaMalloc3DArray(cudaArray_t*, const cudaChannelFormatDesc*, cudaExtent, unsigned);
cudaError_t cudaMallocMipmappedArray(void**, const cudaChannelFormatDesc*, cudaExtent, unsigned,
                                     unsigned);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc*, cudaExtent*, unsigned*, cudaArray_t);
cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t, size_t, const void*, size_t, size_t, size_t,
                                int);
cudaError_t cudaMemcpy2DFromArray(void*, size_t, cudaArray_t, size_t, size_t, size_t, size_t, int);
cudaError_t cudaMemcpyToArray(cudaArray_t, size_t, size_t, const void*, size_t, int);
cudaError_t cudaMemcpyFromArray(void*, cudaArray_t, size_t, size_t, size_t, int);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t*, const cudaResourceDesc*,
                                    const cudaTextureDesc*, const void*);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc*, cudaTextureObject_t);
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc*, cudaTextureObject_t);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t*, const cudaResourceDesc*);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc*, cudaSurfaceObject_t);

#endif
