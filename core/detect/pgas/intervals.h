// Intervals: memory cut into pieces that do not overlap, each with a value for all of its bytes.
//
// visit() cuts at both ends of what is visited, makes what was missing, and shows each piece between;
// look() shows only. What a phase's operations leave behind is kept so (races.cpp): a value is the list
// of accesses that touch the piece. UPC-Thrille keeps an interval skip list in its place (section 3.3;
// skip_intervals.h has the same interface): bench/run pgas-intervals compares the two.
//
// Cost: the logarithm of the pieces there are, and the pieces that are visited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace redflag::pgas {

template <typename Value>
class OrderedIntervals {
 public:
  // See(begin, end, Value&) for each piece of [begin, end), in order.
  template <typename See>
  void visit(std::uint64_t begin, std::uint64_t end, See see) {
    auto at = cut(begin);
    while (begin < end) {
      if (at == pieces_.end() || at->first > begin) {  // a gap
        const std::uint64_t stop = at == pieces_.end() || at->first > end ? end : at->first;
        at = pieces_.emplace_hint(at, begin, Piece{stop, Value{}});
      } else if (at->second.end > end) {
        divide(at, end);
      }
      see(begin, at->second.end, at->second.value);
      begin = at->second.end;
      ++at;
    }
  }
  // See(Value&) for each piece that [begin, end) has bytes of; none is cut or made.
  template <typename See>
  void look(std::uint64_t begin, std::uint64_t end, See see) {
    auto at = pieces_.lower_bound(begin);
    if (at != pieces_.begin() && std::prev(at)->second.end > begin) --at;
    for (; at != pieces_.end() && at->first < end; ++at) see(at->second.value);
  }
  void clear() { pieces_.clear(); }
  std::size_t size() const { return pieces_.size(); }

 private:
  struct Piece {
    std::uint64_t end;
    Value value;
  };
  using Pieces = std::map<std::uint64_t, Piece>;

  // The first piece that begins at `address` or behind; one that has it in its middle becomes two.
  typename Pieces::iterator cut(std::uint64_t address) {
    auto at = pieces_.lower_bound(address);
    if (at == pieces_.begin()) return at;
    const auto before = std::prev(at);
    return before->second.end > address ? divide(before, address) : at;
  }
  typename Pieces::iterator divide(typename Pieces::iterator piece, std::uint64_t address) {
    const auto behind = pieces_.emplace_hint(std::next(piece), address,
                                             Piece{piece->second.end, piece->second.value});
    piece->second.end = address;
    return behind;
  }

  Pieces pieces_;
};

}  // namespace redflag::pgas
