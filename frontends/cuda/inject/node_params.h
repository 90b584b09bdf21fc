// Parameters of a kernel node, kept so that each launch of its graph can have a number of its own.
//
// The values are copied when the node is made, as the driver copies them. Needs cuFuncGetParamInfo
// (CUDA 12.4) where the program gave pointers: without it a node keeps its first number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "frontends/cuda/inject/driver.h"
#include "frontends/cuda/inject/modules.h"

namespace redflag::inject {

class NodeParams {
 public:
  // `shape`: function, sizes and shared memory; its parameters are not looked at.
  NodeParams(const CUDA_KERNEL_NODE_PARAMS& shape, const Kernel& kernel, void** params,
             void** extra);

  // Gives the node of the executable graph this value of the added parameter.
  CUresult set(CUgraphExec exec, CUgraphNode node, std::uint64_t value) const;
  // The same for a node of a graph.
  CUresult set(CUgraphNode node, std::uint64_t value) const;
  std::uint64_t dynamic_shared = 0;  // as the program gave it
  bool has_more_shared = false;

 private:
  CUresult with(std::uint64_t value,
                const std::function<CUresult(const CUDA_KERNEL_NODE_PARAMS*)>& set) const;

  CUDA_KERNEL_NODE_PARAMS shape_;
  std::uint32_t offset_;
  std::vector<std::byte> block_;  // empty: the values are not known
};

}  // namespace redflag::inject
