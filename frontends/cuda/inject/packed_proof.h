// Proofs as bytes (core/base/packing.h), and whether one that was read can be asked.
#pragma once

#include "frontends/cuda/prove/proof.h"

namespace redflag::inject {

// All numbers of terms, checks, guards, loops, accesses and variables are of ones that it has, and widths
// are some that there are: prove::noisy() looks at nothing else without asking.
bool is_sound(const prove::Proof& proof);

template <typename Io>
void visit(Io& io, prove::Form& form) {
  io.flag(form.is_exact);
  io.flag(form.is_wild);
  io.number(form.symbol);
  io.number(form.constant);
  io.list(form.parts, [&](prove::Part& part) {
    io.number(part.variable);
    io.number(part.by);
  });
  io.list(form.pointers, [&](prove::TermId& id) { io.number(id); });
  io.list(form.checks, [&](std::uint32_t& check) { io.number(check); });
}

template <typename Io>
void visit(Io& io, prove::Comparison& comparison) {
  visit(io, comparison.left);
  visit(io, comparison.right);
  io.choice(comparison.relation, prove::Relation::kNotEqual);
  io.flag(comparison.is_signed);
  io.flag(comparison.is_narrow);
}

template <typename Io>
void visit(Io& io, prove::Turn& turn) {
  io.choice(turn.since, prove::Turn::Since::kEntry);
  io.number(turn.count);
}

template <typename Io>
void visit(Io& io, prove::Proof& proof) {
  io.flag(proof.is_possible);
  io.list(proof.terms, [&](prove::Term& term) {
    io.choice(term.op, prove::TermOp::kSelect);
    io.number(term.bits);
    io.flag(term.is_signed);
    io.number(term.a);
    io.number(term.b);
    io.number(term.c);
    io.number(term.value);
  });
  io.list(proof.variables, [&](std::string& name) { io.text(name); });
  io.list(proof.checks, [&](prove::Check& check) {
    visit(io, check.narrow);
    io.flag(check.is_signed);
  });
  io.list(proof.guards, [&](prove::Comparison& guard) { visit(io, guard); });
  io.list(proof.loops, [&](prove::Loop& loop) {
    io.list(loop.bounds, [&](prove::Bound& bound) {
      visit(io, bound.first);
      io.number(bound.step);
    });
  });
  io.list(proof.accesses, [&](prove::Access& access) {
    io.number(access.instruction);
    io.choice(access.memory, prove::Memory::kAny);
    io.number(access.bytes);
    io.flag(access.writes);
    io.flag(access.is_atomic);
    io.flag(access.is_narrow);
    visit(io, access.address);
    io.list(access.guards, [&](std::uint32_t& guard) { io.number(guard); });
  });
  io.flag(proof.has_grid_barriers);
  for (std::vector<prove::Together>* pairs : {&proof.together, &proof.across}) {
    io.list(*pairs, [&](prove::Together& pair) {
      io.number(pair.first);
      io.number(pair.second);
      io.list(pair.ties, [&](prove::Tie& tie) {
        io.number(tie.loop);
        visit(io, tie.first);
        visit(io, tie.second);
      });
    });
  }
}

}  // namespace redflag::inject
