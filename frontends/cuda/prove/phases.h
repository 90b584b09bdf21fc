// Phases: which accesses of a block's threads no barrier keeps apart.
//
// If all threads of a block come to the same barriers in the same order, two of their accesses can be concurrent only if
// both lie behind one barrier (or the kernel's begin) with no other on the way. They do if no branch
// that decides whether a thread comes to a barrier depends on the thread: on its number, on memory, on other lanes.
// A branch whose one side ends the thread, with nothing told on the way, may depend on what it likes, if the thread has not
// accessed anything since the last barrier: nobody waits for it at the next one, which does not order what it did. Branches that do not
// depend on the thread are taken alike by all: two accesses on the two sides of one are never concurrent.
//
// A load of shared memory from one place for all threads gives all the same, if nobody writes there without a
// barrier between: the caller may trust in that, and must look afterwards whether it is so.
//
// Divergence as in LLVM's analysis: by data, and by control, of what several ways define.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "frontends/cuda/prove/loops.h"
#include "frontends/cuda/prove/proof.h"
#include "frontends/cuda/ptx/cfg.h"
#include "frontends/cuda/ptx/ir.h"

namespace redflag::prove {

enum class Role : std::uint8_t { kNone, kBarrier, kAccess };  // kBarrier: of the whole block

class Phases {
 public:
  // `roles`: of each instruction. `trusted`: whether it is a load that gives all threads the same if its
  // address is the same.
  // `of_grid`: barriers are of all blocks, and what is said of the threads of a block is said of those of the grid.
  Phases(const ptx::Function& function, const ptx::Cfg& cfg, const Loops& loops,
         const std::vector<Role>& roles, const std::vector<bool>& trusted, bool of_grid = false);

  // All threads of a block come to the same barriers; also if there are none.
  bool is_even() const { return is_even_; }
  struct Reached {
    std::uint32_t instruction = 0;
    std::vector<Turn> turns;  // by loop
  };
  // For each barrier, and the kernel's begin, and each way that all threads may take from there together: accesses that can come
  // before the next barrier. If barriers are not even: all accesses, as one phase.
  std::vector<std::vector<Reached>> all() const;

 private:
  void find_varying();
  bool is_varying_branch(std::uint32_t block) const;
  // Whether an access or a barrier can come, from the block's begin on; or just a barrier.
  bool reaches_something(std::uint32_t block, bool barriers_only = false) const;
  bool is_way_out(std::uint32_t block) const;
  bool leaves_unordered(std::uint32_t block) const;
  std::vector<bool> find_loose() const;
  bool reads_varying(const ptx::Operand& operand) const;
  bool makes_varying(std::uint32_t index) const;
  bool is_taken_alike(std::uint32_t block, const std::vector<Turn>& turns) const;
  using State = std::pair<std::uint32_t, std::vector<Turn>>;  // block, turns by loop
  using Choices = std::map<State, std::uint32_t>;
  // Accesses behind the start, with these branches taken so. Another branch that is taken alike: nothing is
  // returned but that.
  std::vector<Reached> explore(const State& start, std::uint32_t from, const Choices& choices,
                               std::optional<State>& open) const;
  void behind(const State& start, std::uint32_t from, Choices& choices,
              std::vector<std::vector<Reached>>& out, std::size_t most) const;

  const ptx::Function& function_;
  const ptx::Cfg& cfg_;
  const Loops& loops_;
  const std::vector<Role>& roles_;
  const std::vector<bool>& trusted_;
  bool of_grid_;
  std::vector<std::vector<std::uint32_t>> decides_;  // by block: those that depend on its branch
  std::vector<bool> is_divergent_;                   // by block
  std::vector<bool> varies_;                         // by register
  bool is_even_ = true;
};

}  // namespace redflag::prove
