// Origins: which registers hold generic addresses of memory that no two threads share.
//
// A register is private (or constant) if each of its definitions is: the generic address of a local variable or
// of a parameter (of a constant), a copy of such a register, or a sum of one and of a number. What
// else is computed from such an address, as the difference of two, is not followed: nothing is known of it,
// nor of what it is added to. Of the order of instructions nothing is asked, so loops need no care.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/cuda/ptx/ir.h"

namespace redflag::rewrite {

enum class Origin : std::uint8_t {
  kUnseen,    // no definition was looked at so far
  kNumber,    // nothing is known: an integer, or an address of memory that threads share
  kPrivate,   //
  kConstant,  //
  kMixed,     // computed from one of the two above in a way that is not followed
};

class Origins {
 public:
  explicit Origins(const ptx::Function& function);
  Origin of(ptx::RegId reg) const { return origin_[ptx::raw(reg)]; }

 private:
  Origin of(const ptx::Operand& operand) const;
  Origin result(const ptx::Instruction& instruction) const;
  void forget(const ptx::Operand& operand);
  bool define(const ptx::Operand& operand, Origin origin);

  std::vector<Origin> origin_;
};

}  // namespace redflag::rewrite
