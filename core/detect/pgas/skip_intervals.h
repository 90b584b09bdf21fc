// Intervals in a skip list, as UPC-Thrille keeps them (section 3.3, after Hanson's interval skip lists).
//
// The same interface as OrderedIntervals, and the same pieces; what is different is how the first of
// them is found. A node has a random height, and at each height a list that leaves out the lower ones:
// a search goes along the highest, then down. It needs no rebalancing, which is why the paper's threads
// could share one. bench/run pgas-intervals has the measurements of the paper's figures 2 and 3 for both;
// the detector uses the other.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace redflag::pgas {

template <typename Value>
class SkipIntervals {
 public:
  // See(begin, end, Value&) for each piece of [begin, end), in order.
  template <typename See>
  void visit(std::uint64_t begin, std::uint64_t end, See see) {
    Path path = search(begin);
    if (Node* const before = path[0]; before != &head_ && before->end > begin) {
      divide(before, begin, path);
    }
    while (begin < end) {
      Node* node = path[0]->next[0];
      if (node == nullptr || node->begin > begin) {  // a gap
        node =
            insert(begin, node == nullptr || node->begin > end ? end : node->begin, Value{}, path);
      } else if (node->end > end) {
        Path behind = path;
        step(behind, node);
        divide(node, end, behind);
      }
      see(begin, node->end, node->value);
      begin = node->end;
      step(path, node);
    }
  }
  // See(Value&) for each piece that [begin, end) has bytes of; none is cut or made.
  template <typename See>
  void look(std::uint64_t begin, std::uint64_t end, See see) {
    Node* at = search(begin)[0];
    if (at == &head_ || at->end <= begin) at = at->next[0];
    for (; at != nullptr && at->begin < end; at = at->next[0]) see(at->value);
  }
  void clear() {
    nodes_.clear();
    head_.next.fill(nullptr);
  }
  std::size_t size() const { return nodes_.size(); }

 private:
  static constexpr std::size_t kHeight = 20;
  struct Node {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    Value value{};
    std::size_t height = kHeight;
    std::array<Node*, kHeight> next{};
  };
  // At each height, the last node before a place.
  using Path = std::array<Node*, kHeight>;

  Path search(std::uint64_t address) {
    Path path;
    Node* at = &head_;
    for (std::size_t h = kHeight; h-- > 0;) {
      while (at->next[h] != nullptr && at->next[h]->begin < address) at = at->next[h];
      path[h] = at;
    }
    return path;
  }
  static void step(Path& path, Node* over) {
    for (std::size_t h = 0; h < over->height; ++h) path[h] = over;
  }
  Node* insert(std::uint64_t begin, std::uint64_t end, Value value, const Path& path) {
    Node* const node = nodes_.emplace_back(std::make_unique<Node>()).get();
    node->begin = begin;
    node->end = end;
    node->value = std::move(value);
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    // A quarter of the nodes of each height have the next.
    node->height = 1 + static_cast<std::size_t>(std::countr_one(random_ >> 33 | 1U << 31)) / 2;
    if (node->height > kHeight) node->height = kHeight;
    for (std::size_t h = 0; h < node->height; ++h) {
      node->next[h] = path[h]->next[h];
      path[h]->next[h] = node;
    }
    return node;
  }
  // `path` leads behind the node.
  void divide(Node* node, std::uint64_t address, Path& path) {
    insert(address, node->end, node->value, path);
    node->end = address;
  }

  Node head_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::uint64_t random_ = 1;
};

}  // namespace redflag::pgas
