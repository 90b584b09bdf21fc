// Contexts: calling contexts as 32-bit numbers, made only when one is needed.
//
// A thread's calls are an array: instrumented functions push their return address on entry and pop
// it on exit, nothing more. When an access is worth remembering, the frames that are not numbered
// yet get numbers: nodes (parent, pc) of one tree for the whole process, found by hashing. So equal
// stacks are one number, a number leads to the whole stack for ever, and functions that touch
// nothing new never cost more than two stores.
//
// The tree only grows. At kMost nodes new contexts are cut short: they keep their innermost call
// and have kCut as its caller. Lock-free: a node is complete before it is linked.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/live/pool.h"

namespace redflag::live {

struct Frame {
  std::uint64_t pc;
  std::uint32_t node;  // 0: not numbered yet
  std::uint32_t unused;
};
static_assert(sizeof(Frame) == 16);

class Contexts {
 public:
  static constexpr std::uint32_t kRoot = 0;
  static constexpr std::uint32_t kCut = 1;  // "and callers that are no longer known"
  static constexpr std::uint32_t kMost = 1U << 23;

  struct Node {
    std::uint64_t pc;
    std::uint32_t parent;
    std::uint32_t next;  // in its hash chain
  };
  static_assert(sizeof(Node) == 16);

  void init(Arena& arena);
  // The number of `pc` called from `parent`.
  std::uint32_t child(Arena& arena, std::uint32_t parent, std::uint64_t pc);
  // Numbers the frames [bottom, top) and returns the innermost one's number.
  std::uint32_t number(Arena& arena, Frame* bottom, Frame* top) {
    if (top <= bottom) return kRoot;
    if (top[-1].node != 0) [[likely]]
      return top[-1].node;
    return number_slow(arena, bottom, top);
  }
  const Node& node(std::uint32_t id) { return nodes_[id]; }
  // Numbers are below this; a few of them may be nobody's.
  std::uint32_t end() const { return nodes_.end(); }
  // The program counters from innermost out; how many there are, at most `room`.
  std::uint32_t stack(std::uint32_t id, std::uint64_t* pcs, std::uint32_t room);

 private:
  static constexpr std::uint32_t kBuckets = 1U << 16;
  static constexpr unsigned kChunkShift = 14;
  std::uint32_t number_slow(Arena& arena, Frame* bottom, Frame* top);
  static std::uint32_t hash(std::uint32_t parent, std::uint64_t pc) {
    std::uint64_t h = (pc ^ std::uint64_t{parent} << 32) * 0x9e3779b97f4a7c15U;
    return static_cast<std::uint32_t>(h >> 48);
  }

  std::atomic<std::uint32_t>* buckets_ = nullptr;
  std::atomic<std::uint32_t> count_{0};
  IndexedPool<Node, kChunkShift, 24> nodes_;
};

}  // namespace redflag::live
