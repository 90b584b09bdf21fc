// Opcodes: one table says what each instruction is made of and what it does to memory.
//
// opcodes.inc is the table; this header turns it into an enum and rows. The parser checks operands
// and modifiers against it, the printer takes names from it, and whoever runs or rewrites PTX asks
// it which operands are read, written or addresses. An instruction that is not in the table, or not
// in a form of it, is Op::kUnknown: kept word for word and reported by those who must understand it.
// The table describes shapes, not types: PTX that ptxas would refuse may pass here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "frontends/cuda/ptx/modifier.h"

namespace redflag::ptx {

enum class Op : std::uint16_t {
  kUnknown,
#define OP(name, ...) k##name,
#include "frontends/cuda/ptx/opcodes.inc"
#undef OP
};

// What an instruction does to memory, or to the order of accesses.
enum class Effect : std::uint8_t {
  kNone,
  kLoad,
  kStore,
  kAtomic,     // read-modify-write that gives the old value
  kReduction,  // the same without it
  kFence,
  kBarrier,
  kCollective,  // exchanges values in a warp; no memory, but lanes meet
  kMbarrier,    // an operation on an mbarrier object in shared memory
  kAsyncCopy,
  kAsyncStore,
  kAsyncReduction,
  kAsyncControl,  // commits to, or waits for, asynchronous work
  kAsyncMatrix,
  kMatrixLoad,  // a warp loads or stores together
  kMatrixStore,
  kTexture,
  kSurfaceLoad,
  kSurfaceStore,
  kSurfaceReduction,
  kPrefetch,        // names memory without accessing its data
  kGridDependency,  // orders grids
};

enum class Flow : std::uint8_t { kNone, kBranch, kBranchTable, kCall, kReturn, kExit, kTrap };

// What an operand is for: the letters of opcodes.inc.
enum class Role : std::uint8_t {
  kOther,
  kDestination,
  kSource,
  kPredicate,
  kRead,
  kWritten,
  kModified,
  kMbarrier,
  kNamed,
  kTexture,
  kTarget,
};

struct OpInfo {
  std::string_view name;
  std::string_view operands;  // see opcodes.inc
  Effect effect;
  Flow flow;
  ModClasses modifiers;  // the classes that may follow
};

const OpInfo& info(Op op);
// The opcode whose name is exactly this, for making instructions; kUnknown: none.
Op find_op(std::string_view name);

// Matching word by word: the row for a whole name so far, and whether longer names begin so.
struct OpPrefix {
  Op op = Op::kUnknown;
  bool longer = false;
};
OpPrefix find_op_prefix(std::string_view name);

// Whether the opcode takes a comparison, which decides what .lo and .hi mean.
bool compares(Op op);

}  // namespace redflag::ptx
