// From the place of a call to the statements of the board that it belongs to.
//
// The board names modules by the path that the kernel shows, and statements by the module's own addresses
// (wire/hold.h). The loader knows what it added to them. Answers are kept: a program has few places that
// call a library.
#pragma once

#include <cstdint>
#include <map>

namespace redflag::wire {
struct HoldBoard;
}

namespace redflag::pgas::hold {

using Sides = std::uint32_t;  // bits, as in wire::HoldSlot

class Code {
 public:
  explicit Code(const wire::HoldBoard& board) : board_(board) {}

  // Sides that a call which returns to this address is a statement of.
  Sides sides_of_call(const void* return_address);

 private:
  Sides look_up(std::uint64_t pc) const;

  const wire::HoldBoard& board_;
  std::map<std::uint64_t, Sides> known_;
};

}  // namespace redflag::pgas::hold
