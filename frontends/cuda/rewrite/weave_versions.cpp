// Versions of a kernel that tell less than all (versions.h).
#include <algorithm>

#include "frontends/cuda/rewrite/versions.h"
#include "frontends/cuda/rewrite/weave.h"

namespace redflag::rewrite {

void Weaver::versions(const ptx::Function& function, bool /*is_hot*/, Kernel& kernel,
                      std::string& out) {
  look_at(function);
  kernel.proof = proof_of(module_, function, plans_, verdicts_);
  if (!kernel.proof.is_possible) return;
  ptx::Function plain = function;
  const std::string name = name_of(kernel.name, Version::kPlain);
  plain.name = name;
  ptx::Printer(module_, out).function(plain);
}

}  // namespace redflag::rewrite
