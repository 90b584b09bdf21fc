#include "core/live/contexts.h"

namespace redflag::live {

void Contexts::init(Arena& arena) {
  buckets_ = static_cast<std::atomic<std::uint32_t>*>(
      arena.map(kBuckets * sizeof(std::atomic<std::uint32_t>)));
  const std::uint32_t cut = nodes_.take(arena);
  static_assert(kCut == 1);
  nodes_[cut] = {0, kRoot, 0};
  count_.store(2, std::memory_order_release);
}

std::uint32_t Contexts::child(Arena& arena, std::uint32_t parent, std::uint64_t pc) {
  std::atomic<std::uint32_t>& bucket = buckets_[hash(parent, pc)];
  std::uint32_t head = bucket.load(std::memory_order_acquire);
  for (std::uint32_t i = head; i != 0; i = nodes_[i].next) {
    const Node& n = nodes_[i];
    if (n.pc == pc && n.parent == parent) return i;
  }
  if (parent != kCut && count_.load(std::memory_order_relaxed) >= kMost) {
    return child(arena, kCut, pc);
  }
  const std::uint32_t made = nodes_.take(arena);
  Node& n = nodes_[made];
  n.pc = pc;
  n.parent = parent;
  for (;;) {
    n.next = head;
    if (bucket.compare_exchange_weak(head, made, std::memory_order_acq_rel)) break;
    // Somebody linked another node first: perhaps this very one. Ours is then wasted, once.
    for (std::uint32_t i = head; i != 0; i = nodes_[i].next) {
      if (nodes_[i].pc == pc && nodes_[i].parent == parent) return i;
    }
  }
  count_.fetch_add(1, std::memory_order_acq_rel);
  return made;
}

std::uint32_t Contexts::number_slow(Arena& arena, Frame* bottom, Frame* top) {
  Frame* f = top;
  while (f > bottom && f[-1].node == 0) --f;
  std::uint32_t node = f == bottom ? kRoot : f[-1].node;
  for (; f < top; ++f) {
    node = child(arena, node, f->pc);
    f->node = node;
  }
  return node;
}

std::uint32_t Contexts::stack(std::uint32_t id, std::uint64_t* pcs, std::uint32_t room) {
  std::uint32_t n = 0;
  for (; id > kCut && n < room; id = nodes_[id].parent) pcs[n++] = nodes_[id].pc;
  return n;
}

}  // namespace redflag::live
