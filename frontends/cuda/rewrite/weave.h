// Weaver: a function with its hooks, as text.
//
// Each instruction that has hooks stands inside braces together with them:
//
//   { registers; addresses and values; [branch around] calls before; the instruction; calls after }
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/cuda/ptx/debug_strings.h"
#include "frontends/cuda/ptx/printer.h"
#include "frontends/cuda/rewrite/calls.h"
#include "frontends/cuda/rewrite/flat.h"
#include "frontends/cuda/rewrite/hot.h"
#include "frontends/cuda/rewrite/lines.h"
#include "frontends/cuda/rewrite/plan.h"
#include "frontends/cuda/rewrite/prune.h"
#include "frontends/cuda/rewrite/ranges.h"
#include "frontends/cuda/rewrite/rewrite.h"
#include "frontends/cuda/rewrite/roots.h"
#include "frontends/cuda/rewrite/spins.h"

namespace redflag::rewrite {

inline constexpr char kLaunchParameter[] = "redflag_launch";

class Weaver {
 public:
  // `ends_sequences`: kernels.h
  Weaver(const ptx::Module& module, const Options& options, bool ends_sequences, Calls& calls,
         Rewritten& into)
      : module_(module),
        ends_sequences_(ends_sequences),
        prunes_(options.prune),
        large_blocks_(options.large_blocks),
        strings_(module),
        calls_(calls),
        hot_(calls),
        flat_(calls),
        spins_(calls),
        into_(into) {}

  // Appends the whole function. `is_hot`: a kernel that synchronises by barriers alone (hot.h).
  void function(const ptx::Function& function, bool is_hot, std::string& out);
  // Appends the versions of a kernel that tell less (versions.h), and says which in `kernel`.
  void versions(const ptx::Function& function, bool is_hot, Kernel& kernel, std::string& out);

 private:
  // The text around one instruction.
  struct Around {
    Lines lines;
    std::string site;
    std::string before, after;  // calls
    std::string replaced;       // the instruction, where it is not printed as it is
  };

  void head(const ptx::Function& function, std::string& out) const;
  // All behind the head, of what plans_ and verdicts_ say.
  void body(const ptx::Function& function, std::string& out);
  // The lean version, if it would tell less; weave_versions.cpp
  void lean(const ptx::Function& function, bool is_hot, Kernel& kernel, std::string& out);
  void leave_out_barriers(const ptx::Function& function);
  void find_spins(const ptx::Function& function);
  // Lanes have met at an access that is not told of.
  std::string met(const ptx::Function& function, std::uint32_t index);
  // What is told of each instruction.
  void look_at(const ptx::Function& function);
  // `body`: what comes behind it.
  void begin(const ptx::Function& function, const std::string& body, std::string& out);
  // weave_roots.cpp
  void find_roots(const ptx::Function& function);
  void begin_with_roots(const ptx::Function& function, std::string& out);
  // A predicate for each root: it is quiet.
  void take_quiet_roots(const std::string& body, std::string& out);
  // What a hot kernel uses, and how it ends.
  void look_ahead(const ptx::Function& function);
  bool is_in_range(std::uint32_t index) const;
  // What is told in front of a loop, behind this instruction.
  void tell_ranges(const ptx::Function& function, std::uint32_t index, std::string& out);
  // A branch over what is told of an access, where its root is quiet; empty: there is none.
  std::string skip_quiet(std::uint32_t index, Lines& lines, const std::string& to);
  void end(const ptx::Function& function, std::string& out);
  void instruction(const ptx::Function& function, const Plan& plan, Verdict verdict,
                   std::uint32_t index, ptx::Printer& printer, std::string& out);
  // Whether it needs no hook.
  bool is_silent(const ptx::Instruction& from, const Plan& plan, Verdict verdict);
  void hooks(const ptx::Function& function, std::uint32_t index, const Plan& plan, Around& around);
  // weave_memory.cpp
  void memory(const ptx::Instruction& from, const Plan& plan, Around& around);
  void atomic(const ptx::Function& function, std::uint32_t index, const Plan& plan, Around& around);
  device::What atomic_what(const Plan& plan) const;
  void heap(const ptx::Instruction& from, const Plan& plan, Around& around);
  // weave_barriers.cpp
  void barrier(const ptx::Instruction& from, const Plan& plan, Around& around);
  void mbarrier(const ptx::Instruction& from, const Plan& plan, Around& around);
  // weave_matrix.cpp
  void matrix(const Plan& plan, Around& around);
  void fragment(const ptx::Instruction& from, const Plan& plan, Around& around);
  // weave_images.cpp
  void image(const ptx::Instruction& from, const Plan& plan, Around& around);
  // weave_async.cpp
  void copy(const ptx::Instruction& from, const Plan& plan, Around& around);
  void async_store(const Plan& plan, Around& around);
  void async_control(const ptx::Instruction& from, const Plan& plan, Around& around);

  std::uint32_t add_site(const ptx::Function& function, const ptx::Instruction& from);
  std::string label() { return "$redflag_" + std::to_string(labels_++); }
  // The calls behind a branch that the guard's other lanes take.
  std::string guarded(Lines& lines, const std::string& calls);

  const ptx::Module& module_;
  const bool ends_sequences_;
  bool prunes_;
  bool large_blocks_;
  ptx::DebugStrings strings_;
  Calls& calls_;
  Hot hot_;
  Flat flat_;
  Spins spins_;
  // The present function.
  bool is_hot_ = false;
  bool is_flat_ = false;           // stores to global memory are told by flat cells
  bool is_lean_ = false;           // tells only of a part
  bool tracks_ = true;             // which lanes of a warp have met
  std::vector<Plan> plans_;        // by instruction
  std::vector<Verdict> verdicts_;  //
  Roots roots_;
  std::vector<Range> ranges_;
  std::uint32_t uses_ = 0;      // device::HotUses
  bool ends_together_ = false;  // no thread ends before another's last barrier
  std::vector<bool> is_met_;    // by instruction: its lanes are told of again (is_met_again)
  Rewritten& into_;
  std::uint64_t labels_ = 0;
};

std::string packed(const device::What& what);

}  // namespace redflag::rewrite
