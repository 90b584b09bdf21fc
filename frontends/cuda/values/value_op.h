// Value operations: what an instruction computes, for all lanes of a warp in one loop.
//
// Registers are laid out by lane: an array of 32 words, so that a converged warp's instruction is one
// vector loop. A value operation sees nothing but such arrays: it reads its sources, computes all
// lanes (or only the active ones where computing others would trap or be slow) and writes the active
// ones. Memory, control flow, votes and shuffles are not here (machine.h).
//
// Words: registers of up to 32 bits are uint32_t[32], a narrower value in the low bits, zero-extended;
// of 64 bits uint64_t[32]; of 128 bits uint64_t[64], low halves first. A predicate register is one
// uint32_t, bit k for lane k. An immediate is an array like the others, filled when the instruction is
// decoded. Vector operands ({a, b}) are taken apart by the caller: each part is a source of its own.
//
// Some properties of operands are the operation's: `!p`, `-r` and the parts .b0 to .h1 of video operands.
// The caller passes the whole register, plan_value_op has put the rest into `shift` and `constant`. The
// look-up table of lop3 is a source like the others, of 32 bits; the operation does not read it.
// A result may be the same register as a source, otherwise they do not overlap.
#pragma once

#include <cstdint>

#include "core/base/error.h"
#include "frontends/cuda/ptx/ir.h"

namespace redflag::cuda {

inline constexpr unsigned kMostSources =
    24;  // mma has the most: D, A, B and C are several registers each
inline constexpr unsigned kMostResults = 8;

struct ValueArgs {
  void* result
      [kMostResults];  // of D|p the predicate is result[1]; of vectors one each; nullptr: discarded
  const void* source[kMostSources];
  std::uint32_t* carry;  // the condition-code register: bit k for lane k
  std::uint32_t active;  // lanes to be written
  std::uint8_t results;
  std::uint8_t sources;
  std::uint16_t shift;  // a constant that decoding found, for whoever needs one
  std::uint32_t constant;
};

using ValueOp = void (*)(const ValueArgs& args);

// What the machine must know to lay out operands.
struct ValuePlan {
  ValueOp op = nullptr;
  std::uint16_t shift = 0;
  std::uint32_t constant = 0;
  // Bits of each source as the operation reads it, in the order of the flattened operands; 1: predicate.
  // An immediate is filled in at this width and, for floats, in this format.
  std::uint8_t source_bits[kMostSources] = {};
  std::uint8_t result_bits[kMostResults] = {};
};

// Is it a value operation at all (arithmetic, logic, comparison, conversion, move, mma)?
bool is_value_op(ptx::Op op);
// How to compute it. An error begins with the line, "12: ...", for the caller to put the file's name and a
// colon in front; it names the instruction and what is not supported.
Result<ValuePlan> plan_value_op(const ptx::Function& function, const ptx::Instruction& instruction);

}  // namespace redflag::cuda
