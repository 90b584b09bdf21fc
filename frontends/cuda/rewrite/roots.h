// Roots: which of a kernel's pointers each access of global memory begins with.
//
// A kernel gets pointers as parameters, or names variables of its module, and adds numbers to them.
// Where every access of a kernel has such a root, memory that it only reads, or only changes by atomics
// of device scope, cannot race in it, unless two roots point into one allocation. That is asked
// when the kernel runs (device/compact_roots.h); then the accesses of all roots that are alone need nothing
// more. What is loaded from memory, comes from a call, or is computed otherwise may point anywhere:
// if it is written to, or written through, nothing is left out.
//
// Of the order of instructions nothing is asked, as in origins.h. Not followed: addresses outside of the
// allocation that their root points into.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/rewrite/plan.h"
#include "frontends/cuda/rewrite/prune.h"

namespace redflag::rewrite {

struct Root {
  ptx::SymbolKind kind = ptx::SymbolKind::kLocal;  // a parameter, or a variable of the module
  std::uint32_t index = 0;
  std::int64_t offset = 0;  // of a parameter that is a structure
  std::uint32_t deeds = 0;  // device::RootDeed of all accesses

  bool is_same(const Root& other) const {
    return kind == other.kind && index == other.index && offset == other.offset;
  }
};

class Roots {
 public:
  Roots() = default;  // of a function in which nothing is left out
  Roots(const ptx::Module& module, const ptx::Function& function, const std::vector<Plan>& plans,
        const std::vector<Verdict>& verdicts);

  static constexpr int kNone = -1;
  // The root that says whether the instruction is told of; kNone: it is.
  int of(std::uint32_t instruction) const {
    return instruction < of_.size() ? of_[instruction] : kNone;
  }
  // Empty: nothing can be left out.
  const std::vector<Root>& all() const { return roots_; }
  // device::kRootDeedBits for each.
  std::uint32_t deeds() const;

 private:
  std::vector<Root> roots_;
  std::vector<int> of_;  // by instruction
};

}  // namespace redflag::rewrite
