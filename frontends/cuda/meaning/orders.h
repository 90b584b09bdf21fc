// PTX's words for order and scope in those of the model.
#pragma once

#include "core/model/ids.h"
#include "frontends/cuda/ptx/modifier.h"

namespace redflag::cuda {

constexpr Order order_of(ptx::Order order) {
  switch (order) {
    case ptx::Order::kRelaxed:
      return Order::kRelaxed;
    case ptx::Order::kAcquire:
      return Order::kAcquire;
    case ptx::Order::kRelease:
      return Order::kRelease;
    case ptx::Order::kAcqRel:
      return Order::kAcqRel;
    case ptx::Order::kSc:
      return Order::kSeqCst;
    default:
      return Order::kPlain;
  }
}

constexpr Scope scope_of(ptx::Scope scope, Scope otherwise) {
  switch (scope) {
    case ptx::Scope::kCta:
      return Scope::kBlock;
    case ptx::Scope::kCluster:
      return Scope::kCluster;
    case ptx::Scope::kGpu:
      return Scope::kDevice;
    case ptx::Scope::kSys:
      return Scope::kSystem;
    default:
      return otherwise;
  }
}

}  // namespace redflag::cuda
