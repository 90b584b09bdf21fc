// The runtime API's calls about texture and surface objects.
#pragma once

struct cudaChannelFormatDesc CUDARTAPI cudaCreateChannelDesc(int x, int y, int z, int w,
                                                             enum cudaChannelFormatKind kind);
REDFLAG_CUDA(cudaCreateTextureObject,
             (cudaTextureObject_t * handle, const struct cudaResourceDesc* resource,
              const struct cudaTextureDesc* texture, const struct cudaResourceViewDesc* view));
REDFLAG_CUDA(cudaDestroyTextureObject, (cudaTextureObject_t handle));
REDFLAG_CUDA(cudaGetTextureObjectResourceDesc,
             (struct cudaResourceDesc * to, cudaTextureObject_t handle));
REDFLAG_CUDA(cudaGetTextureObjectTextureDesc,
             (struct cudaTextureDesc * to, cudaTextureObject_t handle));
REDFLAG_CUDA(cudaGetTextureObjectResourceViewDesc,
             (struct cudaResourceViewDesc * to, cudaTextureObject_t handle));
REDFLAG_CUDA(cudaCreateSurfaceObject,
             (cudaSurfaceObject_t * handle, const struct cudaResourceDesc* resource));
REDFLAG_CUDA(cudaDestroySurfaceObject, (cudaSurfaceObject_t handle));
REDFLAG_CUDA(cudaGetSurfaceObjectResourceDesc,
             (struct cudaResourceDesc * to, cudaSurfaceObject_t handle));
