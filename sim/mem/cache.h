// Cache: one set-associative array of lines, each with a payload of the user's choice.
//
// The payload is what a level keeps per line: coherence state, sharers, metadata. What a hit or a miss
// means is the user's business; the cache finds lines, makes room and remembers uses
// (replacement.h). It knows addresses only: no data is kept. Addresses are of bytes; any byte of a
// line names it, and victims come back as the address of their first byte.
//
//   Cache<State> l1({.bytes = 32 << 10, .ways = 8});
//   if (State* hit = l1.lookup(address)) ...
//   Cache<State>::Line victim;
//   bool evicted = l1.insert(address, State{}, victim);
//
// Tags of a set are contiguous: with 8 ways one host cache line. No allocation after construction.
// lookup and insert are O(ways). Not thread-safe. Pointers to payloads are valid until the next
// insert or invalidate of their set.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/base/check.h"
#include "sim/mem/replacement.h"

namespace redflag::sim {

struct CacheShape {
  std::uint64_t bytes = 0;  // of all lines together
  std::uint32_t ways = 1;
  std::uint32_t line_bytes = 64;  // a power of two
  Policy policy = Policy::kLru;
  std::uint64_t seed = 1;  // of the random policy

  std::uint64_t lines() const { return bytes / line_bytes; }
  std::uint32_t sets() const { return static_cast<std::uint32_t>(lines() / ways); }
  // Can a cache be built so? Whoever reads a configuration asks before.
  bool valid() const {
    return line_bytes != 0 && std::has_single_bit(line_bytes) && ways != 0 && bytes != 0 &&
           ways <= 256 && bytes % line_bytes == 0 && lines() % ways == 0 &&
           lines() / ways <= (1U << 28) &&
           (policy != Policy::kTreePlru || (std::has_single_bit(ways) && ways <= 64));
  }
};

template <typename Payload>
class Cache {
 public:
  struct Line {
    std::uint64_t address = 0;  // of its first byte
    Payload payload{};
  };

  explicit Cache(const CacheShape& shape)
      : shape_(checked(shape)),
        sets_(shape.sets()),
        mask_(std::has_single_bit(sets_) ? sets_ - 1 : 0),
        shift_(static_cast<std::uint32_t>(std::countr_zero(shape.line_bytes))),
        tags_(shape.lines(), kFree),
        payloads_(shape.lines()),
        last_(sets_),
        replacement_(shape.policy, sets_, shape.ways, shape.seed) {}

  // The payload of the line, which counts as used; nullptr: a miss.
  Payload* lookup(std::uint64_t address) {
    const std::uint64_t tag = address >> shift_;
    const std::uint32_t set = set_of(tag);
    const std::uint64_t* tags = &tags_[std::size_t{set} * shape_.ways];
    std::uint32_t way = last_[set];  // most uses are of the line that was used last
    if (tags[way] != tag) {
      way = 0;
      while (way < shape_.ways && tags[way] != tag) ++way;
      if (way == shape_.ways) return nullptr;
      last_[set] = static_cast<std::uint8_t>(way);
    }
    replacement_.touched(set, way);
    return &payloads_[std::size_t{set} * shape_.ways + way];
  }

  // The same for one who only looks: no use is noted.
  Payload* probe(std::uint64_t address) {
    const std::size_t at = find(address >> shift_);
    return at == kNowhere ? nullptr : &payloads_[at];
  }
  bool contains(std::uint64_t address) const { return find(address >> shift_) != kNowhere; }

  // Where a payload is in its set, and the payload there again: for those who come back to a line that
  // they know has stayed.
  std::uint32_t way_of(std::uint64_t address, const Payload& payload) const {
    return static_cast<std::uint32_t>(&payload - &payloads_[row(address)]);
  }
  Payload& at(std::uint64_t address, std::uint32_t way) { return payloads_[row(address) + way]; }
  void touch(std::uint64_t address, std::uint32_t way) {
    replacement_.touched(set_of(address >> shift_), way);
  }
  // The line will be looked for soon.
  void prefetch(std::uint64_t address) const {
    const std::size_t first = row(address);
    __builtin_prefetch(&tags_[first]);
    __builtin_prefetch(&tags_[first + shape_.ways - 1]);
    __builtin_prefetch(&payloads_[first]);
  }

  // Brings in a line that is not there. True: `victim` had to leave for it.
  bool insert(std::uint64_t address, const Payload& payload, Line& victim) {
    const std::uint64_t tag = address >> shift_;
    const std::uint32_t set = set_of(tag);
    std::uint64_t* tags = &tags_[std::size_t{set} * shape_.ways];
    std::uint32_t way = 0;
    while (way < shape_.ways && tags[way] != kFree) ++way;
    const bool full = way == shape_.ways;
    if (full) way = replacement_.victim(set);
    Payload& place = payloads_[std::size_t{set} * shape_.ways + way];
    if (full) {
      victim.address = tags[way] << shift_;
      victim.payload = place;
    } else {
      ++count_;
    }
    tags[way] = tag;
    place = payload;
    last_[set] = static_cast<std::uint8_t>(way);
    replacement_.filled(set, way);
    return full;
  }

  // Takes a line out. False: it was not there. `was`, if given, gets its payload.
  bool invalidate(std::uint64_t address, Payload* was = nullptr) {
    const std::size_t at = find(address >> shift_);
    if (at == kNowhere) return false;
    if (was != nullptr) *was = payloads_[at];
    tags_[at] = kFree;
    payloads_[at] = Payload{};
    --count_;
    return true;
  }

  template <typename Visitor>  // visitor(address, Payload&)
  void for_each(Visitor visitor) {
    for (std::size_t i = 0; i < tags_.size(); ++i) {
      if (tags_[i] != kFree) visitor(tags_[i] << shift_, payloads_[i]);
    }
  }

  std::size_t size() const { return count_; }  // lines in it
  const CacheShape& shape() const { return shape_; }
  std::uint32_t set_of_address(std::uint64_t address) const { return set_of(address >> shift_); }

 private:
  // No address has this line number: lines have at least two bytes, and line numbers a bit less.
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  static const CacheShape& checked(const CacheShape& shape) {
    REDFLAG_CHECK(shape.valid() && shape.line_bytes >= 2);
    return shape;
  }
  std::uint32_t set_of(std::uint64_t tag) const {
    return mask_ != 0 || sets_ == 1 ? static_cast<std::uint32_t>(tag & mask_)
                                    : static_cast<std::uint32_t>(tag % sets_);
  }
  std::size_t row(std::uint64_t address) const {
    return std::size_t{set_of(address >> shift_)} * shape_.ways;
  }
  std::size_t find(std::uint64_t tag) const {
    const std::size_t first = std::size_t{set_of(tag)} * shape_.ways;
    for (std::size_t at = first; at < first + shape_.ways; ++at) {
      if (tags_[at] == tag) return at;
    }
    return kNowhere;
  }

  CacheShape shape_;
  std::uint32_t sets_;
  std::uint32_t mask_;  // 0: the number of sets is no power of two
  std::uint32_t shift_;
  std::size_t count_ = 0;
  std::vector<std::uint64_t> tags_;  // line numbers, by set and way
  std::vector<Payload> payloads_;
  std::vector<std::uint8_t>
      last_;  // by set: the way that was used or filled last, where it is looked first
  Replacement replacement_;
};

}  // namespace redflag::sim
