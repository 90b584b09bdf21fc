// Forms of registers: what a thread computes, as sums over its numbers.
//
// A register with one definition has the form of that; one that a loop adds a term to in every turn has the form of
// its value before the loop, and the term times the turn. Everything else is not exact. Which pointers
// went into a sum is kept also where it is not exact. (Induction variables as in Aho, Lam, Sethi and Ullman,
// section 9.1; the idea of asking whether two threads meet at one place is that of PUG, Li and Gopalakrishnan 2010.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontends/cuda/prove/loops.h"
#include "frontends/cuda/prove/proof.h"
#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/ptx/parameters.h"

namespace redflag::prove {

class Forms {
 public:
  // Terms, checks and variables are added to `into` as they are met.
  Forms(const ptx::Module& module, const ptx::Function& function, const ptx::Cfg& cfg,
        const Loops& loops, Proof& into);

  // What an operand is, as instruction `at` reads it.
  Form of(const ptx::Operand& operand, std::uint32_t at);
  // Of an address [register + offset] or [symbol + offset].
  Form of_address(const ptx::Operand& address, std::uint32_t at);
  // The instruction that sets the register, where only one does and it comes before `at`; nullopt otherwise.
  std::optional<std::uint32_t> definition(ptx::RegId reg, std::uint32_t at) const;
  // A predicate that is the same for all threads, as a term; nullopt: it is not.
  std::optional<TermId> condition(const ptx::Operand& predicate, std::uint32_t at);
  // Whether an address is in it that the driver gives, of which the value is not known.
  bool has_system(const Form& form) const;
  // Whether something that the kernel was given in 64 bits is taken away in it: then it is no address.
  bool has_taken_away(const Form& form) const;
  Terms& terms() { return terms_; }
  const Terms& terms() const { return terms_; }

 private:
  struct Induction {
    Form first;
    TermId step = kZero;
    std::uint32_t add = 0;  // the instruction that goes on
    std::uint32_t loop = 0;
  };
  static constexpr Variable kSelf = 1U << 20;  // a register whose form is being found

  static bool has_open(const Form& form);
  bool is_taken_away(TermId pointer) const;
  TermId opposite(TermId pointer);
  bool is_way(const Form& form) const;
  static Form unknown(unsigned bits);
  Form number(std::int64_t value);
  Form term(TermId id);
  Form variable(Variable which);
  Form sum(const Form& a, const Form& b, bool subtract);
  Form scaled(const Form& form, TermId by);
  Form product(const Form& a, const Form& b);
  Form widened(const Form& form, bool is_signed);
  std::optional<TermId> as_term(const Form& form);
  bool dominates(std::uint32_t instruction, std::uint32_t other) const;

  Form of_register(ptx::RegId reg, std::uint32_t at);
  Form of_special(const ptx::Operand& operand);
  Form of_symbol(const ptx::Operand& operand);
  // Of a register of so many bits, as the instruction sets it.
  Form made_by(std::uint32_t definition, unsigned bits);
  Form of_many(ptx::RegId reg, std::uint32_t at);
  // The only definition whose value can be there, if it always is.
  std::optional<std::uint32_t> reaching(ptx::RegId reg, std::uint32_t at) const;
  bool reaches(std::uint32_t definition, std::uint32_t at,
               const std::vector<std::uint32_t>& definitions) const;
  // The thread's number in x divided by 32, or what is left of it; nullopt: it is not that.
  std::optional<Form> row_or_lane(const ptx::Instruction& from, std::uint32_t at);
  std::optional<Form> shifted_back(const ptx::Instruction& from, std::uint32_t at);
  bool is_thread_in_x(const Form& value) const;
  Form of_system();
  bool is_from_environment(const ptx::Operand& operand, std::uint32_t at) const;
  Form result(std::uint32_t instruction);
  Form parameter(const ptx::Instruction& from, unsigned into);
  Form computed(const ptx::Instruction& from, std::uint32_t at, TermOp op, unsigned bits,
                bool is_signed);
  const std::optional<Induction>& induction(ptx::RegId reg);
  std::optional<Induction> find_induction(ptx::RegId reg);
  bool begins_anew(const NaturalLoop& loop, std::uint32_t block) const;
  // Turns that were added already when `at` reads: 0 or 1; nullopt: it depends.
  std::optional<int> ahead(const Induction& of, std::uint32_t at) const;

  const ptx::Module& module_;
  const ptx::Function& function_;
  const ptx::Cfg& cfg_;
  const Loops& loops_;
  Proof& into_;
  std::vector<ptx::Place> places_;  // of parameters
  Terms terms_;
  std::vector<std::vector<std::uint32_t>> definitions_;  // by register
  std::vector<std::optional<Form>> known_;  // by register, of those with one definition
  std::vector<bool> is_open_;               // being found
  std::vector<int> open_in_;                // the loop whose step is being found; -1: none
  std::vector<std::optional<std::optional<Induction>>> inductions_;
  int depth_ = 0;
  std::uint32_t steps_ = 0;
};

}  // namespace redflag::prove
