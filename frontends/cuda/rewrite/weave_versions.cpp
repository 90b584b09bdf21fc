// Versions of a kernel that tell less than all (versions.h).
#include <algorithm>

#include "core/detect/gpu/compact/flat.h"
#include "frontends/cuda/rewrite/versions.h"
#include "frontends/cuda/rewrite/weave.h"

namespace redflag::rewrite {

void Weaver::versions(const ptx::Function& function, bool is_hot, Kernel& kernel,
                      std::string& out) {
  look_at(function);
  kernel.proof = proof_of(module_, function, plans_, verdicts_);
  if (!kernel.proof.is_possible) return;
  ptx::Function plain = function;
  const std::string name = name_of(kernel.name, Version::kPlain);
  plain.name = name;
  ptx::Printer(module_, out).function(plain);
  lean(function, is_hot, kernel, out);
}

void Weaver::lean(const ptx::Function& function, bool is_hot, Kernel& kernel, std::string& out) {
  const std::vector<prove::Access>& accesses = kernel.proof.accesses;
  const Lean lean = lean_of(kernel.proof, function, kernel.places);
  const auto count = std::count(lean.told.begin(), lean.told.end(), true);
  // Nothing to tell.
  if (count == 0) return;
  bool is_flat = is_hot, has_shared = false;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const std::uint32_t at = accesses[i].instruction;
    if (!lean.told[i]) {
      // What synchronises is told of, though not as an access.
      const bool is_signal = !is_hot && plans_[at].action == Action::kAtomic;
      if (is_signal) plans_[at].what.bytes = 0;
      if (!is_signal) verdicts_[at] = Verdict::kQuiet;
    } else if (accesses[i].memory == prove::Memory::kShared) {
      has_shared = true;
    } else {
      is_flat = is_flat && Flat::can_tell(plans_[at]);
    }
  }
  is_flat = is_flat && function.body.instructions.size() < gpu::compact::Flat::kMostSites;
  // Nothing to leave out, and no cheaper way to tell.
  if (!is_flat && count == static_cast<std::ptrdiff_t>(lean.told.size())) return;
  is_hot_ = is_hot && (has_shared || !is_flat);
  is_flat_ = is_flat;
  is_lean_ = true;
  tracks_ = lean.is_within_block;
  flat_.set_first_site(static_cast<std::uint32_t>(into_.sites.size()));
  kernel.lean = lean.told;
  kernel.is_lean_within_block = tracks_;
  kernel.is_lean_flat = is_flat;
  ptx::Function renamed = function;
  const std::string name = name_of(kernel.name, Version::kLean);
  renamed.name = name;
  head(renamed, out);
  body(renamed, out);
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
