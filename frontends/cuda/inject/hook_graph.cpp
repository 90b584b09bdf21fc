// Graphs: kernel nodes get their launch's number when they are made; a launch of the graph is told as
// what its nodes do.
#include <cstring>
#include <optional>
#include <variant>

#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/hooks.h"
#include "frontends/cuda/inject/parameters.h"

namespace redflag::inject {
namespace {

// A kernel node's parameters with ours behind them; the launch that they describe.
class Node {
 public:
  Node(const CUDA_KERNEL_NODE_PARAMS* given, bool first_version) : own_{} {
    std::memcpy(&own_, given, first_version ? kFirstNodeParams : sizeof(own_));
    const void* handle = own_.func != nullptr ? static_cast<const void*>(own_.func)
                                              : static_cast<const void*>(own_.kern);
    Checker& checker = Checker::get();
    const Lock lock = checker.lock();
    Kernel kernel = checker.kernel(handle);
    if (!checker.is_ready(kernel)) return;
    const Shape shape{.grid = {own_.gridDimX, own_.gridDimY, own_.gridDimZ},
                      .block = {own_.blockDimX, own_.blockDimY, own_.blockDimZ},
                      .cluster = {},
                      .dynamic_shared = own_.sharedMemBytes};
    auto* const function = static_cast<CUfunction>(const_cast<void*>(handle));
    const Ticket ticket = checker.admit(kernel, function, shape, nullptr);
    checked_ = true;
    own_.sharedMemBytes = static_cast<unsigned>(ticket.shared);
    auto kept = std::make_shared<NodeParams>(own_, kernel, own_.kernelParams, own_.extra);
    kept->dynamic_shared = shape.dynamic_shared;
    kept->has_more_shared = ticket.shared != shape.dynamic_shared;
    operation_.what = ticket.launch;
    operation_.params = std::move(kept);
    longer_ = std::make_unique<Parameters>(kernel.code->parameters, kernel.code->launch_offset,
                                           ticket.value, own_.kernelParams, own_.extra);
    own_.kernelParams = longer_->params();
    own_.extra = longer_->extra();
  }

  const CUDA_KERNEL_NODE_PARAMS* params() const { return &own_; }
  bool checked() const { return checked_; }
  const Graphs::Operation& operation() const { return operation_; }

 private:
  CUDA_KERNEL_NODE_PARAMS own_;
  bool checked_ = false;
  Graphs::Operation operation_;
  std::unique_ptr<Parameters> longer_;
};

void add_to(Graphs& graphs, CUgraph graph, CUgraphNode node, Graphs::Operation operation) {
  operation.node = node;
  graphs.add(graph, std::move(operation));
}

CUresult add_kernel(CUgraphNode* made, CUgraph graph, const CUDA_KERNEL_NODE_PARAMS* params,
                    bool first_version, const auto& go) {
  if (params == nullptr) return go(params);
  const Node node(params, first_version);
  const CUresult done = go(node.params());
  if (done != kSuccess || !node.checked()) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  add_to(checker.graphs(), graph, *made, node.operation());
  return done;
}

// `keep`: tells the graphs of the node's new operation.
CUresult set_kernel(const CUDA_KERNEL_NODE_PARAMS* params, bool first_version, const auto& go,
                    const auto& keep) {
  if (params == nullptr) return go(params);
  const Node node(params, first_version);
  const CUresult done = go(node.params());
  if (done != kSuccess || !node.checked()) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  keep(checker.graphs(), node.operation());
  return done;
}

// The general form of the newer functions, which have kernel nodes among others.
CUresult with_kernel(CUgraphNodeParams* params, const auto& go, const auto& keep) {
  if (params == nullptr || params->type != kKernelNode) return go(params);
  const Node node(&params->kernel, false);
  CUgraphNodeParams own = *params;
  own.kernel = *node.params();
  const CUresult done = go(&own);
  if (done != kSuccess || !node.checked()) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  keep(checker.graphs(), node.operation());
  return done;
}

CUresult instantiated(CUresult done, CUgraphExec exec, CUgraph graph) {
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.graphs().instantiate(exec, graph);
  return done;
}

CUresult updated(CUresult done, CUgraphExec exec, CUgraph graph) {
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.graphs().update(exec, graph);
  return done;
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
  return set_kernel(
      params, true, [&](const CUDA_KERNEL_NODE_PARAMS* own) { return pass(call, node, own); },
      [&](Graphs& graphs, const Graphs::Operation& what) { graphs.replace(node, what); });
}

CUresult graph_set_kernel(const Call& call, CUgraphNode node,
                          const CUDA_KERNEL_NODE_PARAMS* params) {
  return set_kernel(
      params, false, [&](const CUDA_KERNEL_NODE_PARAMS* own) { return pass(call, node, own); },
      [&](Graphs& graphs, const Graphs::Operation& what) { graphs.replace(node, what); });
}

CUresult graph_exec_set_kernel_v1(const Call& call, CUgraphExec exec, CUgraphNode node,
                                  const CUDA_KERNEL_NODE_PARAMS* params) {
  return set_kernel(
      params, true, [&](const CUDA_KERNEL_NODE_PARAMS* own) { return pass(call, exec, node, own); },
      [&](Graphs& graphs, const Graphs::Operation& what) { graphs.replace(exec, node, what); });
}

CUresult graph_exec_set_kernel(const Call& call, CUgraphExec exec, CUgraphNode node,
                               const CUDA_KERNEL_NODE_PARAMS* params) {
  return set_kernel(
      params, false,
      [&](const CUDA_KERNEL_NODE_PARAMS* own) { return pass(call, exec, node, own); },
      [&](Graphs& graphs, const Graphs::Operation& what) { graphs.replace(exec, node, what); });
}

CUresult graph_add_node_v1(const Call& call, CUgraphNode* made, CUgraph graph,
                           const CUgraphNode* after, std::size_t count, CUgraphNodeParams* params) {
  return with_kernel(
      params, [&](CUgraphNodeParams* own) { return pass(call, made, graph, after, count, own); },
      [&](Graphs& graphs, const Graphs::Operation& what) { add_to(graphs, graph, *made, what); });
}

CUresult graph_add_node(const Call& call, CUgraphNode* made, CUgraph graph,
                        const CUgraphNode* after, const void* edges, std::size_t count,
                        CUgraphNodeParams* params) {
  return with_kernel(
      params,
      [&](CUgraphNodeParams* own) { return pass(call, made, graph, after, edges, count, own); },
      [&](Graphs& graphs, const Graphs::Operation& what) { add_to(graphs, graph, *made, what); });
}

CUresult graph_set_node(const Call& call, CUgraphNode node, CUgraphNodeParams* params) {
  return with_kernel(
      params, [&](CUgraphNodeParams* own) { return pass(call, node, own); },
      [&](Graphs& graphs, const Graphs::Operation& what) { graphs.replace(node, what); });
}

CUresult graph_exec_set_node(const Call& call, CUgraphExec exec, CUgraphNode node,
                             CUgraphNodeParams* params) {
  return with_kernel(
      params, [&](CUgraphNodeParams* own) { return pass(call, exec, node, own); },
      [&](Graphs& graphs, const Graphs::Operation& what) { graphs.replace(exec, node, what); });
}

CUresult graph_add_child(const Call& call, CUgraphNode* made, CUgraph graph,
                         const CUgraphNode* after, std::size_t count, CUgraph child) {
  const CUresult done = pass(call, made, graph, after, count, child);
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.graphs().add_child(graph, child);
  return done;
}

CUresult graph_clone(const Call& call, CUgraph* made, CUgraph graph) {
  const CUresult done = pass(call, made, graph);
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.graphs().clone(*made, graph, [&](CUgraphNode node) {
    CUgraphNode found = nullptr;
    return real(Fn::k_cuGraphNodeFindInClone, &found, node, *made) == kSuccess ? found : nullptr;
  });
  return done;
}

CUresult graph_destroy(const Call& call, CUgraph graph) {
  {
    Checker& checker = Checker::get();
    const Lock lock = checker.lock();
    if (!checker.graphs().forget(graph)) return kSuccess;
  }
  return pass(call, graph);
}

CUresult graph_instantiate_v1(const Call& call, CUgraphExec* made, CUgraph graph, CUgraphNode* at,
                              char* log, std::size_t bytes) {
  const CUresult done = pass(call, made, graph, at, log, bytes);
  return instantiated(done, done == kSuccess ? *made : nullptr, graph);
}

CUresult graph_instantiate(const Call& call, CUgraphExec* made, CUgraph graph,
                           unsigned long long flags) {
  const CUresult done = pass(call, made, graph, flags);
  return instantiated(done, done == kSuccess ? *made : nullptr, graph);
}

CUresult graph_instantiate_params(const Call& call, CUgraphExec* made, CUgraph graph,
                                  void* params) {
  const CUresult done = pass(call, made, graph, params);
  return instantiated(done, done == kSuccess ? *made : nullptr, graph);
}

CUresult graph_exec_update_v1(const Call& call, CUgraphExec exec, CUgraph graph, CUgraphNode* at,
                              int* result) {
  return updated(pass(call, exec, graph, at, result), exec, graph);
}

CUresult graph_exec_update(const Call& call, CUgraphExec exec, CUgraph graph, void* result) {
  return updated(pass(call, exec, graph, result), exec, graph);
}

CUresult graph_exec_destroy(const Call& call, CUgraphExec exec) {
  std::optional<CUgraph> graph;
  {
    Checker& checker = Checker::get();
    const Lock lock = checker.lock();
    graph = checker.graphs().forget(exec);
  }
  const CUresult done = pass(call, exec);
  if (graph) (void)real(Fn::k_cuGraphDestroy, *graph);
  return done;
}

CUresult graph_launch(const Call& call, CUgraphExec exec, CUstream stream) {
  Checker& checker = Checker::get();
  CUstream const handle = meant(stream, call.per_thread());
  std::vector<gpu::LaunchId> launches;
  {
    const Lock lock = checker.lock();
    StreamOrder::Stream& in = checker.stream(stream, call.per_thread());
    const std::uint64_t capture = capture_of(handle);
    for (Graphs::Operation& operation : checker.graphs().of(exec)) {
      if (capture != 0) {
        checker.graphs().captured(capture, {nullptr, operation.what});
      } else if (auto* const launch = std::get_if<gpu::Launch>(&operation.what)) {
        checker.number(operation, exec);
        checker.launch_begins(
            *launch, operation.params == nullptr ? 0 : operation.params->dynamic_shared, in);
        launches.push_back(launch->id);
      } else {
        gpu::HostStep step = std::get<gpu::HostStep>(operation.what);
        checker.streams().begin_work(in);
        step.stream = in.id;
        checker.tell(step);
      }
    }
  }
  const CUresult done = pass(call, exec, stream);
  if (launches.empty()) return done;
  const Lock lock = checker.lock();
  if (done != kSuccess) {
    checker.ended(launches);
    return done;
  }
  StreamOrder::Stream& in = checker.stream(stream, call.per_thread());
  for (const gpu::LaunchId launch : launches) {
    checker.launched(launch, in, handle, launch == launches.back());
  }
  return done;
}

CUresult end_capture(const Call& call, CUstream stream, CUgraph* made) {
  const std::uint64_t capture = capture_of(meant(stream, call.per_thread()));
  const CUresult done = pass(call, stream, made);
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.graphs().end_capture(capture, done == kSuccess ? *made : nullptr);
  return done;
}

}  // namespace redflag::inject
