// Plan: what an instruction must tell the runtime, before any text is made of it.
//
// The same reading of an instruction as the emulator's decoder has (frontends/cuda/emulate/decode_*.cpp),
// in the words of frontends/cuda/device/abi.h. Tensor maps, the matrix units that read shared memory by themselves, and textures
// that are no objects are not told: their kernels are checked without these accesses, and untold() names them.
#pragma once

#include <cstdint>
#include <string_view>

#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/rewrite/mentions.h"

namespace redflag::rewrite {

enum class Action : std::uint8_t {
  kNone,
  kPrivate,         // accesses memory of the thread alone
  kConstant,        // reads memory that no kernel writes
  kLoad,            // weak
  kStore,           //
  kDiscard,         // a store of 128 bytes that nobody knows
  kAtomic,          // ld and st that are volatile or have an order, atom, red
  kMatrix,          // ldmatrix, stmatrix: rows of 16 bytes by the first lanes
  kFragment,        // wmma.load, wmma.store: a 32nd of a matrix by each lane
  kTexture,         // tex, tld4
  kSurface,         // suld, sust, sured
  kFence,           //
  kWarpSync,        //
  kBarrier,         // arrives and waits
  kBarrierArrive,   //
  kClusterArrive,   //
  kClusterPass,     //
  kMbarrierInit,    //
  kMbarrierInval,   //
  kMbarrierArrive,  // or expects, or completes bytes
  kMbarrierWait,    //
  kAsyncCopy,       // cp.async, cp.async.bulk
  kAsyncStore,      // st.async
  kAsyncReduce,     // red.async
  kAsyncCommit,     //
  kAsyncWait,       //
  kAsyncArrive,     //
  kMalloc,          // what takes the result of malloc (heap.h)
  kFree,            // what gives free its argument
  kReturn,          // ends the thread in a kernel
  kExit,            // ends the thread
};

struct Plan {
  Action action = Action::kNone;
  device::What what;
  device::ImageHow how;  // of textures and surfaces
  const ptx::Operand* address =
      nullptr;  // that is accessed, or of the object; of an image: handle and coordinates
  const ptx::Operand* source = nullptr;    // of a copy
  const ptx::Operand* gate = nullptr;      // the mbarrier of a copy
  const ptx::Operand* data = nullptr;      // what is stored; bytes of malloc, address of free
  const ptx::Instruction* call = nullptr;  // of malloc or free
  ptx::Space space = ptx::Space::kNone;  // of `address`; that of a named variable, if it is generic
};

Plan plan(const ptx::Module& module, const ptx::Function& function, const Mentions& mentions,
          const ptx::Instruction& instruction);

// The same of a texture's or surface's instruction (plan_image.cpp).
Plan plan_image(const ptx::Instruction& from);

// Whether the plan is of an instruction that accesses memory of its own accord.
bool is_access(Action action);

// What the instruction does to memory that nobody is told of; empty: nothing.
std::string_view untold(const ptx::Instruction& instruction);
// An instruction that is not known, and by its name could order threads.
bool is_unknown_order(const ptx::Instruction& instruction);

}  // namespace redflag::rewrite
