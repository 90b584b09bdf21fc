// Epoch: "slot s at clock c", one moment of one thread, in one word (FastTrack, section 3).
//
// A slot is an index into vector clocks. Threads own slots; a slot passes to a new thread only when
// all that its old owner did happens before the new one starts (happens_before.h), so epochs of one
// slot are totally ordered, whichever thread made them. Clocks start at 1: the zero word is "no
// access".
#pragma once

#include <cstdint>

namespace redflag {

enum class Slot : std::uint32_t {};
inline constexpr std::uint32_t kMaxSlots = 1U << 20;

class Epoch {
 public:
  constexpr Epoch() = default;
  constexpr Epoch(Slot slot, std::uint64_t clock)
      : bits_(clock << kSlotBits | static_cast<std::uint32_t>(slot)) {}
  static constexpr Epoch from_bits(std::uint64_t bits) {
    Epoch e;
    e.bits_ = bits;
    return e;
  }

  constexpr Slot slot() const { return Slot{static_cast<std::uint32_t>(bits_ & (kMaxSlots - 1))}; }
  constexpr std::uint64_t clock() const { return bits_ >> kSlotBits; }
  constexpr std::uint64_t bits() const { return bits_; }
  constexpr explicit operator bool() const { return bits_ != 0; }
  constexpr Epoch next() const { return from_bits(bits_ + kMaxSlots); }

  friend constexpr bool operator==(Epoch, Epoch) = default;

 private:
  static constexpr int kSlotBits = 20;
  std::uint64_t bits_ = 0;
};
static_assert(sizeof(Epoch) == 8);
static_assert(Epoch(Slot{3}, 5).next() == Epoch(Slot{3}, 6));

}  // namespace redflag
