// Mentions: who reads the result of an atomic, as the emulator's decoder decides it.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/cuda/ptx/ir.h"

namespace redflag::rewrite {

// How often each register of a function is mentioned: who reads the result of an atomic.
class Mentions {
 public:
  explicit Mentions(const ptx::Function& function);
  bool is_taken(const ptx::Operand& result) const;

 private:
  std::vector<std::uint32_t> count_;
};

}  // namespace redflag::rewrite
