// Lines: the PTX text that stands around one instruction, while it is made.
//
// Everything is inside braces of its own: registers are declared there, so that no name meets one of the
// program. What hooks get is computed in front of the instruction, guarded or not, since
// arithmetic harms nobody; the calls are what a guard leaves out. A register that the instruction
// overwrites, and that is needed behind it, is copied.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/ptx/printer.h"

namespace redflag::rewrite {

class Lines {
 public:
  Lines(const ptx::Module& module, const ptx::Function& function,
        const ptx::Instruction& instruction);

  std::string setup;  // in front of the instruction, whatever the guard says
  std::string declarations;

  // A new register of .b64, .b32, .b16 or .pred.
  std::string make(ptx::Type type);
  void line(std::string_view text) { append(setup, text); }
  static void append(std::string& to, std::string_view text) { (to += text) += "\n"; }

  // The address as a register of 64 bits, of the space that the instruction means.
  std::string address(const ptx::Operand& operand);
  // The same of 32 bits, of shared memory.
  std::string narrow(const ptx::Operand& operand);
  // The same as a generic address, whatever the space.
  std::string generic(const ptx::Operand& operand, ptx::Space space);
  // The first 8 bytes of what is stored: elements of so many bytes.
  std::string value(const ptx::Operand& data, std::uint32_t element);
  // An operand of 32 bits: a register or a number.
  std::string word(const ptx::Operand& operand);
  // The operand as written, as a register that stays as it is.
  std::string stable(const ptx::Operand& operand);
  std::string text(const ptx::Operand& operand) const;
  // The guard with its '@', inverted for a branch around; empty: not guarded.
  std::string skip_guard();
  std::string guard();

  unsigned bits(const ptx::Operand& operand) const;
  bool writes(ptx::RegId reg) const;

 private:
  std::string guard_register();
  std::string piece(const ptx::Operand& part, std::uint32_t element);
  std::uint64_t literal(const ptx::Operand& operand, std::uint32_t element) const;

  const ptx::Module& module_;
  const ptx::Function& function_;
  const ptx::Instruction& instruction_;
  std::vector<ptx::RegId> written_;
  std::string guard_copy_;
  unsigned made_ = 0;
};

}  // namespace redflag::rewrite
