// Proofs of small kernels, as the rewriter makes them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "frontends/cuda/prove/prove.h"
#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/rewrite/versions.h"

namespace redflag::prove::testing {

inline ptx::Module parsed(const std::string& text) {
  Result<ptx::Module> module = ptx::parse("test.ptx", text);
  EXPECT_TRUE(module) << (module ? "" : module.error().message) << "\n" << text;
  return module ? std::move(*module) : ptx::Module{};
}

// Of the module's first kernel.
inline Proof proof_of(const ptx::Module& module) {
  const ptx::Function& kernel = module.functions.at(0);
  const rewrite::Mentions mentions(kernel);
  std::vector<rewrite::Plan> plans;
  for (const ptx::Instruction& each : kernel.body.instructions) {
    plans.push_back(rewrite::plan(module, kernel, mentions, each));
  }
  return rewrite::proof_of(module, kernel, plans, rewrite::prune(module, kernel, plans));
}

// By .loc; where there is none, in the PTX.
inline std::uint32_t line_of(const ptx::Module& module, const Access& access) {
  const ptx::Body& body = module.functions.at(0).body;
  const ptx::Instruction& from = body.instructions[access.instruction];
  return from.location == ptx::LocationId::kNone ? from.line
                                                 : body.locations[ptx::raw(from.location)].line;
}
// Lines of accesses that may race.
inline std::set<std::uint32_t> lines_of(const ptx::Module& module, const Proof& proof,
                                        const std::vector<bool>& noisy) {
  std::set<std::uint32_t> out;
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    if (noisy[i]) out.insert(line_of(module, proof.accesses[i]));
  }
  return out;
}

}  // namespace redflag::prove::testing
