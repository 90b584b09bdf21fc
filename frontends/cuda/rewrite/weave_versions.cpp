// Weaver: versions of a kernel that tell less than all (versions.h).
//
// The plain one is printed as it was. In the lean one, accesses that its proof keeps quiet have no hook, barriers with
// nothing told before them neither, and what is left goes the cheapest way that can tell it: flat cells, direct
// cells, hot text, calls.
#include <algorithm>

#include "frontends/cuda/ptx/walk.h"
#include "frontends/cuda/rewrite/versions.h"
#include "frontends/cuda/rewrite/weave.h"

namespace redflag::rewrite {
namespace {

// Whether something is told of before instruction `at`, on a way from another barrier or the kernel's begin.
bool is_told_before(const ptx::Cfg& cfg, const std::vector<Plan>& plans,
                    const std::vector<Verdict>& verdicts, std::uint32_t at) {
  const auto is_told = [&](std::uint32_t i) {
    const Action action = plans[i].action;
    const bool is_untold = action == Action::kNone || action == Action::kPrivate ||
                           action == Action::kConstant || action == Action::kReturn ||
                           action == Action::kExit;
    return !is_untold && verdicts[i] == Verdict::kKeep;
  };
  const auto look = [&](std::uint32_t i) {
    if (plans[i].action == Action::kBarrier) return ptx::Step::kOver;
    return is_told(i) ? ptx::Step::kFound : ptx::Step::kOn;
  };
  return walk_back(cfg, cfg.block_of(at), at, look).has_found;
}

// How an atomic of which only the order matters is told. `atomicAdd(p, 0)` is a load then: nobody can see by the value
// that it has happened, so that who relied on what it publishes would race in an execution where it comes later.
device::What signal_of(device::What what, const ptx::Instruction& from) {
  using ptx::Operation;
  const Operation operation = from.modifiers.operation;
  const auto operands = from.operands();
  const bool keeps_with_zero =
      operation == Operation::kAdd || operation == Operation::kOr || operation == Operation::kXor;
  const bool adds_zero = from.op == ptx::Op::kAtom && keeps_with_zero && operands.size() > 2 &&
                         operands[2].kind == ptx::OperandKind::kImmediate && operands[2].value == 0;
  what.bytes = 0;
  if (adds_zero && what.order == Order::kRelaxed) what.deed = device::Deed::kAtomicLoad;
  return what;
}

}  // namespace

void Weaver::versions(const ptx::Function& function, bool is_hot, Kernel& kernel,
                      std::string& out) {
  const std::vector<ptx::Instruction>& all = function.body.instructions;
  kernel.has_plain = std::none_of(all.begin(), all.end(), [](const ptx::Instruction& each) {
    return each.flow() == ptx::Flow::kCall;  // of a function that has hooks
  });
  if (!kernel.has_plain) return;
  ptx::Function plain = function;
  const std::string name = name_of(kernel.name, Version::kPlain);
  plain.name = name;
  ptx::Printer(module_, out).function(plain);
  look_at(function);
  kernel.reads_textures = std::any_of(plans_.begin(), plans_.end(), [](const Plan& each) {
    return each.action == Action::kTexture;
  });
  kernel.proof = proof_of(module_, function, plans_, verdicts_).proof;
  if (kernel.proof.is_possible) lean(function, is_hot, kernel, out);
}

void Weaver::lean(const ptx::Function& function, bool is_hot, Kernel& kernel, std::string& out) {
  const Lean lean = lean_of(kernel.proof, function, kernel.places);
  if (!plan_lean(lean, function, plans_, is_hot, calls_.has_direct(), kernel)) return;
  for (std::size_t i = 0; i < lean.told.size(); ++i) {
    if (lean.told[i]) continue;
    const std::uint32_t at = kernel.proof.accesses[i].instruction;
    // What synchronises is told of, though not as an access.
    const bool is_signal = !is_hot && plans_[at].action == Action::kAtomic;
    if (is_signal) plans_[at].what = signal_of(plans_[at].what, function.body.instructions[at]);
    if (!is_signal) verdicts_[at] = Verdict::kQuiet;
  }
  // Launches in which they could race get the full version (choose()).
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    const Action action = plans_[i].action;
    if (action == Action::kTexture || action == Action::kSurface) verdicts_[i] = Verdict::kQuiet;
  }
  is_hot_ = is_hot && kernel.is_lean_shared;
  is_flat_ = kernel.is_lean_flat;
  is_lean_ = true;
  tracks_ = lean.is_within_block;
  flat_.set_first_site(static_cast<std::uint32_t>(into_.sites.size()));
  ptx::Function renamed = function;
  const std::string name = name_of(kernel.name, Version::kLean);
  renamed.name = name;
  leave_out_barriers(function);
  head(renamed, out);
  calls_.set_direct(kernel.is_lean_direct);
  spins_.clear();
  if (kernel.is_lean_direct) find_spins(function);
  body(function, out);  // places in the code have the program's name for it
  calls_.set_direct(false);
}

// A barrier that comes behind nothing but another one, as far as is told, orders nothing that is not ordered by that.
void Weaver::leave_out_barriers(const ptx::Function& function) {
  const ptx::Cfg cfg(module_, function);
  std::vector<std::uint32_t> untold;
  for (std::uint32_t i = 0; i < plans_.size(); ++i) {
    if (plans_[i].action != Action::kBarrier) continue;
    if (!is_told_before(cfg, plans_, verdicts_, i)) untold.push_back(i);
  }
  for (const std::uint32_t each : untold) plans_[each].action = Action::kNone;
}

void Weaver::find_spins(const ptx::Function& function) {
  spins_.find(module_, function, plans_, verdicts_, ends_sequences_);
  for (Spins::Spin& each : spins_.all()) {
    const std::uint32_t at = each.instruction;
    each.site = std::to_string(add_site(function, function.body.instructions[at]));
    each.what = packed(atomic_what(plans_[at]));
  }
}

std::string Weaver::met(const ptx::Function& function, std::uint32_t index) {
  if (!tracks_ || is_met_[index]) return {};
  Lines lines(module_, function, function.body.instructions[index]);
  std::string text;
  if (is_flat_) flat_.count(text);
  if (is_hot_) Hot::count(text);
  if (!is_hot_ && !is_flat_) calls_.call(text, device::Hook::kMet, {});
  const std::string told = guarded(lines, text);
  return "{\n" + lines.declarations + lines.setup + told + "}\n";
}

}  // namespace redflag::rewrite
