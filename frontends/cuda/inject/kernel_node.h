// A kernel node's parameters with ours behind them, and the launch that they describe.
#pragma once

#include <memory>

#include "frontends/cuda/inject/graphs.h"
#include "frontends/cuda/inject/parameters.h"

namespace redflag::inject {

class KernelNode {
 public:
  // Takes the checker's lock. `first_version`: of the structure.
  KernelNode(const CUDA_KERNEL_NODE_PARAMS* given, bool first_version);

  const CUDA_KERNEL_NODE_PARAMS* params() const { return &own_; }
  // One launch, or nothing where the kernel is not checked.
  const Graphs::Operations& operations() const { return operations_; }

 private:
  CUDA_KERNEL_NODE_PARAMS own_{};
  Graphs::Operations operations_;
  std::unique_ptr<Parameters> longer_;
};

}  // namespace redflag::inject
