// Graphs: what a launch of one will do, kept from when its nodes were made.
//
// Operations are told in the order in which they were added, in the stream of the launch: what branches
// of a graph could do at once is told as one after the other. So races between branches are not seen,
// and no order is made up between launches. Kernel nodes get a new launch number each time; for that
// the graph must live as long as what was made of it. Nodes of child graphs keep the number that they
// were made with. Copies and fills are kept when captured, not when added as nodes. One thread at a
// time.
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
#include "frontends/cuda/inject/node_params.h"

namespace redflag::inject {

class Graphs {
 public:
  struct Operation {
    CUgraphNode node = nullptr;  // nullptr: not known
    std::variant<gpu::Launch, gpu::HostStep> what;
    std::shared_ptr<const NodeParams> params{};  // of a launch; nullptr: it keeps its number
    bool launched = false;                       // with the number that it has
  };
  using Operations = std::vector<Operation>;

  void captured(std::uint64_t capture, Operation operation);
  void end_capture(std::uint64_t capture, CUgraph graph);
  void add(CUgraph graph, Operation operation);
  void add_child(CUgraph graph, CUgraph child);
  // The node does something else from now on, in graphs or in one executable.
  void replace(CUgraphNode node, const Operation& operation);
  void replace(CUgraphExec exec, CUgraphNode node, const Operation& operation);
  // `find`: the node of the clone that stands for one of the original.
  void clone(CUgraph graph, CUgraph from, const std::function<CUgraphNode(CUgraphNode)>& find);
  void instantiate(CUgraphExec exec, CUgraph graph);
  void update(CUgraphExec exec, CUgraph graph);  // nodes stay those of the first graph

  // False: it shall live on for what was made of it.
  bool forget(CUgraph graph);
  // The graph that can go with it.
  std::optional<CUgraph> forget(CUgraphExec exec);

  Operations& of(CUgraphExec exec) { return execs_[exec].operations; }

 private:
  struct Graph {
    Operations operations;
    bool gone = false;  // the program does not have it any more
  };
  struct Exec {
    CUgraph graph = nullptr;
    Operations operations;
  };
  static void replace_in(Operations& operations, const Operation& operation);
  bool is_used(CUgraph graph) const;

  std::map<std::uint64_t, Operations> captures_;
  std::map<CUgraph, Graph> graphs_;
  std::map<CUgraphExec, Exec> execs_;
};

}  // namespace redflag::inject
