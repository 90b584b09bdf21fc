#include "frontends/cuda/rewrite/origins.h"

#include <algorithm>

namespace redflag::rewrite {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Space;

namespace {

bool is_address(Origin origin) {
  return origin == Origin::kPrivate || origin == Origin::kConstant;
}

// What two ways to the same register have in common.
Origin meet(Origin a, Origin b) {
  if (a == b || b == Origin::kUnseen) return a;
  if (a == Origin::kUnseen) return b;
  return is_address(a) || is_address(b) || a == Origin::kMixed || b == Origin::kMixed
             ? Origin::kMixed
             : Origin::kNumber;
}

Origin sum(Origin a, Origin b) {
  if (a == Origin::kUnseen || b == Origin::kUnseen) return Origin::kUnseen;
  if (a == Origin::kNumber) return b;
  return b == Origin::kNumber ? a : Origin::kMixed;
}

Origin of_space(Space space) {
  switch (space) {
    case Space::kLocal:
    case Space::kParam:
    case Space::kParamEntry:
    case Space::kParamFunc:
      return Origin::kPrivate;
    case Space::kConst:
      return Origin::kConstant;
    default:
      return Origin::kNumber;
  }
}

}  // namespace

Origins::Origins(const ptx::Function& function)
    : origin_(function.body.registers.size(), Origin::kNumber) {
  for (const Instruction& each : function.body.instructions) {
    for (std::size_t i = 0; i < each.operands().size(); ++i) {
      if (role_of(each, i) == ptx::Role::kDestination) forget(each.operands()[i]);
    }
  }
  for (const ptx::Variable& each : function.variables) {  // what the caller gives
    if (each.reg != ptx::RegId::kNone) origin_[ptx::raw(each.reg)] = Origin::kNumber;
  }
  for (bool again = true; again;) {
    again = false;
    for (const Instruction& each : function.body.instructions) {
      const auto operands = each.operands();
      for (std::size_t i = 0; i < operands.size(); ++i) {
        if (role_of(each, i) != ptx::Role::kDestination) continue;
        const Origin origin = result(each);
        // Halves and parts of vectors hold no addresses.
        const bool whole = operands[i].is_register() &&
                           operands[i].component == ptx::Component::kNone &&
                           ptx::info(function.body.registers[operands[i].index].type).bits == 64;
        again =
            define(operands[i], whole || !is_address(origin) ? origin : Origin::kMixed) || again;
      }
    }
  }
  for (Origin& each : origin_) each = each == Origin::kUnseen ? Origin::kNumber : each;
}

void Origins::forget(const Operand& operand) {
  if (operand.is_register()) origin_[operand.index] = Origin::kUnseen;
  for (const Operand& part : operand.parts()) forget(part);
}

bool Origins::define(const Operand& operand, Origin origin) {
  bool changed = false;
  if (operand.is_register()) {
    Origin& known = origin_[operand.index];
    const Origin now = meet(known, origin);
    changed = now != known;
    known = now;
  }
  for (const Operand& part : operand.parts()) changed = define(part, origin) || changed;
  return changed;
}

Origin Origins::of(const Operand& operand) const {
  if (operand.is_register()) return origin_[operand.index];
  Origin all = Origin::kNumber;
  for (const Operand& part : operand.parts()) {
    const Origin one = of(part);
    if (one != Origin::kNumber) all = one == Origin::kUnseen ? all : Origin::kMixed;
  }
  return all;
}

Origin Origins::result(const Instruction& from) const {
  const auto operands = from.operands();
  switch (from.op) {
    case Op::kCvta:  // to a space: no generic address any more, and only used in that space
      return from.has(ptx::Mod::kTo) ? Origin::kMixed : of_space(from.modifiers.space);
    case Op::kMov:
      return of(operands[1]);
    case Op::kAdd:
      return sum(of(operands[1]), of(operands[2]));
    case Op::kSub:
      if (of(operands[2]) == Origin::kNumber) return of(operands[1]);
      break;
    case Op::kSelp:
      return meet(of(operands[1]), of(operands[2]));
    case Op::kMad:
      if (of(operands[1]) == Origin::kNumber && of(operands[2]) == Origin::kNumber) {
        return of(operands[3]);
      }
      break;
    case Op::kLd:
    case Op::kLdu:
    case Op::kAtom:
    case Op::kCall:
      return Origin::kNumber;
    default:
      break;
  }
  // An operation that is not followed: a number only if it had nothing but numbers.
  bool unseen = false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (role_of(from, i) == ptx::Role::kDestination) continue;
    const Origin one = of(operands[i]);
    if (one == Origin::kMixed || is_address(one)) return Origin::kMixed;
    unseen = unseen || one == Origin::kUnseen;
  }
  return unseen ? Origin::kUnseen : Origin::kNumber;
}

}  // namespace redflag::rewrite
