// Graphs: nodes made by hand, instantiation, launching, changing parameters afterwards.
#include <algorithm>
#include <cstdio>

#include "frontends/cuda/cudart/api.h"

namespace redflag::cudart {
namespace {

template <typename Body>
Error with_graph(const void* caller, Graph* graph, Body body) {
  return call(caller, [&](Runtime& runtime) {
    return runtime.graphs.contains(graph) ? body(runtime, *graph) : Error::kInvalidValue;
  });
}

Error add_node(Graph& graph, GraphNode** node, GraphNode* const* after, std::size_t count,
               Operation operation) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!graph.has(after[i])) return Error::kInvalidValue;
  }
  *node = graph.add(std::move(operation), {after, after + count});
  return Error::kSuccess;
}

Error kernel_op(Runtime& runtime, const KernelNodeParams& params, LaunchOp& launch) {
  if (params.extra != nullptr) return Error::kNotSupported;
  const LaunchRequest request{params.func,         params.grid, params.block, {},
                              params.shared_bytes, false,       params.params};
  return prepare(runtime, request, launch);
}

FillOp fill_op(const MemsetParams& p) {
  return {.to = {number(p.dst), p.pitch, p.pitch * p.height},
          .box = {p.width * p.element_size, p.height, 1},
          .value = p.value,
          .element = p.element_size};
}

Error flat_copy(Runtime& runtime, void* to, const void* from, std::size_t size, CopyKind kind,
                CopyOp& copy) {
  Memcpy3DParms parms{};
  parms.src_ptr = {const_cast<void*>(from), size, size, 1};
  parms.dst_ptr = {to, size, size, 1};
  parms.extent = {size, 1, 1};
  parms.kind = kind;
  return prepare(runtime, parms, copy);
}

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

// How lists of nodes are asked for: their number, or as many as there is room for.
void give(const std::vector<GraphNode*>& from, GraphNode** to, std::size_t* count) {
  if (to == nullptr) {
    *count = from.size();
    return;
  }
  for (std::size_t i = 0; i < *count; ++i) to[i] = i < from.size() ? from[i] : nullptr;
  *count = std::min(*count, from.size());
}

}  // namespace
}  // namespace redflag::cudart

using namespace redflag::cudart;

#define NODE_PARAMS GraphNode **node, Graph *graph, GraphNode *const *after, std::size_t count

CUDART_API(cudaGraphCreate, (Graph * *graph, unsigned)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    auto made = std::make_unique<Graph>();
    *graph = made.get();
    runtime.graphs.emplace(*graph, std::move(made));
    return Error::kSuccess;
  });
}

CUDART_API(cudaGraphDestroy, (Graph * graph)) {
  return call_always(CUDART_CALLER, [&](Runtime& runtime) {
    return runtime.graphs.erase(graph) != 0 ? Error::kSuccess : Error::kInvalidValue;
  });
}

CUDART_API(cudaGraphClone, (Graph * *copy, Graph* original)) {
  return with_graph(CUDART_CALLER, original, [&](Runtime& runtime, Graph& from) {
    auto made = clone(from);
    *copy = made.get();
    runtime.graphs.emplace(*copy, std::move(made));
    return Error::kSuccess;
  });
}

CUDART_API(cudaGraphNodeFindInClone, (GraphNode * *node, const GraphNode* original, Graph* copy)) {
  return with_graph(CUDART_CALLER, copy, [&](Runtime&, Graph& in) {
    for (const auto& each : in.nodes) {
      if (each->original == original) {
        *node = each.get();
        return Error::kSuccess;
      }
    }
    return Error::kInvalidValue;
  });
}

CUDART_API(cudaGraphAddEmptyNode, (NODE_PARAMS)) {
  return with_graph(CUDART_CALLER, graph, [&](Runtime&, Graph& to) {
    return add_node(to, node, after, count, EmptyOp{});
  });
}

CUDART_API(cudaGraphAddKernelNode, (NODE_PARAMS, const KernelNodeParams* params)) {
  return with_graph(CUDART_CALLER, graph, [&](Runtime& runtime, Graph& to) {
    LaunchOp launch;
    const Error fault = kernel_op(runtime, *params, launch);
    return fault != Error::kSuccess ? fault : add_node(to, node, after, count, std::move(launch));
  });
}

CUDART_API(cudaGraphAddMemcpyNode, (NODE_PARAMS, const Memcpy3DParms* params)) {
  return with_graph(CUDART_CALLER, graph, [&](Runtime& runtime, Graph& to) {
    CopyOp copy;
    const Error fault = prepare(runtime, *params, copy);
    copy.waits = false;
    return fault != Error::kSuccess ? fault : add_node(to, node, after, count, copy);
  });
}

CUDART_API(cudaGraphAddMemcpyNode1D,
           (NODE_PARAMS, void* dst, const void* src, std::size_t size, CopyKind kind)) {
  return with_graph(CUDART_CALLER, graph, [&](Runtime& runtime, Graph& to) {
    CopyOp copy;
    const Error fault = flat_copy(runtime, dst, src, size, kind, copy);
    copy.waits = false;
    return fault != Error::kSuccess ? fault : add_node(to, node, after, count, copy);
  });
}

CUDART_API(cudaGraphAddMemsetNode, (NODE_PARAMS, const MemsetParams* params)) {
  return with_graph(CUDART_CALLER, graph, [&](Runtime&, Graph& to) {
    return add_node(to, node, after, count, fill_op(*params));
  });
}

CUDART_API(cudaGraphAddHostNode, (NODE_PARAMS, const HostNodeParams* params)) {
  return with_graph(CUDART_CALLER, graph, [&](Runtime&, Graph& to) {
    if (params->fn == nullptr) return Error::kInvalidValue;
    return add_node(to, node, after, count, HostOp{params->fn, nullptr, nullptr, params->data});
  });
}

CUDART_API(cudaGraphAddEventRecordNode, (NODE_PARAMS, Event* event)) {
  return with_graph(CUDART_CALLER, graph, [&](Runtime& runtime, Graph& to) {
    if (!runtime.streams->is_event(event)) return Error::kInvalidResourceHandle;
    return add_node(to, node, after, count, RecordOp{event});
  });
}

CUDART_API(cudaGraphAddEventWaitNode, (NODE_PARAMS, Event* event)) {
  return with_graph(CUDART_CALLER, graph, [&](Runtime& runtime, Graph& to) {
    if (!runtime.streams->is_event(event)) return Error::kInvalidResourceHandle;
    return add_node(to, node, after, count, WaitOp{event});
  });
}

CUDART_API(cudaGraphAddChildGraphNode, (NODE_PARAMS, Graph* child)) {
  return with_graph(CUDART_CALLER, graph, [&](Runtime& runtime, Graph& to) {
    if (!runtime.graphs.contains(child) || child == graph) return Error::kInvalidValue;
    to.children.push_back(clone(*child));
    return add_node(to, node, after, count, ChildOp{to.children.back().get()});
  });
}

CUDART_API(cudaGraphAddDependencies, (Graph * graph, GraphNode* const* from, GraphNode* const* to,
                                      const GraphEdgeData*, std::size_t count)) {
  return with_graph(CUDART_CALLER, graph, [&](Runtime&, Graph& in) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!in.has(from[i]) || !in.has(to[i])) return Error::kInvalidValue;
      to[i]->after.push_back(from[i]);
    }
    return Error::kSuccess;
  });
}

CUDART_API(cudaGraphRemoveDependencies,
           (Graph * graph, GraphNode* const* from, GraphNode* const* to, const GraphEdgeData*,
            std::size_t count)) {
  return with_graph(CUDART_CALLER, graph, [&](Runtime&, Graph& in) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!in.has(from[i]) || !in.has(to[i])) return Error::kInvalidValue;
      std::erase(to[i]->after, from[i]);
    }
    return Error::kSuccess;
  });
}

CUDART_API(cudaGraphDestroyNode, (GraphNode * node)) {
  return call(CUDART_CALLER, [&](Runtime&) {
    if (node == nullptr) return Error::kInvalidValue;
    return node->graph->remove(node) ? Error::kSuccess : Error::kInvalidValue;
  });
}

CUDART_API(cudaGraphNodeGetType, (const GraphNode* node, NodeType* type)) {
  return call(CUDART_CALLER, [&](Runtime&) {
    if (node == nullptr) return Error::kInvalidValue;
    *type = type_of(node->operation);
    return Error::kSuccess;
  });
}

CUDART_API(cudaGraphGetNodes, (Graph * graph, GraphNode** nodes, std::size_t* count)) {
  return with_graph(CUDART_CALLER, graph, [&](Runtime&, Graph& in) {
    std::vector<GraphNode*> all;
    for (const auto& node : in.nodes) all.push_back(node.get());
    give(all, nodes, count);
    return Error::kSuccess;
  });
}

CUDART_API(cudaGraphGetRootNodes, (Graph * graph, GraphNode** nodes, std::size_t* count)) {
  return with_graph(CUDART_CALLER, graph, [&](Runtime&, Graph& in) {
    std::vector<GraphNode*> roots;
    for (const auto& node : in.nodes) {
      if (node->after.empty()) roots.push_back(node.get());
    }
    give(roots, nodes, count);
    return Error::kSuccess;
  });
}

CUDART_API(cudaGraphGetEdges,
           (Graph * graph, GraphNode** from, GraphNode** to, GraphEdgeData*, std::size_t* count)) {
  return with_graph(CUDART_CALLER, graph, [&](Runtime&, Graph& in) {
    std::vector<GraphNode*> begins;
    std::vector<GraphNode*> ends;
    for (const auto& node : in.nodes) {
      for (GraphNode* before : node->after) {
        begins.push_back(before);
        ends.push_back(node.get());
      }
    }
    std::size_t room = *count;
    if (to != nullptr) give(ends, to, &room);
    give(begins, from, count);
    return Error::kSuccess;
  });
}

CUDART_API(cudaGraphNodeGetDependencies,
           (const GraphNode* node, GraphNode** nodes, GraphEdgeData*, std::size_t* count)) {
  return call(CUDART_CALLER, [&](Runtime&) {
    if (node == nullptr) return Error::kInvalidValue;
    give(node->after, nodes, count);
    return Error::kSuccess;
  });
}

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
    copy.waits = false;
    return fault != Error::kSuccess ? fault : replace(of.find(node), copy);
  });
}

CUDART_API(cudaGraphExecMemcpyNodeSetParams1D,
           (GraphExec * exec, GraphNode* node, void* to, const void* from, std::size_t size,
            CopyKind kind)) {
  return with_exec(CUDART_CALLER, exec, [&](Runtime& runtime, GraphExec& of) {
    CopyOp copy;
    const Error fault = flat_copy(runtime, to, from, size, kind, copy);
    copy.waits = false;
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
