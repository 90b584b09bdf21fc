// ParsnipRef: who made the last access of a byte, and where its clock is (PARSNIP, section 3.4).
//
//   Long, 12 bits:  tid (6) | R/W (1) | hasNext (1) | index (4)
//   Short, 8 bits:  tid (6) | R/W (1) | hasNext (1)
//
// (tid, R/W) is the access capability; the index names one of the 15 entries of tid's ParsnipTable,
// 0xF none: then the clock is in an epoch store buffer or in software. In a Primary ref hasNext says
// that there is a Secondary one, in a Secondary ref that there are more reads in software.
//
// No thread has tid 63 (the mode byte of a line is a Short ref that cannot be: tid 63, W, T). The
// paper needs refs for bytes without a history in hardware and does not say how they look; here they
// are the other patterns of tid 63:
//   63, R, F   new: no access was made yet
//   63, W, F   unknown: all that is known is in software
//   63, R, T   Secondary only: no write was made, more reads are in software
#pragma once

#include <cstdint>

namespace redflag::sim::parsnip {

inline constexpr std::uint32_t kNoTid = 63;    // also the number of threads that refs can name
inline constexpr std::uint32_t kNoIndex = 15;  // also the number of entries of a table

class Ref {
 public:
  constexpr Ref() = default;
  constexpr Ref(std::uint32_t tid, bool write, bool has_next, std::uint32_t index)
      : bits_(static_cast<std::uint16_t>(tid << 6 | (write ? 32U : 0U) | (has_next ? 16U : 0U) |
                                         index)) {}
  static constexpr Ref from_long(std::uint32_t bits) {
    Ref r;
    r.bits_ = static_cast<std::uint16_t>(bits & 0xfff);
    return r;
  }
  static constexpr Ref from_short(std::uint8_t bits) {
    return from_long(static_cast<std::uint32_t>(bits) << 4 | kNoIndex);
  }

  constexpr std::uint32_t tid() const { return bits_ >> 6; }
  constexpr bool write() const { return (bits_ & 32U) != 0; }
  constexpr bool has_next() const { return (bits_ & 16U) != 0; }
  constexpr std::uint32_t index() const { return bits_ & 15U; }
  constexpr bool has_clock() const { return index() != kNoIndex; }
  constexpr std::uint16_t long_bits() const { return bits_; }
  constexpr std::uint8_t short_bits() const { return static_cast<std::uint8_t>(bits_ >> 4); }

  constexpr Ref with_index(std::uint32_t index) const { return from_long((bits_ & ~15U) | index); }
  constexpr Ref with_next(bool has_next) const {
    return from_long(has_next ? bits_ | 16U : bits_ & ~16U);
  }

  friend constexpr bool operator==(Ref, Ref) = default;

 private:
  std::uint16_t bits_ = kNoTid << 6 | kNoIndex;  // new
};

inline constexpr Ref kNew(kNoTid, false, false, kNoIndex);
inline constexpr Ref kUnknown(kNoTid, true, false, kNoIndex);
inline constexpr Ref kReadsOnly(kNoTid, false, true, kNoIndex);
inline constexpr std::uint8_t kManyToOneMode = 0xff;

static_assert(Ref() == kNew);
static_assert(Ref(5, true, false, 3).long_bits() == 0b000101'1'0'0011);
static_assert(Ref(5, true, false, 3).short_bits() == 0b000101'1'0);
// Byte 56 of a 1:1 line is both a ref and the mode byte.
static_assert(kNew.short_bits() != kManyToOneMode && kUnknown.short_bits() != kManyToOneMode &&
              kReadsOnly.short_bits() != kManyToOneMode);

}  // namespace redflag::sim::parsnip
