// What the driver knows of a graph: its edges, and copies of it.
#pragma once

#include "frontends/cuda/inject/graphs.h"

namespace redflag::inject {

// Empty where the driver does not say.
Edges edges_of(CUgraph graph);

// A child graph, copied: ours to change.
class CopiedChild {
 public:
  // `node`: of the parent, `graph`: what was given for it.
  CopiedChild(CUgraphNode node, CUgraph graph);

  const std::shared_ptr<const Child>& child() const { return child_; }
  Graphs::Find find() const;

 private:
  std::shared_ptr<const Child> child_;
};

}  // namespace redflag::inject
