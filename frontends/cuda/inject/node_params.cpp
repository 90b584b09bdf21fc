#include "frontends/cuda/inject/node_params.h"

#include <algorithm>
#include <cstring>

#include "frontends/cuda/inject/parameters.h"
#include "frontends/cuda/inject/real.h"

namespace redflag::inject {
namespace {

bool place_of(const CUDA_KERNEL_NODE_PARAMS& shape, std::size_t index, std::size_t& offset,
              std::size_t& size) {
  if (shape.func != nullptr) {
    return real(Fn::k_cuFuncGetParamInfo, shape.func, index, &offset, &size) == kSuccess;
  }
  return real(Fn::k_cuKernelGetParamInfo, shape.kern, index, &offset, &size) == kSuccess;
}

}  // namespace

NodeParams::NodeParams(const CUDA_KERNEL_NODE_PARAMS& shape, const Kernel& kernel, void** params,
                       void** extra)
    : shape_(shape),
      offset_(kernel.code->launch_offset),
      block_(kernel.code->launch_offset + sizeof(std::uint64_t)) {
  const rewrite::Kernel& code = *kernel.code;
  // Launches take kernels of libraries for functions; nodes tell them apart.
  CUfunction function = nullptr;
  if (kernel.of_library && shape_.func != nullptr) {
    shape_.kern = reinterpret_cast<CUkernel>(shape_.func);
    if (real(Fn::k_cuKernelGetFunction, &function, shape_.kern) == kSuccess) {
      shape_.func = function;
      shape_.kern = nullptr;
    } else {
      shape_.func = nullptr;
    }
  }
  if (extra != nullptr) {
    const Parameters longer(code.parameters, code.launch_offset, 0, params, extra);
    block_ = longer.block();
    return;
  }
  for (std::size_t i = 0; i < code.parameters; ++i) {
    std::size_t offset = 0;
    std::size_t size = 0;
    if (params == nullptr || !place_of(shape_, i, offset, size) || offset + size > offset_) {
      block_.clear();
      return;
    }
    std::memcpy(block_.data() + offset, params[i], size);
  }
}

CUresult NodeParams::with(
    std::uint64_t value, const std::function<CUresult(const CUDA_KERNEL_NODE_PARAMS*)>& set) const {
  if (block_.empty()) return kErrorNotFound;
  std::vector<std::byte> block = block_;
  std::memcpy(block.data() + offset_, &value, sizeof(value));
  std::size_t size = block.size();
  void* words[] = {reinterpret_cast<void*>(kParamBufferPointer), block.data(),
                   reinterpret_cast<void*>(kParamBufferSize), &size, nullptr};
  CUDA_KERNEL_NODE_PARAMS given = shape_;
  given.kernelParams = nullptr;
  given.extra = words;
  return set(&given);
}

CUresult NodeParams::set(CUgraphExec exec, CUgraphNode node, std::uint64_t value) const {
  if (node == nullptr) return kErrorNotFound;
  return with(value, [&](const CUDA_KERNEL_NODE_PARAMS* all) {
    const bool is_new = real_address(Fn::k_cuGraphExecKernelNodeSetParams_v2) != nullptr;
    return real(
        is_new ? Fn::k_cuGraphExecKernelNodeSetParams_v2 : Fn::k_cuGraphExecKernelNodeSetParams,
        exec, node, all);
  });
}

CUresult NodeParams::set(CUgraphNode node, std::uint64_t value) const {
  if (node == nullptr) return kErrorNotFound;
  return with(value, [&](const CUDA_KERNEL_NODE_PARAMS* all) {
    const bool is_new = real_address(Fn::k_cuGraphKernelNodeSetParams_v2) != nullptr;
    return real(is_new ? Fn::k_cuGraphKernelNodeSetParams_v2 : Fn::k_cuGraphKernelNodeSetParams,
                node, all);
  });
}

}  // namespace redflag::inject
