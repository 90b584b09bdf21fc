// Graphs: what a launch of one will do, kept from when its nodes were made.
//
// Operations are told when the graph is launched, in streams of their branches (graph_plan.h). Kernel
// nodes get a new launch number each time; for that the graph must live as long as what was made of it.
// Kernels of a child graph get theirs through a copy of the child that is ours; those of a child's child
// keep the number that they were made with. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/model/gpu.h"
#include "frontends/cuda/inject/driver.h"
#include "frontends/cuda/inject/graph_plan.h"
#include "frontends/cuda/inject/node_params.h"

namespace redflag::inject {

class Graphs {
 public:
  struct Operation {
    CUgraphNode node = nullptr;  // of the graph, or of the child's copy; nullptr: not known
    std::variant<gpu::Launch, gpu::HostStep> what;
    std::shared_ptr<const NodeParams> params{};  // of a launch; nullptr: it keeps its number
    bool launched = false;                       // with the number that it has
    std::shared_ptr<const Child> child{};        // nullptr: of the graph itself
    bool enabled = true;
  };
  using Operations = std::vector<Operation>;  // those of one node stand together
  using Find =
      std::function<CUgraphNode(CUgraphNode)>;  // the node of a copy that stands for another

  struct Exec {
    CUgraph graph = nullptr;
    Operations operations;
    Edges edges;
    Plan plan;
    // As streams and events, made at the first launch and used again later.
    std::vector<gpu::StreamId> branches;
    std::vector<gpu::HostEventId> marks;
  };

  void captured(std::uint64_t capture, Operation operation);
  void captured_child(std::uint64_t capture, CUgraphExec from,
                      const std::shared_ptr<const Child>& child, const Find& find);
  void end_capture(std::uint64_t capture, CUgraph graph);
  void add(CUgraph graph, Operation operation);
  void add_child(CUgraph graph, CUgraph from, const std::shared_ptr<const Child>& child,
                 const Find& find);
  // The node does something else from now on, in graphs or in one executable.
  void replace(CUgraphNode node, const Operations& operations);
  void replace(CUgraphExec exec, CUgraphNode node, const Operations& operations);
  void replace_child(CUgraphExec exec, CUgraph from, const std::shared_ptr<const Child>& child,
                     const Find& find);
  void enable(CUgraphExec exec, CUgraphNode node, bool enabled);
  void remove(CUgraphNode node);
  // The program has got hold of the child's own graph and may change it: kernels keep their numbers.
  void open_child(CUgraphNode node);
  void clone(CUgraph graph, CUgraph from, const Find& find);
  void instantiate(CUgraphExec exec, CUgraph graph, const Edges& edges);
  void update(CUgraphExec exec, CUgraph graph);  // nodes stay those of the first graph

  // False: it shall live on for what was made of it.
  bool forget(CUgraph graph);
  // The graph that can go with it.
  std::optional<CUgraph> forget(CUgraphExec exec);

  CUgraph graph_of(CUgraphExec exec) { return execs_[exec].graph; }
  Exec& of(CUgraphExec exec) { return execs_[exec]; }

 private:
  struct Graph {
    Operations operations;
    bool gone = false;  // the program does not have it any more
  };
  static void replace_in(Operations& in, CUgraphNode node, const Operations& by);
  static Operations of_child(const Operations& from, const std::shared_ptr<const Child>& child,
                             const Find& find);
  Operations taken(CUgraph graph);
  bool is_used(CUgraph graph) const;

  std::map<std::uint64_t, Operations> captures_;
  std::map<CUgraph, Graph> graphs_;
  std::map<CUgraphExec, Exec> execs_;
};

}  // namespace redflag::inject
