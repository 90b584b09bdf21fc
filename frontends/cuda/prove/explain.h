// Why an access may race for all that a proof knows, in words for people.
//
// Says the first reason that was found, of many that there may be: which other access it may meet, and, where its place is
// not known, the instruction that nothing is known of. Reads the kernel once more; launches do not wait for this.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "frontends/cuda/prove/loops.h"
#include "frontends/cuda/prove/prove.h"
#include "frontends/cuda/ptx/ir.h"

namespace redflag::prove {

class Explainer {
 public:
  // Where an instruction is, for people: "app.cu:12".
  using Place = std::function<std::string(std::uint32_t instruction)>;

  Explainer(const ptx::Module& module, const ptx::Function& kernel, Place place)
      : module_(module),
        kernel_(kernel),
        cfg_(module, kernel),
        loops_(cfg_),
        place_(std::move(place)) {}

  // Of an access that the answer says may race; one or two sentences without their end.
  std::string why(const Proof& proof, const Answer& answer, std::uint32_t access) const;
  std::string text(std::uint32_t instruction) const;  // on one line, without guard
  // The instruction from which on nothing is known of an address: a load, a remainder; nullopt: there is
  // none, or several.
  std::optional<std::uint32_t> culprit(const ptx::Operand& address, std::uint32_t at) const;

 private:
  std::string doubt(const Proof& proof, const Answer& answer, std::uint32_t access) const;

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  ptx::Cfg cfg_;
  Loops loops_;
  Place place_;
};

}  // namespace redflag::prove
