#include "frontends/cuda/inject/kernel_node.h"

#include <cstring>

#include "frontends/cuda/inject/checker.h"

namespace redflag::inject {

KernelNode::KernelNode(const CUDA_KERNEL_NODE_PARAMS* given, bool first_version) {
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
  const Ticket ticket = checker.describe(kernel, function, shape);
  own_.sharedMemBytes = static_cast<unsigned>(ticket.shared);
  auto kept = std::make_shared<NodeParams>(own_, kernel, own_.kernelParams, own_.extra);
  kept->dynamic_shared = shape.dynamic_shared;
  kept->has_more_shared = ticket.shared != shape.dynamic_shared;
  operations_.push_back({nullptr, ticket.launch, std::move(kept)});
  longer_ = std::make_unique<Parameters>(kernel.code->parameters, kernel.code->launch_offset,
                                         ticket.value, own_.kernelParams, own_.extra);
  own_.kernelParams = longer_->params();
  own_.extra = longer_->extra();
}

}  // namespace redflag::inject
