#include "frontends/cuda/inject/graph_shape.h"

#include "frontends/cuda/inject/real.h"

namespace redflag::inject {
namespace {

// The second version also tells of edges that order a part of a kernel; those are taken for whole ones.
CUresult ask(CUgraph graph, CUgraphNode* from, CUgraphNode* to, std::uint64_t* data,
             std::size_t* count) {
  if (real_address(Fn::k_cuGraphGetEdges_v2) != nullptr) {
    return real(Fn::k_cuGraphGetEdges_v2, graph, from, to, static_cast<void*>(data), count);
  }
  return real(Fn::k_cuGraphGetEdges, graph, from, to, count);
}

}  // namespace

Edges edges_of(CUgraph graph) {
  std::size_t count = 0;
  if (ask(graph, nullptr, nullptr, nullptr, &count) != kSuccess || count == 0) return {};
  std::vector<CUgraphNode> from(count);
  std::vector<CUgraphNode> to(count);
  std::vector<std::uint64_t> data(count);  // CUgraphEdgeData: 8 bytes
  if (ask(graph, from.data(), to.data(), data.data(), &count) != kSuccess) return {};
  Edges edges;
  for (std::size_t i = 0; i < count && i < from.size(); ++i) edges.emplace_back(from[i], to[i]);
  return edges;
}

CopiedChild::CopiedChild(CUgraphNode node, CUgraph graph) {
  Child made{node, nullptr, {}, nullptr};
  if (real(Fn::k_cuGraphClone, &made.graph, graph) == kSuccess) {
    made.edges = edges_of(made.graph);
    made.owner = std::shared_ptr<const void>(
        static_cast<const void*>(made.graph),
        [copy = made.graph](const void*) { (void)real(Fn::k_cuGraphDestroy, copy); });
  }
  child_ = std::make_shared<const Child>(std::move(made));
}

Graphs::Find CopiedChild::find() const {
  return [copy = child_->graph](CUgraphNode node) {
    CUgraphNode found = nullptr;
    const bool is_there =
        copy != nullptr && real(Fn::k_cuGraphNodeFindInClone, &found, node, copy) == kSuccess;
    return is_there ? found : nullptr;
  };
}

}  // namespace redflag::inject
