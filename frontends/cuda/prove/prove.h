// At a launch: which accesses of the kernel may race with each other.
//
// Two accesses of different threads meet if the difference of their addresses can be smaller than they are
// wide (equation.h), for some numbers of the threads that their guards allow. Threads of different
// blocks are compared without regard to barriers; threads of one block only where no barrier is between.
// Pure, and the same for the same facts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "frontends/cuda/prove/proof.h"

namespace redflag::prove {

// The allocation that the address is in; 0: none that nobody else accesses meanwhile.
using Allocations = std::function<std::uint64_t(std::uint64_t address)>;

// The first reason that was found why an access may race; others may have come first with other pairs.
struct Reason {
  enum class Kind : std::uint8_t {
    kNone,     // it cannot
    kOthers,   // it is of memory that somebody else may access, or nobody knows of which
    kInBlock,  // with access `with`, of another thread of the block, and no barrier between
    kAcross,   // with access `with`, of a thread of another block
  };
  Kind kind = Kind::kNone;
  std::uint32_t with = 0;
  friend bool operator==(const Reason&, const Reason&) = default;
};

struct Answer {
  std::vector<bool> noisy;            // by access: it may race
  std::vector<std::uint64_t> places;  // by access: its allocation; 0: not known, or shared memory
  std::vector<Reason> reasons;        // by access
  std::vector<bool> is_known;         // by access: its address is a sum that does not wrap around
  bool is_within_block = false;       // threads of one block may race with each other
};
// Of a proof that is not possible: empty, all may.
Answer ask(const Proof& proof, const Facts& facts, const Allocations& allocations);
std::vector<bool> noisy(const Proof& proof, const Facts& facts, const Allocations& allocations);

}  // namespace redflag::prove
