// Graphs as wholes: copied, made executable, launched. A launch is told as what its nodes do.
#include <optional>

#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/graph_shape.h"
#include "frontends/cuda/inject/hooks.h"

namespace redflag::inject {
namespace {

CUresult instantiated(CUresult done, CUgraphExec exec, CUgraph graph) {
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.graphs().instantiate(exec, graph, edges_of(graph));
  return done;
}

CUresult updated(CUresult done, CUgraphExec exec, CUgraph graph) {
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.graphs().update(exec, graph);
  return done;
}

// In a stream that is being captured, what the graph does becomes a child of the one that is made.
CUresult capture_launch(const Call& call, CUgraphExec exec, CUstream stream, CUstream handle,
                        std::uint64_t capture) {
  Checker& checker = Checker::get();
  const CUresult done = pass(call, exec, stream);
  if (done != kSuccess) return done;
  CUgraph graph = nullptr;
  {
    const Lock lock = checker.lock();
    graph = checker.graphs().graph_of(exec);
  }
  const CopiedChild copy(captured_node(handle), graph);
  const Lock lock = checker.lock();
  checker.graphs().captured_child(capture, exec, copy.child(), copy.find());
  return done;
}

}  // namespace

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
  if (const std::uint64_t capture = capture_of(handle); capture != 0) {
    return capture_launch(call, exec, stream, handle, capture);
  }
  std::vector<gpu::LaunchId> launches;
  {
    const Lock lock = checker.lock();
    launches = checker.graph_begins(exec, checker.stream(stream, call.per_thread()));
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
