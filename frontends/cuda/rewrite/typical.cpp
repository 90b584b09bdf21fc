#include "frontends/cuda/rewrite/typical.h"

#include <algorithm>
#include <cstring>

namespace redflag::rewrite {
namespace {

// Whether an address begins with the parameter: what is given in 64 bits and used otherwise is a number.
bool is_pointer(const prove::Proof& proof, const Place& place) {
  const auto is_here = [&](prove::TermId each) {
    const prove::Term& term = proof.terms[each];
    return term.op == prove::TermOp::kParameter && term.value == place.offset;
  };
  const auto& all = proof.accesses;
  return std::any_of(all.begin(), all.end(), [&](const prove::Access& each) {
    const std::vector<prove::TermId>& pointers = each.address.pointers;
    return std::any_of(pointers.begin(), pointers.end(), is_here);
  });
}

}  // namespace

Assumed typical_launch(const prove::Proof& proof, const ptx::Function& kernel,
                       const std::vector<Place>& places) {
  constexpr std::uint32_t kThreads[3][3] = {{128, 1, 1}, {16, 8, 1}, {8, 4, 4}};
  constexpr std::uint32_t kBlocks = 8, kAnyNumber = 4096;
  bool has_threads[3] = {true, false, false}, has_blocks[3] = {true, false, false};
  for (const ptx::Instruction& each : kernel.body.instructions) {
    for (const ptx::Operand& operand : each.operands()) {
      if (operand.kind != ptx::OperandKind::kSpecial) continue;
      const auto axis =
          static_cast<unsigned>(operand.component) - static_cast<unsigned>(ptx::Component::kX);
      if (axis > 2) continue;
      if (operand.special() == ptx::Special::kTid) has_threads[axis] = true;
      if (operand.special() == ptx::Special::kCtaid) has_blocks[axis] = true;
    }
  }
  Assumed made;
  const unsigned axes = has_threads[2] ? 2 : has_threads[1] ? 1 : 0;
  for (unsigned i = 0; i < 3; ++i) {
    made.sizes.threads[i] = kThreads[axes][i];
    made.sizes.blocks[i] = has_blocks[i] ? kBlocks : 1;
  }
  std::uint64_t next = 0;
  made.parameters.resize(places.empty() ? 0 : places.back().end());
  for (const Place& each : places) {
    const bool leads = each.bytes == 8 && (!proof.is_possible || is_pointer(proof, each));
    const std::uint64_t value = leads ? assumed_address(++next) : kAnyNumber;
    if (each.bytes <= 8) std::memcpy(made.parameters.data() + each.offset, &value, each.bytes);
  }
  while (made.variables.size() < proof.variables.size()) {
    made.variables.push_back(assumed_address(++next));
  }
  return made;
}

}  // namespace redflag::rewrite
