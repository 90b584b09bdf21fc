// The runtime API's calls that copy and fill memory, symbols and arrays.
#pragma once

#define REDFLAG_KIND enum cudaMemcpyKind kind
#define REDFLAG_STREAM cudaStream_t stream REDFLAG_DEFAULT(0)

REDFLAG_CUDA_STREAM(cudaMemcpy, _ptds, (void* to, const void* from, size_t size, REDFLAG_KIND));
REDFLAG_CUDA_STREAM(cudaMemcpyAsync, _ptsz,
                    (void* to, const void* from, size_t size, REDFLAG_KIND, REDFLAG_STREAM));
REDFLAG_CUDA(cudaMemcpyPeer,
             (void* to, int to_device, const void* from, int from_device, size_t size));
REDFLAG_CUDA(cudaMemcpyPeerAsync, (void* to, int to_device, const void* from, int from_device,
                                   size_t size, REDFLAG_STREAM));
REDFLAG_CUDA_STREAM(cudaMemcpy2D, _ptds,
                    (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                     size_t height, REDFLAG_KIND));
REDFLAG_CUDA_STREAM(cudaMemcpy2DAsync, _ptsz,
                    (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                     size_t height, REDFLAG_KIND, REDFLAG_STREAM));
REDFLAG_CUDA_STREAM(cudaMemcpy3D, _ptds, (const struct cudaMemcpy3DParms* parms));
REDFLAG_CUDA_STREAM(cudaMemcpy3DAsync, _ptsz,
                    (const struct cudaMemcpy3DParms* parms, REDFLAG_STREAM));
REDFLAG_CUDA_STREAM(cudaMemcpy3DPeer, _ptds, (const struct cudaMemcpy3DPeerParms* parms));
REDFLAG_CUDA_STREAM(cudaMemcpy3DPeerAsync, _ptsz,
                    (const struct cudaMemcpy3DPeerParms* parms, REDFLAG_STREAM));
REDFLAG_CUDA_STREAM(cudaMemset, _ptds, (void* to, int value, size_t size));
REDFLAG_CUDA_STREAM(cudaMemsetAsync, _ptsz, (void* to, int value, size_t size, REDFLAG_STREAM));
REDFLAG_CUDA_STREAM(cudaMemset2D, _ptds,
                    (void* to, size_t pitch, int value, size_t width, size_t height));
REDFLAG_CUDA_STREAM(cudaMemset2DAsync, _ptsz,
                    (void* to, size_t pitch, int value, size_t width, size_t height,
                     REDFLAG_STREAM));
REDFLAG_CUDA_STREAM(cudaMemset3D, _ptds,
                    (struct cudaPitchedPtr to, int value, struct cudaExtent extent));
REDFLAG_CUDA_STREAM(cudaMemset3DAsync, _ptsz,
                    (struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                     REDFLAG_STREAM));

REDFLAG_CUDA_STREAM(cudaMemcpyToSymbol, _ptds,
                    (const void* symbol, const void* from, size_t size,
                     size_t offset REDFLAG_DEFAULT(0),
                     REDFLAG_KIND REDFLAG_DEFAULT(cudaMemcpyHostToDevice)));
REDFLAG_CUDA_STREAM(cudaMemcpyToSymbolAsync, _ptsz,
                    (const void* symbol, const void* from, size_t size, size_t offset, REDFLAG_KIND,
                     REDFLAG_STREAM));
REDFLAG_CUDA_STREAM(cudaMemcpyFromSymbol, _ptds,
                    (void* to, const void* symbol, size_t size, size_t offset REDFLAG_DEFAULT(0),
                     REDFLAG_KIND REDFLAG_DEFAULT(cudaMemcpyDeviceToHost)));
REDFLAG_CUDA_STREAM(cudaMemcpyFromSymbolAsync, _ptsz,
                    (void* to, const void* symbol, size_t size, size_t offset, REDFLAG_KIND,
                     REDFLAG_STREAM));
REDFLAG_CUDA(cudaGetSymbolAddress, (void** address, const void* symbol));
REDFLAG_CUDA(cudaGetSymbolSize, (size_t* size, const void* symbol));

REDFLAG_CUDA(cudaMallocArray,
             (cudaArray_t * to, const struct cudaChannelFormatDesc* format, size_t width,
              size_t height REDFLAG_DEFAULT(0), unsigned flags REDFLAG_DEFAULT(0)));
REDFLAG_CUDA(cudaMalloc3DArray, (cudaArray_t * to, const struct cudaChannelFormatDesc* format,
                                 struct cudaExtent extent, unsigned flags REDFLAG_DEFAULT(0)));
REDFLAG_CUDA(cudaFreeArray, (cudaArray_t array));
REDFLAG_CUDA(cudaArrayGetInfo, (struct cudaChannelFormatDesc * format, struct cudaExtent* extent,
                                unsigned* flags, cudaArray_t array));
REDFLAG_CUDA(cudaGetChannelDesc, (struct cudaChannelFormatDesc * format, cudaArray_const_t array));
REDFLAG_CUDA_STREAM(cudaMemcpy2DToArray, _ptds,
                    (cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                     size_t width, size_t height, REDFLAG_KIND));
REDFLAG_CUDA_STREAM(cudaMemcpy2DToArrayAsync, _ptsz,
                    (cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                     size_t width, size_t height, REDFLAG_KIND, REDFLAG_STREAM));
REDFLAG_CUDA_STREAM(cudaMemcpy2DFromArray, _ptds,
                    (void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                     size_t width, size_t height, REDFLAG_KIND));
REDFLAG_CUDA_STREAM(cudaMemcpy2DFromArrayAsync, _ptsz,
                    (void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                     size_t width, size_t height, REDFLAG_KIND, REDFLAG_STREAM));
REDFLAG_CUDA_STREAM(cudaMemcpy2DArrayToArray, _ptds,
                    (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                     size_t from_x, size_t from_y, size_t width, size_t height,
                     REDFLAG_KIND REDFLAG_DEFAULT(cudaMemcpyDeviceToDevice)));
REDFLAG_CUDA_STREAM(cudaMemcpyToArray, _ptds,
                    (cudaArray_t to, size_t x, size_t y, const void* from, size_t size,
                     REDFLAG_KIND));
REDFLAG_CUDA_STREAM(cudaMemcpyToArrayAsync, _ptsz,
                    (cudaArray_t to, size_t x, size_t y, const void* from, size_t size,
                     REDFLAG_KIND, REDFLAG_STREAM));
REDFLAG_CUDA_STREAM(cudaMemcpyFromArray, _ptds,
                    (void* to, cudaArray_const_t from, size_t x, size_t y, size_t size,
                     REDFLAG_KIND));
REDFLAG_CUDA_STREAM(cudaMemcpyFromArrayAsync, _ptsz,
                    (void* to, cudaArray_const_t from, size_t x, size_t y, size_t size,
                     REDFLAG_KIND, REDFLAG_STREAM));
REDFLAG_CUDA_STREAM(cudaMemcpyArrayToArray, _ptds,
                    (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                     size_t from_x, size_t from_y, size_t size,
                     REDFLAG_KIND REDFLAG_DEFAULT(cudaMemcpyDeviceToDevice)));

#undef REDFLAG_KIND
#undef REDFLAG_STREAM
