// Proof: what must be asked when a kernel is launched, to know which of its accesses cannot race.
//
// Most accesses of most kernels are to places that follow from the thread's and the block's numbers by sums
// and products: out[blockIdx.x * blockDim.x + threadIdx.x]. For these it can be computed, once the sizes
// and the parameters of a launch are known, whether two threads can ever meet at one place, of which
// one writes, without a barrier between them. What cannot meet needs no hooks, and a kernel in which nothing can
// runs as the program has it. docs/how/prove.md says what is taken for granted.
//
// A Proof is made of the kernel's PTX once (describe.h) and asked at every launch (prove.h). It is plain data,
// kept beside rewritten modules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/cuda/prove/terms.h"

namespace redflag::prove {

// What differs between threads: 0 to 2 the thread's number in x, y, z, 3 to 5 the block's; the thread's number
// in x divided by 32, and what is left; from kFirstLoop on how often a loop was gone round.
using Variable = std::uint32_t;
inline constexpr Variable kThread = 0, kBlock = 3, kRow = 6, kLane = 7, kFirstLoop = 8;
inline constexpr std::int64_t kLanes = 32;

struct Part {
  Variable variable = 0;
  TermId by = kZero;
  friend bool operator==(const Part&, const Part&) = default;
};

// A number of a thread: a sum of terms times variables.
struct Form {
  bool is_exact = true;      // else: something is added that is not known
  bool is_wild = false;      // not even which memory it points to
  std::int32_t symbol = -1;  // of shared memory, whose address is added
  TermId constant = kZero;
  std::vector<Part> parts;       // by variable; each once
  std::vector<TermId> pointers;  // added too: 64 bits that the kernel was given, or their negation
  std::vector<std::uint32_t> checks;  // into Proof::checks: it is only true if these are
  friend bool operator==(const Form&, const Form&) = default;
};

// A number of 32 bits was made one of 64: the sum must not have wrapped around.
struct Check {
  Form narrow;
  bool is_signed = true;
  friend bool operator==(const Check&, const Check&) = default;
};

enum class Relation : std::uint8_t {
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual
};
// A comparison of two numbers, of 32 bits if `is_narrow`.
struct Comparison {
  Form left, right;
  Relation relation = Relation::kLess;
  bool is_signed = true;
  bool is_narrow = true;
  friend bool operator==(const Comparison&, const Comparison&) = default;
};

// A loop is gone round again only if `left` + `step` * (times so far) has the relation to `right`.
struct Bound {
  Comparison first;
  TermId step = kZero;
  friend bool operator==(const Bound&, const Bound&) = default;
};
struct Loop {
  std::vector<Bound> bounds;
  friend bool operator==(const Loop&, const Loop&) = default;
};

enum class Memory : std::uint8_t { kGlobal, kShared, kAny };
struct Access {
  std::uint32_t instruction = 0;
  Memory memory = Memory::kGlobal;
  std::uint8_t bytes = 4;
  bool writes = false;
  bool is_atomic = false;
  bool is_narrow = false;  // atomic among the threads of a block only
  Form address;
  std::vector<std::uint32_t> guards;  // into Proof::guards: all hold where it happens
  friend bool operator==(const Access&, const Access&) = default;
};

// How often a thread has gone round a loop at an access, in a phase: a number more than at the barrier before, where
// all threads of the block had the same, or, if it has entered the loop since, just that number.
struct Turn {
  enum class Since : std::uint8_t { kAny, kBarrier, kEntry };
  Since since = Since::kAny;
  std::uint8_t count = 0;
  friend auto operator<=>(const Turn&, const Turn&) = default;
};
struct Tie {
  std::uint32_t loop = 0;
  Turn first, second;
  friend auto operator<=>(const Tie&, const Tie&) = default;
};
// Accesses that two threads of one block may do without a barrier between.
struct Together {
  std::uint32_t first = 0, second = 0;
  std::vector<Tie> ties;
  friend auto operator<=>(const Together&, const Together&) = default;
};

struct Proof {
  bool is_possible = false;  // else nothing is known, and nothing else is set
  std::vector<Term> terms;
  std::vector<std::string> variables;  // of the module, as terms number them
  std::vector<Check> checks;
  std::vector<Comparison> guards;
  std::vector<Loop> loops;
  std::vector<Access> accesses;
  std::vector<Together> together;
  // Blocks wait for each other (cooperative groups' grid.sync): accesses that threads of different blocks may do
  // without that between.
  bool has_grid_barriers = false;
  std::vector<Together> across;
  friend bool operator==(const Proof&, const Proof&) = default;
};

}  // namespace redflag::prove
