// Instructions that are not emulated, each with the reason: a kernel that reaches one is refused before it
// runs. Every other opcode of frontends/cuda/ptx/opcodes.inc has a handler or is a value operation;
// instructions_test.cpp goes through all of them.
#pragma once

#include <string_view>

#include "frontends/cuda/ptx/opcode.h"

namespace redflag::cuda {

struct UnsupportedOp {
  ptx::Op op;
  std::string_view why;
};

inline constexpr std::string_view kNoTensors = "tensor-map copies are not emulated";
inline constexpr std::string_view kNoMultimem =
    "multimem (memory of several devices) is not emulated";
inline constexpr std::string_view kNoWgmma =
    "wgmma (matrix products of warpgroups, sm_90a) is not emulated";
inline constexpr std::string_view kNoTcgen05 = "tcgen05 (tensor memory, sm_100a) is not emulated";
inline constexpr std::string_view kNoLaunchControl =
    "clusterlaunchcontrol (cancelling clusters, sm_100) is not emulated";

inline constexpr UnsupportedOp kUnsupportedOps[] = {
    {ptx::Op::kStBulk, "st.bulk (bulk fill of shared memory, sm_100) is not emulated"},
    {ptx::Op::kMultimemLdReduce, kNoMultimem},
    {ptx::Op::kMultimemSt, kNoMultimem},
    {ptx::Op::kMultimemRed, kNoMultimem},
    {ptx::Op::kMultimemCpAsyncBulk, kNoMultimem},
    {ptx::Op::kMultimemCpReduceAsyncBulk, kNoMultimem},
    {ptx::Op::kCpAsyncBulkTensor, kNoTensors},
    {ptx::Op::kCpReduceAsyncBulkTensor, kNoTensors},
    {ptx::Op::kTensormapReplace, kNoTensors},
    {ptx::Op::kTensormapCpFenceproxy, kNoTensors},
    {ptx::Op::kIstypep, "istypep (queries of an object's type) is not emulated"},
    {ptx::Op::kWgmmaFence, kNoWgmma},
    {ptx::Op::kWgmmaCommitGroup, kNoWgmma},
    {ptx::Op::kWgmmaWaitGroup, kNoWgmma},
    {ptx::Op::kWgmmaMmaAsync, kNoWgmma},
    {ptx::Op::kTcgen05Alloc, kNoTcgen05},
    {ptx::Op::kTcgen05Dealloc, kNoTcgen05},
    {ptx::Op::kTcgen05Relinquish, kNoTcgen05},
    {ptx::Op::kTcgen05Ld, kNoTcgen05},
    {ptx::Op::kTcgen05St, kNoTcgen05},
    {ptx::Op::kTcgen05WaitLd, kNoTcgen05},
    {ptx::Op::kTcgen05WaitSt, kNoTcgen05},
    {ptx::Op::kTcgen05Cp, kNoTcgen05},
    {ptx::Op::kTcgen05Shift, kNoTcgen05},
    {ptx::Op::kTcgen05Mma, kNoTcgen05},
    {ptx::Op::kTcgen05MmaWs, kNoTcgen05},
    {ptx::Op::kTcgen05Commit, kNoTcgen05},
    {ptx::Op::kTcgen05FenceBefore, kNoTcgen05},
    {ptx::Op::kTcgen05FenceAfter, kNoTcgen05},
    {ptx::Op::kClusterlaunchcontrolTryCancel, kNoLaunchControl},
    {ptx::Op::kClusterlaunchcontrolQueryCancel, kNoLaunchControl},
};

// Empty: it is emulated.
constexpr std::string_view why_unsupported_op(ptx::Op op) {
  for (const UnsupportedOp& each : kUnsupportedOps) {
    if (each.op == op) return each.why;
  }
  return {};
}

}  // namespace redflag::cuda
