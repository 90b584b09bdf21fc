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

// Of kernel k.
inline Proof proof_of(const ptx::Module& module) {
  const ptx::Function& kernel = *module.find_function("k");
  const rewrite::Mentions mentions(kernel);
  std::vector<rewrite::Plan> plans;
  for (const ptx::Instruction& each : kernel.body.instructions) {
    plans.push_back(rewrite::plan(module, kernel, mentions, each));
  }
  return rewrite::proof_of(module, kernel, plans, rewrite::prune(module, kernel, plans)).proof;
}

// By .loc; where there is none, in the PTX.
inline std::uint32_t line_of(const ptx::Module& module, const Access& access) {
  const ptx::Body& body = module.find_function("k")->body;
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

// k(u64 a, u64 b, s32 n, u32 m, u64 w), with what kernels begin with: %t thread, %c block, %d threads of
// a block, %g number in the grid; %at and %bt are a and b with 4 * %g added, %one with 4 * %t.
inline std::string kernel(const std::string& body, const std::string& before = "") {
  return ".version 8.5\n.target sm_90\n.address_size 64\n" + before +
         ".shared .align 16 .b8 one[4096];\n.shared .align 16 .b8 two[4096];\n"
         ".extern .shared .align 16 .b8 three[];\n.extern .shared .align 16 .b8 four[];\n"
         ".visible .entry k(.param .u64 a, .param .u64 b, .param .s32 n, .param .u32 m, "
         ".param .u64 w)\n{\n"
         ".reg .pred %p<20>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %l<40>; .reg .f32 %f<9>; "
         ".reg .b64 %a, %b, %w, %at, %bt, %wide; .reg .b32 %n, %m, %t, %u, %c, %d, %g, %one, "
         "%base, "
         "%four;\n"
         "ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.s32 %n, [n]; ld.param.u32 %m, [m]; "
         "ld.param.u64 %w, [w];\nmov.u32 %t, %tid.x; mov.u32 %u, %tid.y; mov.u32 %c, %ctaid.x; "
         "mov.u32 %d, %ntid.x; mad.lo.s32 %g, %c, %d, %t; mul.wide.s32 %wide, %g, 4; "
         "add.s64 %at, %a, %wide; add.s64 %bt, %b, %wide; shl.b32 %four, %t, 2; mov.u32 %base, "
         "one; "
         "add.s32 %one, %base, %four;\n" +
         body + "\nret;\n}\n";
}

struct Launched {
  std::uint32_t threads = 32, blocks = 2, threads_y = 1;
  std::int32_t n = 4;
  std::uint32_t m = 8;
  std::uint64_t w = 16;
  std::uint64_t a = 0x10000000, b = 0x20000000;  // a megabyte each
};
inline Answer answer_of(const Proof& proof, const Launched& launch) {
  std::vector<std::byte> parameters(32);
  std::memcpy(&parameters[0], &launch.a, 8);
  std::memcpy(&parameters[8], &launch.b, 8);
  std::memcpy(&parameters[16], &launch.n, 4);
  std::memcpy(&parameters[20], &launch.m, 4);
  std::memcpy(&parameters[24], &launch.w, 8);
  Facts facts;
  facts.sizes.threads[0] = launch.threads;
  facts.sizes.threads[1] = launch.threads_y;
  facts.sizes.blocks[0] = launch.blocks;
  facts.parameters = parameters;
  const std::vector<std::uint64_t> variables(proof.variables.size(), 0x30000000);
  facts.variables = variables;
  return ask(proof, facts, [](std::uint64_t at) -> std::uint64_t {
    const std::uint64_t block = at >> 20;
    return block == 0x100 || block == 0x200 || block == 0x300 ? block : 0;
  });
}
inline std::vector<bool> noisy_of(const Proof& proof, const Launched& launch) {
  return answer_of(proof, launch).noisy;
}
// For each access in order: told of or quiet, 't' or 'q'; "none" without a proof.
inline std::string told(const std::string& body, const Launched& launch = {},
                        const std::string& before = "") {
  const ptx::Module module = parsed(kernel(body, before));
  const Proof proof = proof_of(module);
  if (!proof.is_possible) return "none";
  std::string out;
  for (const bool each : noisy_of(proof, launch)) out += each ? 't' : 'q';
  return out;
}

}  // namespace redflag::prove::testing
