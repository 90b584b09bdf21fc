// Graphs: their nodes and edges, made by hand. What runs them is in api_graph_exec.cpp.
#include <algorithm>

#include "frontends/cuda/cudart/graph_operations.h"

namespace redflag::cudart {
namespace {

Error add_node(Graph& graph, GraphNode** node, GraphNode* const* after, std::size_t count,
               Operation operation) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!graph.has(after[i])) return Error::kInvalidValue;
  }
  *node = graph.add(std::move(operation), {after, after + count});
  return Error::kSuccess;
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
    copy.run_later();
    return fault != Error::kSuccess ? fault : add_node(to, node, after, count, copy);
  });
}

CUDART_API(cudaGraphAddMemcpyNode1D,
           (NODE_PARAMS, void* dst, const void* src, std::size_t size, CopyKind kind)) {
  return with_graph(CUDART_CALLER, graph, [&](Runtime& runtime, Graph& to) {
    CopyOp copy;
    const Error fault = flat_copy(runtime, dst, src, size, kind, copy);
    copy.run_later();
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
