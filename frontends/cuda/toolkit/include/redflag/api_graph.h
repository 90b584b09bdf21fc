// The runtime API's calls about graphs.
#pragma once

#define REDFLAG_NODE \
  cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count

REDFLAG_CUDA(cudaGraphCreate, (cudaGraph_t * graph, unsigned flags));
REDFLAG_CUDA(cudaGraphDestroy, (cudaGraph_t graph));
REDFLAG_CUDA(cudaGraphClone, (cudaGraph_t * copy, cudaGraph_t original));
REDFLAG_CUDA(cudaGraphNodeFindInClone,
             (cudaGraphNode_t * node, cudaGraphNode_t original, cudaGraph_t copy));
REDFLAG_CUDA(cudaGraphAddEmptyNode, (REDFLAG_NODE));
REDFLAG_CUDA(cudaGraphAddKernelNode, (REDFLAG_NODE, const struct cudaKernelNodeParams* params));
REDFLAG_CUDA(cudaGraphAddMemcpyNode, (REDFLAG_NODE, const struct cudaMemcpy3DParms* params));
REDFLAG_CUDA(cudaGraphAddMemcpyNode1D,
             (REDFLAG_NODE, void* to, const void* from, size_t size, enum cudaMemcpyKind kind));
REDFLAG_CUDA(cudaGraphAddMemsetNode, (REDFLAG_NODE, const struct cudaMemsetParams* params));
REDFLAG_CUDA(cudaGraphAddHostNode, (REDFLAG_NODE, const struct cudaHostNodeParams* params));
REDFLAG_CUDA(cudaGraphAddEventRecordNode, (REDFLAG_NODE, cudaEvent_t event));
REDFLAG_CUDA(cudaGraphAddEventWaitNode, (REDFLAG_NODE, cudaEvent_t event));
REDFLAG_CUDA(cudaGraphAddChildGraphNode, (REDFLAG_NODE, cudaGraph_t child));
REDFLAG_CUDA(cudaGraphAddDependencies,
             (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
              const cudaGraphEdgeData* edges, size_t count));
REDFLAG_CUDA(cudaGraphRemoveDependencies,
             (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
              const cudaGraphEdgeData* edges, size_t count));
REDFLAG_CUDA(cudaGraphDestroyNode, (cudaGraphNode_t node));
REDFLAG_CUDA(cudaGraphNodeGetType, (cudaGraphNode_t node, enum cudaGraphNodeType* type));
REDFLAG_CUDA(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count));
REDFLAG_CUDA(cudaGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count));
REDFLAG_CUDA(cudaGraphGetEdges, (cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                 cudaGraphEdgeData* edges, size_t* count));
REDFLAG_CUDA(cudaGraphNodeGetDependencies, (cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                            cudaGraphEdgeData* edges, size_t* count));

REDFLAG_CUDA(cudaGraphInstantiate, (cudaGraphExec_t * exec, cudaGraph_t graph,
                                    unsigned long long flags REDFLAG_DEFAULT(0)));
REDFLAG_CUDA(cudaGraphInstantiateWithFlags, (cudaGraphExec_t * exec, cudaGraph_t graph,
                                             unsigned long long flags REDFLAG_DEFAULT(0)));
REDFLAG_CUDA_STREAM(cudaGraphInstantiateWithParams, _ptsz,
                    (cudaGraphExec_t * exec, cudaGraph_t graph,
                     cudaGraphInstantiateParams* params));
REDFLAG_CUDA_STREAM(cudaGraphLaunch, _ptsz, (cudaGraphExec_t exec, cudaStream_t stream));
REDFLAG_CUDA_STREAM(cudaGraphUpload, _ptsz, (cudaGraphExec_t exec, cudaStream_t stream));
REDFLAG_CUDA(cudaGraphExecDestroy, (cudaGraphExec_t exec));
REDFLAG_CUDA(cudaGraphExecGetFlags, (cudaGraphExec_t exec, unsigned long long* flags));
REDFLAG_CUDA(cudaGraphExecUpdate,
             (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* result));
REDFLAG_CUDA(cudaGraphKernelNodeSetParams,
             (cudaGraphNode_t node, const struct cudaKernelNodeParams* params));
REDFLAG_CUDA(cudaGraphExecKernelNodeSetParams, (cudaGraphExec_t exec, cudaGraphNode_t node,
                                                const struct cudaKernelNodeParams* params));
REDFLAG_CUDA(cudaGraphExecMemcpyNodeSetParams,
             (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms* params));
REDFLAG_CUDA(cudaGraphExecMemcpyNodeSetParams1D,
             (cudaGraphExec_t exec, cudaGraphNode_t node, void* to, const void* from, size_t size,
              enum cudaMemcpyKind kind));
REDFLAG_CUDA(cudaGraphExecMemsetNodeSetParams,
             (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams* params));
REDFLAG_CUDA(cudaGraphExecHostNodeSetParams,
             (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams* params));
REDFLAG_CUDA(cudaGraphNodeSetEnabled,
             (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled));
REDFLAG_CUDA(cudaGraphNodeGetEnabled,
             (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled));

#undef REDFLAG_NODE
