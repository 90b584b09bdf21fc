// From the parameters of graph nodes to operations: for those who add nodes and those who change them.
#pragma once

#include "frontends/cuda/cudart/api.h"

namespace redflag::cudart {

template <typename Body>
Error with_graph(const void* caller, Graph* graph, Body body) {
  return call(caller, [&](Runtime& runtime) {
    return runtime.graphs.contains(graph) ? body(runtime, *graph) : Error::kInvalidValue;
  });
}

inline Error kernel_op(Runtime& runtime, const KernelNodeParams& params, LaunchOp& launch) {
  if (params.extra != nullptr) return Error::kNotSupported;
  const LaunchRequest request{params.func,         params.grid, params.block, {},
                              params.shared_bytes, false,       params.params};
  return prepare(runtime, request, launch);
}

inline FillOp fill_op(const MemsetParams& p) {
  return {.to = {number(p.dst), p.pitch, p.pitch * p.height},
          .box = {p.width * p.element_size, p.height, 1},
          .value = p.value,
          .element = p.element_size};
}

inline Error flat_copy(Runtime& runtime, void* to, const void* from, std::size_t size,
                       CopyKind kind, CopyOp& copy) {
  Memcpy3DParms parms{};
  parms.src_ptr = {const_cast<void*>(from), size, size, 1};
  parms.dst_ptr = {to, size, size, 1};
  parms.extent = {size, 1, 1};
  parms.kind = kind;
  return prepare(runtime, parms, copy);
}

}  // namespace redflag::cudart
