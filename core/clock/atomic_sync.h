// AtomicSync: for every atomic object, the clock that an acquire of its present value obtains.
//
// This is the "release clock" of a location: what is known at the head of the release sequence that
// the last store belongs to (C++20 [intro.races]). Objects are byte ranges, and ranges of different
// sizes may overlap: the map holds disjoint segments, cut where an operation begins or ends inside
// one. A small direct-mapped cache answers the usual case, an operation on exactly the range of the
// last one there. Memory is bounded by the atomic bytes alive: forget() drops those of memory that
// became new.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory_resource>

#include "core/clock/vector_clock.h"
#include "core/model/ids.h"

namespace redflag {

class AtomicSync {
 public:
  explicit AtomicSync(std::pmr::memory_resource* memory) : memory_(memory), segments_(memory) {}

  // A load of [addr, addr + size): joins what it obtains into `into`.
  void load(Addr addr, std::uint32_t size, VectorClock& into);
  // A store: its range now carries exactly `clock` (nullptr: nothing).
  void store(Addr addr, std::uint32_t size, const VectorClock* clock);
  // A read-modify-write: continues the release sequence, adding `clock` (nullptr: nothing).
  void modify(Addr addr, std::uint32_t size, const VectorClock* clock);
  void forget(Addr addr, std::uint64_t size);

  std::size_t size() const { return segments_.size(); }

 private:
  struct Segment {
    Segment(std::uint64_t b, std::uint64_t e, std::pmr::memory_resource* m)
        : begin(b), end(e), clock(m) {}
    std::uint64_t begin;
    std::uint64_t end;
    VectorClock clock;
  };
  using Map = std::pmr::map<std::uint64_t, Segment>;

  Segment* cached(Addr addr, std::uint32_t size) {
    Segment* s = cache_[raw(addr) / 4 % cache_.size()];
    return s != nullptr && s->begin == raw(addr) && s->end == raw(addr) + size ? s : nullptr;
  }
  void cut(std::uint64_t at);
  // The segments that cover exactly [addr, addr + size), gaps filled with empty ones.
  std::pair<Map::iterator, Map::iterator> exactly(Addr addr, std::uint32_t size);
  void drop_cache() { cache_.fill(nullptr); }

  std::pmr::memory_resource* memory_;
  Map segments_;                       // by begin; disjoint
  std::array<Segment*, 256> cache_{};  // valid while no segment is cut or dropped
};

}  // namespace redflag
