// Nodes of graphs: kernels get their launch's number when they are made, copies and fills are kept as
// what they read and write, children with a copy of theirs.
#include <cstring>

#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/copy_steps.h"
#include "frontends/cuda/inject/graph_shape.h"
#include "frontends/cuda/inject/hooks.h"
#include "frontends/cuda/inject/kernel_node.h"

namespace redflag::inject {
namespace {

using Operations = Graphs::Operations;

Operations operations_of(const Steps& steps) {
  Operations made;
  for (const gpu::HostStep& step : steps) made.push_back({nullptr, step});
  return made;
}

Operations operations_of(const CUDA_MEMCPY3D& copy) {
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  return operations_of(steps_of(copy, [&](CUarray array) { return checker.box_of(array); }));
}

// The first version ends before the context.
Operations operations_of(const CUDA_MEMSET_NODE_PARAMS* fill) {
  CUDA_MEMSET_NODE_PARAMS own{};
  std::memcpy(&own, fill, offsetof(CUDA_MEMSET_NODE_PARAMS, ctx));
  return operations_of(steps_of(own));
}

CUresult added(CUresult done, CUgraph graph, CUgraphNode* made, const Operations& operations) {
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  for (Graphs::Operation each : operations) {
    each.node = *made;
    checker.graphs().add(graph, std::move(each));
  }
  return done;
}

CUresult changed(CUresult done, CUgraphNode node, const Operations& operations) {
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.graphs().replace(node, operations);
  return done;
}

CUresult changed(CUresult done, CUgraphExec exec, CUgraphNode node, const Operations& operations) {
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.graphs().replace(exec, node, operations);
  return done;
}

CUresult added_child(CUresult done, CUgraph graph, CUgraphNode* made, CUgraph child) {
  if (done != kSuccess) return done;
  const CopiedChild copy(*made, child);
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.graphs().add_child(graph, child, copy.child(), copy.find());
  return done;
}

CUresult changed_child(CUresult done, CUgraphExec exec, CUgraphNode node, CUgraph child) {
  if (done != kSuccess) return done;
  const CopiedChild copy(node, child);
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.graphs().replace_child(exec, child, copy.child(), copy.find());
  return done;
}

// The general form of the newer functions: what the node does, and for kernels other parameters.
class AnyNode {
 public:
  explicit AnyNode(CUgraphNodeParams* given) : given_(given) {
    if (given == nullptr) return;
    if (given->type == kCopyNode) operations_ = operations_of(given->memcpy.copyParams);
    if (given->type == kFillNode) operations_ = operations_of(steps_of(given->memset));
    if (given->type != kKernelNode) return;
    kernel_ = std::make_unique<KernelNode>(&given->kernel, false);
    own_ = *given;
    own_.kernel = *kernel_->params();
    operations_ = kernel_->operations();
  }

  CUgraphNodeParams* params() { return kernel_ == nullptr ? given_ : &own_; }
  const Operations& operations() const { return operations_; }
  // nullptr: it is none.
  CUgraph child() const {
    return given_ != nullptr && given_->type == kChildNode ? given_->graph.graph : nullptr;
  }

 private:
  CUgraphNodeParams* given_;
  CUgraphNodeParams own_{};
  std::unique_ptr<KernelNode> kernel_;
  Operations operations_;
};

CUresult add_any(CUgraphNode* made, CUgraph graph, CUgraphNodeParams* params, const auto& go) {
  AnyNode node(params);
  CUgraph const child = node.child();  // before the driver answers in the same place
  const CUresult done = go(node.params());
  return child != nullptr ? added_child(done, graph, made, child)
                          : added(done, graph, made, node.operations());
}

CUresult add_kernel(CUgraphNode* made, CUgraph graph, const CUDA_KERNEL_NODE_PARAMS* params,
                    bool first_version, const auto& go) {
  if (params == nullptr) return go(params);
  const KernelNode node(params, first_version);
  return added(go(node.params()), graph, made, node.operations());
}

}  // namespace

CUresult graph_add_kernel_v1(const Call& call, CUgraphNode* made, CUgraph graph,
                             const CUgraphNode* after, std::size_t count,
                             const CUDA_KERNEL_NODE_PARAMS* params) {
  return add_kernel(made, graph, params, true, [&](const CUDA_KERNEL_NODE_PARAMS* own) {
    return pass(call, made, graph, after, count, own);
  });
}

CUresult graph_add_kernel(const Call& call, CUgraphNode* made, CUgraph graph,
                          const CUgraphNode* after, std::size_t count,
                          const CUDA_KERNEL_NODE_PARAMS* params) {
  return add_kernel(made, graph, params, false, [&](const CUDA_KERNEL_NODE_PARAMS* own) {
    return pass(call, made, graph, after, count, own);
  });
}

CUresult graph_set_kernel_v1(const Call& call, CUgraphNode node,
                             const CUDA_KERNEL_NODE_PARAMS* params) {
  if (params == nullptr) return pass(call, node, params);
  const KernelNode own(params, true);
  return changed(pass(call, node, own.params()), node, own.operations());
}

CUresult graph_set_kernel(const Call& call, CUgraphNode node,
                          const CUDA_KERNEL_NODE_PARAMS* params) {
  if (params == nullptr) return pass(call, node, params);
  const KernelNode own(params, false);
  return changed(pass(call, node, own.params()), node, own.operations());
}

CUresult graph_exec_set_kernel_v1(const Call& call, CUgraphExec exec, CUgraphNode node,
                                  const CUDA_KERNEL_NODE_PARAMS* params) {
  if (params == nullptr) return pass(call, exec, node, params);
  const KernelNode own(params, true);
  return changed(pass(call, exec, node, own.params()), exec, node, own.operations());
}

CUresult graph_exec_set_kernel(const Call& call, CUgraphExec exec, CUgraphNode node,
                               const CUDA_KERNEL_NODE_PARAMS* params) {
  if (params == nullptr) return pass(call, exec, node, params);
  const KernelNode own(params, false);
  return changed(pass(call, exec, node, own.params()), exec, node, own.operations());
}

CUresult graph_add_copy(const Call& call, CUgraphNode* made, CUgraph graph,
                        const CUgraphNode* after, std::size_t count, const CUDA_MEMCPY3D* copy,
                        CUcontext context) {
  return added(pass(call, made, graph, after, count, copy, context), graph, made,
               copy == nullptr ? Operations() : operations_of(*copy));
}

CUresult graph_set_copy(const Call& call, CUgraphNode node, const CUDA_MEMCPY3D* copy) {
  return changed(pass(call, node, copy), node,
                 copy == nullptr ? Operations() : operations_of(*copy));
}

CUresult graph_exec_set_copy(const Call& call, CUgraphExec exec, CUgraphNode node,
                             const CUDA_MEMCPY3D* copy, CUcontext context) {
  return changed(pass(call, exec, node, copy, context), exec, node,
                 copy == nullptr ? Operations() : operations_of(*copy));
}

CUresult graph_add_fill(const Call& call, CUgraphNode* made, CUgraph graph,
                        const CUgraphNode* after, std::size_t count,
                        const CUDA_MEMSET_NODE_PARAMS* fill, CUcontext context) {
  return added(pass(call, made, graph, after, count, fill, context), graph, made,
               fill == nullptr ? Operations() : operations_of(fill));
}

CUresult graph_set_fill(const Call& call, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* fill) {
  return changed(pass(call, node, fill), node,
                 fill == nullptr ? Operations() : operations_of(fill));
}

CUresult graph_exec_set_fill(const Call& call, CUgraphExec exec, CUgraphNode node,
                             const CUDA_MEMSET_NODE_PARAMS* fill, CUcontext context) {
  return changed(pass(call, exec, node, fill, context), exec, node,
                 fill == nullptr ? Operations() : operations_of(fill));
}

CUresult graph_add_node_v1(const Call& call, CUgraphNode* made, CUgraph graph,
                           const CUgraphNode* after, std::size_t count, CUgraphNodeParams* params) {
  return add_any(made, graph, params, [&](CUgraphNodeParams* own) {
    return pass(call, made, graph, after, count, own);
  });
}

CUresult graph_add_node(const Call& call, CUgraphNode* made, CUgraph graph,
                        const CUgraphNode* after, const void* edges, std::size_t count,
                        CUgraphNodeParams* params) {
  return add_any(made, graph, params, [&](CUgraphNodeParams* own) {
    return pass(call, made, graph, after, edges, count, own);
  });
}

CUresult graph_set_node(const Call& call, CUgraphNode node, CUgraphNodeParams* params) {
  AnyNode own(params);
  return changed(pass(call, node, own.params()), node, own.operations());
}

CUresult graph_exec_set_node(const Call& call, CUgraphExec exec, CUgraphNode node,
                             CUgraphNodeParams* params) {
  AnyNode own(params);
  const CUresult done = pass(call, exec, node, own.params());
  return own.child() != nullptr ? changed_child(done, exec, node, own.child())
                                : changed(done, exec, node, own.operations());
}

CUresult graph_add_child(const Call& call, CUgraphNode* made, CUgraph graph,
                         const CUgraphNode* after, std::size_t count, CUgraph child) {
  return added_child(pass(call, made, graph, after, count, child), graph, made, child);
}

CUresult graph_exec_set_child(const Call& call, CUgraphExec exec, CUgraphNode node, CUgraph child) {
  return changed_child(pass(call, exec, node, child), exec, node, child);
}

CUresult graph_open_child(const Call& call, CUgraphNode node, CUgraph* graph) {
  const CUresult done = pass(call, node, graph);
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.graphs().open_child(node);
  return done;
}

CUresult graph_destroy_node(const Call& call, CUgraphNode node) {
  const CUresult done = pass(call, node);
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.graphs().remove(node);
  return done;
}

CUresult graph_enable_node(const Call& call, CUgraphExec exec, CUgraphNode node, unsigned enabled) {
  const CUresult done = pass(call, exec, node, enabled);
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.graphs().enable(exec, node, enabled != 0);
  return done;
}

}  // namespace redflag::inject
