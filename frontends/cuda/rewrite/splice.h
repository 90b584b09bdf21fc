// Splicing: a small hook's body in place of its call, so that ptxas folds what is constant at the site
// (ptxas 13 itself does not inline a .func).
//
// The body stands in braces, and so do its registers; parameters become registers that are set in front,
// `ret` a branch to the end. Its local memory is one variable of the function that it is put into, for all
// hooks: no two of them run at once. Not for functions with shared variables or tables of branches of
// their own, nor with parameters that are read otherwise than whole.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontends/cuda/ptx/ir.h"

namespace redflag::rewrite {

inline constexpr char kDepot[] = "redflag_depot";

// A hook's body, ready to be put in.
struct Spliced {
  std::vector<std::string> pieces;  // between them stands the label of its end
  std::vector<std::uint32_t> bits;  // of its arguments
  std::uint64_t local_bytes = 0;    // of kDepot
};

// Whether it has at most so many instructions, and none that cannot be spliced.
bool can_splice(const ptx::Function& hook, std::uint32_t most);

// Labels of the hook get names that no program has. Once for each function, before it is printed.
void rename_labels(ptx::Module& module, ptx::Function& hook);

Spliced prepare(const ptx::Module& module, const ptx::Function& hook);

// Appends the body; `end` is a label that nobody else has.
void splice(const Spliced& hook, std::span<const std::string> arguments, const std::string& end,
            std::string& out);

}  // namespace redflag::rewrite
