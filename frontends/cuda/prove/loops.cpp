#include "frontends/cuda/prove/loops.h"

#include <algorithm>

namespace redflag::prove {

bool Loops::dominates(std::uint32_t block, std::uint32_t other) const {
  for (std::uint32_t at = other;;) {
    if (at == block) return true;
    const ptx::BlockId up = cfg_.blocks()[at].dominator;
    if (up == ptx::BlockId::kNone) return false;
    at = ptx::raw(up);
  }
}

Loops::Loops(const ptx::Cfg& cfg) : cfg_(cfg), innermost_(cfg.blocks().size(), -1) {
  const std::vector<ptx::Block>& blocks = cfg.blocks();
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    for (const ptx::BlockId to : blocks[i].successors) {
      const std::uint32_t header = ptx::raw(to);
      if (!dominates(header, i)) continue;
      auto at = std::find_if(all_.begin(), all_.end(),
                             [&](const NaturalLoop& each) { return each.header == header; });
      if (at == all_.end()) {
        at = all_.insert(all_.end(), {header, {}, std::vector<bool>(blocks.size())});
        at->has[header] = true;
      }
      at->latches.push_back(i);
      std::vector<std::uint32_t> open{i};
      while (!open.empty()) {
        const std::uint32_t block = open.back();
        open.pop_back();
        if (at->has[block]) continue;
        at->has[block] = true;
        for (const ptx::BlockId from : blocks[block].predecessors) open.push_back(ptx::raw(from));
      }
    }
  }
  const auto size = [](const NaturalLoop& loop) {
    return std::count(loop.has.begin(), loop.has.end(), true);
  };
  for (std::size_t i = 0; i < all_.size(); ++i) {
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      int& best = innermost_[block];
      if (!all_[i].has[block]) continue;
      if (best < 0 || size(all_[i]) < size(all_[static_cast<std::size_t>(best)])) {
        best = static_cast<int>(i);
      }
    }
  }
}

bool Loops::is_reducible() const {
  // Without the branches that close loops nothing may come round: blocks go when all that leads to them has.
  const std::vector<ptx::Block>& blocks = cfg_.blocks();
  std::vector<std::uint32_t> waits(blocks.size()), open;
  const auto each_forward = [&](std::uint32_t from, auto&& what) {
    for (const ptx::BlockId to : blocks[from].successors) {
      if (!dominates(ptx::raw(to), from)) what(ptx::raw(to));
    }
  };
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    each_forward(i, [&](std::uint32_t to) { ++waits[to]; });
  }
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    if (waits[i] == 0) open.push_back(i);
  }
  std::size_t gone = 0;
  for (; !open.empty(); ++gone) {
    const std::uint32_t block = open.back();
    open.pop_back();
    each_forward(block, [&](std::uint32_t to) {
      if (--waits[to] == 0) open.push_back(to);
    });
  }
  return gone == blocks.size();
}

bool Loops::reaches_in_turn(const NaturalLoop& loop, std::uint32_t from, std::uint32_t to) const {
  const std::uint32_t begin = ptx::raw(cfg_.block_of(from)), end = ptx::raw(cfg_.block_of(to));
  if (begin == end && from < to) return true;
  std::vector<bool> seen(cfg_.blocks().size());
  std::vector<std::uint32_t> open{begin};
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    for (const ptx::BlockId each : cfg_.blocks()[block].successors) {
      const std::uint32_t next = ptx::raw(each);
      if (next == loop.header || !loop.has[next] || seen[next]) continue;
      if (next == end) return true;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return false;
}

}  // namespace redflag::prove
