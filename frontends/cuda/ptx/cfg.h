// The control flow graph of a function: basic blocks, dominators and post-dominators.
//
// A branch's threads meet again, at the latest, at the immediate post-dominator of its block: that is
// where the emulator reconverges a warp by default. Blocks are split at labels that a branch names and
// behind branches, returns, exits and traps, guarded or not. Calls do not end a block unless the
// callee never returns. Loops without a way out are given an edge to the exit from their innermost
// last block, for the post-dominators alone, so that branches inside them reconverge too.
// Dominators by Lengauer and Tarjan's algorithm (1979), without recursion: n log n.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/cuda/ptx/ir.h"

namespace redflag::ptx {

enum class BlockId : std::uint32_t { kNone = 0xffffffff };

struct Block {
  std::uint32_t begin = 0;  // instructions [begin, end)
  std::uint32_t end = 0;
  bool leaves = false;              // may end the function: return, exit, trap, or runs off the end
  std::vector<BlockId> successors;  // each once; the fall-through first
  std::vector<BlockId> predecessors;
  BlockId dominator = BlockId::kNone;       // kNone: the first block, or never reached
  BlockId post_dominator = BlockId::kNone;  // kNone: threads meet only at the function's end
};

class Cfg {
 public:
  Cfg(const Module& module, const Function& function);

  const std::vector<Block>& blocks() const { return blocks_; }
  const Block& block(BlockId id) const { return blocks_[raw(id)]; }
  BlockId block_of(std::uint32_t instruction) const { return block_of_[instruction]; }
  // The instruction where the threads that a branch parted meet again; the number of instructions
  // when that is the end of the function.
  std::uint32_t reconvergence(std::uint32_t branch) const;

 private:
  void split(const Module& module, const Function& function);
  void connect(const Module& module, const Function& function);
  void dominate();
  void post_dominate();

  std::vector<Block> blocks_;
  std::vector<BlockId> block_of_;
};

// For people: one line per block.
std::string describe(const Function& function, const Cfg& cfg);

// Immediate dominators of the nodes reachable from `root`; kNoNode for the root and for the others.
inline constexpr std::uint32_t kNoNode = 0xffffffff;
std::vector<std::uint32_t> immediate_dominators(
    const std::vector<std::vector<std::uint32_t>>& successors, std::uint32_t root);

}  // namespace redflag::ptx
