// PTX's types and comparisons of whole numbers, in the words of proofs.
#pragma once

#include <optional>

#include "frontends/cuda/prove/proof.h"
#include "frontends/cuda/ptx/ir.h"

namespace redflag::prove {

struct Kind {
  bool is_whole = false;  // one whole number, not several packed
  bool is_signed = false;
  unsigned bits = 0;
};
Kind kind_of(ptx::Type type);

// A setp that compares two whole numbers of 32 or 64 bits, and does nothing else with the result.
struct Test {
  Relation relation = Relation::kLess;
  Kind kind;
};
std::optional<Test> test_of(const ptx::Instruction& from);

Relation opposite(Relation relation);

}  // namespace redflag::prove
