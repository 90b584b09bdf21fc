// Loops of a function: blocks that a branch back can reach again.
//
// Natural loops: an edge to a block that dominates its source closes one; edges to one block make one loop.
// Code that jumps into the middle of a loop goes round where no loop is known: is_reducible() says whether there is any.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/cuda/ptx/cfg.h"

namespace redflag::prove {

struct NaturalLoop {
  std::uint32_t header = 0;
  std::vector<std::uint32_t> latches;  // blocks that go back
  std::vector<bool> has;               // by block
};

class Loops {
 public:
  explicit Loops(const ptx::Cfg& cfg);

  const std::vector<NaturalLoop>& all() const { return all_; }
  // The smallest that has the block; -1: none.
  int innermost(std::uint32_t block) const { return innermost_[block]; }
  bool dominates(std::uint32_t block, std::uint32_t other) const;  // or is the same
  // Whether every way round is one of these loops.
  bool is_reducible() const;
  // Whether execution can come from behind `from` to `to`, instructions of the loop, without beginning another turn.
  bool reaches_in_turn(const NaturalLoop& loop, std::uint32_t from, std::uint32_t to) const;

 private:
  const ptx::Cfg& cfg_;
  std::vector<NaturalLoop> all_;
  std::vector<int> innermost_;
};

}  // namespace redflag::prove
