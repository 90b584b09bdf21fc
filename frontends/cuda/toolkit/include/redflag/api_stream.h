// The runtime API's calls about streams, their capture, and events.
#pragma once

REDFLAG_CUDA(cudaStreamCreate, (cudaStream_t * stream));
REDFLAG_CUDA(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags));
REDFLAG_CUDA(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority));
REDFLAG_CUDA(cudaStreamDestroy, (cudaStream_t stream));
REDFLAG_CUDA_STREAM(cudaStreamSynchronize, _ptsz, (cudaStream_t stream));
REDFLAG_CUDA_STREAM(cudaStreamQuery, _ptsz, (cudaStream_t stream));
REDFLAG_CUDA_STREAM(cudaStreamWaitEvent, _ptsz,
                    (cudaStream_t stream, cudaEvent_t event, unsigned flags REDFLAG_DEFAULT(0)));
REDFLAG_CUDA_STREAM(cudaLaunchHostFunc, _ptsz,
                    (cudaStream_t stream, cudaHostFn_t function, void* data));
REDFLAG_CUDA_STREAM(cudaStreamAddCallback, _ptsz,
                    (cudaStream_t stream, cudaStreamCallback_t function, void* data,
                     unsigned flags));
REDFLAG_CUDA_STREAM(cudaStreamGetPriority, _ptsz, (cudaStream_t stream, int* priority));
REDFLAG_CUDA_STREAM(cudaStreamGetFlags, _ptsz, (cudaStream_t stream, unsigned* flags));
REDFLAG_CUDA_STREAM(cudaStreamGetId, _ptsz, (cudaStream_t stream, unsigned long long* id));
REDFLAG_CUDA_STREAM(cudaStreamGetDevice, _ptsz, (cudaStream_t stream, int* device));
REDFLAG_CUDA_STREAM(cudaStreamCopyAttributes, _ptsz, (cudaStream_t to, cudaStream_t from));
REDFLAG_CUDA_STREAM(cudaStreamSetAttribute, _ptsz,
                    (cudaStream_t stream, cudaStreamAttrID id, const cudaStreamAttrValue* value));

REDFLAG_CUDA_STREAM(cudaStreamBeginCapture, _ptsz,
                    (cudaStream_t stream, enum cudaStreamCaptureMode mode));
REDFLAG_CUDA_STREAM(cudaStreamBeginCaptureToGraph, _ptsz,
                    (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* after,
                     const cudaGraphEdgeData* edges, size_t count,
                     enum cudaStreamCaptureMode mode));
REDFLAG_CUDA_STREAM(cudaStreamEndCapture, _ptsz, (cudaStream_t stream, cudaGraph_t* graph));
REDFLAG_CUDA_STREAM(cudaStreamIsCapturing, _ptsz,
                    (cudaStream_t stream, enum cudaStreamCaptureStatus* status));
REDFLAG_CUDA_STREAM(cudaStreamGetCaptureInfo, _ptsz,
                    (cudaStream_t stream, enum cudaStreamCaptureStatus* status,
                     unsigned long long* id REDFLAG_DEFAULT(0),
                     cudaGraph_t* graph REDFLAG_DEFAULT(0),
                     const cudaGraphNode_t** last REDFLAG_DEFAULT(0),
                     const cudaGraphEdgeData** edges REDFLAG_DEFAULT(0),
                     size_t* count REDFLAG_DEFAULT(0)));
REDFLAG_CUDA_STREAM(cudaStreamUpdateCaptureDependencies, _ptsz,
                    (cudaStream_t stream, cudaGraphNode_t* nodes, const cudaGraphEdgeData* edges,
                     size_t count, unsigned flags REDFLAG_DEFAULT(0)));
REDFLAG_CUDA(cudaThreadExchangeStreamCaptureMode, (enum cudaStreamCaptureMode * mode));

REDFLAG_CUDA(cudaEventCreate, (cudaEvent_t * event));
REDFLAG_CUDA(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags));
REDFLAG_CUDA(cudaEventDestroy, (cudaEvent_t event));
REDFLAG_CUDA_STREAM(cudaEventRecord, _ptsz,
                    (cudaEvent_t event, cudaStream_t stream REDFLAG_DEFAULT(0)));
REDFLAG_CUDA_STREAM(cudaEventRecordWithFlags, _ptsz,
                    (cudaEvent_t event, cudaStream_t stream REDFLAG_DEFAULT(0),
                     unsigned flags REDFLAG_DEFAULT(0)));
REDFLAG_CUDA(cudaEventSynchronize, (cudaEvent_t event));
REDFLAG_CUDA(cudaEventQuery, (cudaEvent_t event));
REDFLAG_CUDA(cudaEventElapsedTime, (float* milliseconds, cudaEvent_t start, cudaEvent_t end));
