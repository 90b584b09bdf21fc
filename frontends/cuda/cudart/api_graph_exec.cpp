// Graphs that can run: instantiation, launching, changing parameters afterwards.
#include "frontends/cuda/cudart/graph_operations.h"

namespace redflag::cudart {
namespace {

// Puts an operation of the same kind in the place of a node's.
Error replace(GraphNode* node, Operation operation) {
  if (node == nullptr || node->operation.index() != operation.index()) return Error::kInvalidValue;
  node->operation = std::move(operation);
  return Error::kSuccess;
}

template <typename Body>
Error with_exec(const void* caller, GraphExec* exec, Body body) {
  return call(caller, [&](Runtime& runtime) {
    return runtime.execs.contains(exec) ? body(runtime, *exec) : Error::kInvalidValue;
  });
}

Error instantiate(const void* caller, GraphExec** exec, Graph* graph, unsigned long long flags) {
  return with_graph(caller, graph, [&](Runtime& runtime, Graph& from) {
    if (in_order(from).size() != from.nodes.size()) return Error::kInvalidValue;  // a cycle
    auto made = std::make_unique<GraphExec>();
    made->graph = clone(from);
    made->flags = flags;
    *exec = made.get();
    runtime.execs.emplace(*exec, std::move(made));
    return Error::kSuccess;
  });
}

}  // namespace
}  // namespace redflag::cudart

using namespace redflag::cudart;

CUDART_API(cudaGraphInstantiate, (GraphExec * *exec, Graph* graph, unsigned long long flags)) {
  return instantiate(CUDART_CALLER, exec, graph, flags);
}

CUDART_API(cudaGraphInstantiateWithFlags,
           (GraphExec * *exec, Graph* graph, unsigned long long flags)) {
  return instantiate(CUDART_CALLER, exec, graph, flags);
}

CUDART_STREAM_API(cudaGraphInstantiateWithParams, _ptsz,
                  (GraphExec * *exec, Graph* graph, GraphInstantiateParams* params),
                  (exec, graph, params)) {
  (void)by_default;
  params->error_node = nullptr;
  const Error done = instantiate(caller, exec, graph, params->flags);
  params->result = done == Error::kSuccess ? 0 : 1;
  return done;
}

CUDART_STREAM_API(cudaGraphLaunch, _ptsz, (GraphExec * exec, Stream* handle), (exec, handle)) {
  return call_stream(caller, handle, by_default, [&](Runtime& runtime, Stream& stream) {
    if (!runtime.execs.contains(exec)) return Error::kInvalidValue;
    return runtime.launch(*exec, stream);
  });
}

CUDART_STREAM_API(cudaGraphUpload, _ptsz, (GraphExec * exec, Stream* handle), (exec, handle)) {
  return call_stream(caller, handle, by_default, [&](Runtime& runtime, Stream&) {
    return runtime.execs.contains(exec) ? Error::kSuccess : Error::kInvalidValue;
  });
}

CUDART_API(cudaGraphExecDestroy, (GraphExec * exec)) {
  return call_always(CUDART_CALLER, [&](Runtime& runtime) {
    return runtime.execs.erase(exec) != 0 ? Error::kSuccess : Error::kInvalidValue;
  });
}

CUDART_API(cudaGraphExecGetFlags, (GraphExec * exec, unsigned long long* flags)) {
  return with_exec(CUDART_CALLER, exec, [&](Runtime&, const GraphExec& of) {
    *flags = of.flags;
    return Error::kSuccess;
  });
}

// The new graph must have the same shape: then all parameters are taken over.
CUDART_API(cudaGraphExecUpdate, (GraphExec * exec, Graph* graph, GraphExecUpdateResult* result)) {
  return with_exec(CUDART_CALLER, exec, [&](Runtime& runtime, GraphExec& of) {
    if (!runtime.graphs.contains(graph)) return Error::kInvalidValue;
    const auto& old = of.graph->nodes;
    bool same = old.size() == graph->nodes.size();
    for (std::size_t i = 0; same && i < old.size(); ++i) {
      same = old[i]->operation.index() == graph->nodes[i]->operation.index() &&
             old[i]->after.size() == graph->nodes[i]->after.size();
    }
    if (result != nullptr) *result = {same ? 0 : 2, nullptr, nullptr};
    if (!same) return Error::kGraphExecUpdateFailure;
    of.graph = clone(*graph);
    return Error::kSuccess;
  });
}

CUDART_API(cudaGraphKernelNodeSetParams, (GraphNode * node, const KernelNodeParams* params)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    LaunchOp launch;
    const Error fault = kernel_op(runtime, *params, launch);
    return fault != Error::kSuccess ? fault : replace(node, std::move(launch));
  });
}

CUDART_API(cudaGraphExecKernelNodeSetParams,
           (GraphExec * exec, GraphNode* node, const KernelNodeParams* params)) {
  return with_exec(CUDART_CALLER, exec, [&](Runtime& runtime, GraphExec& of) {
    LaunchOp launch;
    const Error fault = kernel_op(runtime, *params, launch);
    return fault != Error::kSuccess ? fault : replace(of.find(node), std::move(launch));
  });
}

CUDART_API(cudaGraphExecMemcpyNodeSetParams,
           (GraphExec * exec, GraphNode* node, const Memcpy3DParms* params)) {
  return with_exec(CUDART_CALLER, exec, [&](Runtime& runtime, GraphExec& of) {
    CopyOp copy;
    const Error fault = prepare(runtime, *params, copy);
    copy.run_later();
    return fault != Error::kSuccess ? fault : replace(of.find(node), copy);
  });
}

CUDART_API(cudaGraphExecMemcpyNodeSetParams1D,
           (GraphExec * exec, GraphNode* node, void* to, const void* from, std::size_t size,
            CopyKind kind)) {
  return with_exec(CUDART_CALLER, exec, [&](Runtime& runtime, GraphExec& of) {
    CopyOp copy;
    const Error fault = flat_copy(runtime, to, from, size, kind, copy);
    copy.run_later();
    return fault != Error::kSuccess ? fault : replace(of.find(node), copy);
  });
}

CUDART_API(cudaGraphExecMemsetNodeSetParams,
           (GraphExec * exec, GraphNode* node, const MemsetParams* params)) {
  return with_exec(CUDART_CALLER, exec, [&](Runtime&, GraphExec& of) {
    return replace(of.find(node), fill_op(*params));
  });
}

CUDART_API(cudaGraphExecHostNodeSetParams,
           (GraphExec * exec, GraphNode* node, const HostNodeParams* params)) {
  return with_exec(CUDART_CALLER, exec, [&](Runtime&, GraphExec& of) {
    return replace(of.find(node), HostOp{params->fn, nullptr, nullptr, params->data});
  });
}

CUDART_API(cudaGraphNodeSetEnabled, (GraphExec * exec, GraphNode* node, unsigned enabled)) {
  return with_exec(CUDART_CALLER, exec, [&](Runtime&, GraphExec& of) {
    GraphNode* at = of.find(node);
    if (at == nullptr) return Error::kInvalidValue;
    at->enabled = enabled != 0;
    return Error::kSuccess;
  });
}

CUDART_API(cudaGraphNodeGetEnabled, (GraphExec * exec, GraphNode* node, unsigned* enabled)) {
  return with_exec(CUDART_CALLER, exec, [&](Runtime&, GraphExec& of) {
    const GraphNode* at = of.find(node);
    if (at == nullptr) return Error::kInvalidValue;
    *enabled = at->enabled ? 1 : 0;
    return Error::kSuccess;
  });
}
