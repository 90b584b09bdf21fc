// ParsnipLine: the refs of one 64-byte line of data, in 64 bytes (PARSNIP, section 3.3).
//
//   m:1 mode   bytes 0..31   for each data byte, 4 bits: which of the 16 refs is its
//              bytes 32..55  16 Long refs of 12 bits
//              byte 56       0xFF
//              bytes 57..63  unused, zero
//   1:1 mode   64 Short refs, one per data byte; byte 56 is never 0xFF
//
// TrackedLine is such a line with what the line logic of figure 6 knows: how many bytes use each of
// the 16 refs. It keeps the counts of ParsnipTables right through `Tables`, which has hold(Ref) and
// drop(Ref): a ref counts once per line, however many bytes share it.
#pragma once

#include <array>
#include <bit>
#include <bitset>
#include <cstdint>
#include <cstring>

#include "sim/models/parsnip/ref.h"

namespace redflag::sim::parsnip {

class ParsnipLine {
 public:
  static constexpr unsigned kBytes = 64;
  static constexpr unsigned kRefs = 16;
  static constexpr unsigned kModeByte = 56;

  bool many_to_one() const { return bytes_[kModeByte] == kManyToOneMode; }

  // m:1 mode.
  unsigned slot(unsigned byte) const { return bytes_[byte / 2] >> (byte % 2 * 4) & 15U; }
  // Where the run of bytes from `byte` on that have its slot ends, at `limit` at the latest.
  unsigned slot_run(unsigned byte, unsigned limit) const {
    const std::uint64_t same = slot(byte) * kEverySlot;
    for (unsigned word = byte / 16; word * 16 < limit; ++word) {
      std::uint64_t differs = slots(word) ^ same;
      if (word == byte / 16) differs = differs >> (byte % 16 * 4) << (byte % 16 * 4);
      if (differs == 0) continue;
      const unsigned end = word * 16 + static_cast<unsigned>(std::countr_zero(differs)) / 4;
      return end < limit ? end : limit;
    }
    return limit;
  }
  void set_slots(unsigned low, unsigned high, unsigned slot) {
    for (unsigned word = low / 16; word * 16 < high; ++word) {
      const unsigned begin = low > word * 16 ? low - word * 16 : 0;
      const unsigned end = high < word * 16 + 16 ? high - word * 16 : 16;
      const std::uint64_t mask = ~std::uint64_t{0} >> (64 - (end - begin) * 4) << (begin * 4);
      const std::uint64_t made = (slots(word) & ~mask) | (slot * kEverySlot & mask);
      std::memcpy(&bytes_[word * std::size_t{8}], &made, sizeof(made));
    }
  }
  Ref slot_ref(unsigned slot) const {
    const unsigned at = 32 + slot / 2 * 3;
    return slot % 2 == 0 ? Ref::from_long(bytes_[at] | (bytes_[at + 1] & 15U) << 8)
                         : Ref::from_long(bytes_[at + 1] >> 4 | bytes_[at + 2] << 4);
  }
  void set_slot_ref(unsigned slot, Ref ref) {
    const unsigned at = 32 + slot / 2 * 3;
    const std::uint32_t bits = ref.long_bits();
    if (slot % 2 == 0) {
      bytes_[at] = static_cast<std::uint8_t>(bits);
      bytes_[at + 1] = static_cast<std::uint8_t>((bytes_[at + 1] & 0xf0U) | bits >> 8);
    } else {
      bytes_[at + 1] = static_cast<std::uint8_t>((bytes_[at + 1] & 15U) | (bits & 15U) << 4);
      bytes_[at + 2] = static_cast<std::uint8_t>(bits >> 4);
    }
  }

  // 1:1 mode.
  Ref short_ref(unsigned byte) const { return Ref::from_short(bytes_[byte]); }
  void set_short_ref(unsigned byte, Ref ref) { bytes_[byte] = ref.short_bits(); }

  // All bytes have the same Long ref, in m:1 mode.
  void fill(Ref ref) {
    bytes_.fill(0);
    bytes_[kModeByte] = kManyToOneMode;
    set_slot_ref(0, ref);
  }

  const std::array<std::uint8_t, kBytes>& bytes() const { return bytes_; }

 private:
  static constexpr std::uint64_t kEverySlot = 0x1111'1111'1111'1111;
  static_assert(std::endian::native == std::endian::little, "slots() has byte 0's slot lowest");
  std::uint64_t slots(unsigned word) const {  // of 16 data bytes
    std::uint64_t bits = 0;
    std::memcpy(&bits, &bytes_[word * std::size_t{8}], sizeof(bits));
    return bits;
  }

  std::array<std::uint8_t, kBytes> bytes_{};
};
static_assert(sizeof(ParsnipLine) == 64);

class TrackedLine {
 public:
  static constexpr unsigned kBytes = ParsnipLine::kBytes;

  bool many_to_one() const { return line_.many_to_one(); }
  Ref get(unsigned byte) const {
    return many_to_one() ? line_.slot_ref(line_.slot(byte)) : line_.short_ref(byte);
  }
  // Where the run of bytes from `byte` on that have its ref ends, at `limit` at the latest.
  unsigned run_end(unsigned byte, unsigned limit) const {
    if (many_to_one()) return line_.slot_run(byte, limit);
    unsigned end = byte + 1;
    while (end < limit && line_.bytes()[end] == line_.bytes()[byte]) ++end;
    return end;
  }
  // Does this run of bytes have its ref for itself?
  bool alone(unsigned low, unsigned high) const {
    return many_to_one() && users_[line_.slot(low)] == high - low;
  }

  void fill(Ref ref) {
    line_.fill(ref);
    users_.fill(0);
    users_[0] = kBytes;
    used_ = 1;
  }
  // Forgets all refs; the line is not in cache any more.
  template <typename Tables>
  void clear(Tables& tables) {
    if (many_to_one()) {
      for (unsigned s = 0; s < ParsnipLine::kRefs; ++s) {
        if (users_[s] != 0) tables.drop(line_.slot_ref(s));
      }
    }
    fill(kUnknown);
  }

  // Gives bytes [low, high) this ref. False: it would be the seventeenth of an m:1 line, nothing
  // was changed. In 1:1 mode the index is not kept.
  template <typename Tables>
  bool set(unsigned low, unsigned high, Ref ref, Tables& tables) {
    if (!many_to_one()) {
      for (unsigned i = low; i < high; ++i) line_.set_short_ref(i, ref);
      return true;
    }
    unsigned slot = find(ref);
    if (slot == ParsnipLine::kRefs) {
      slot = free_slot();
      if (slot == ParsnipLine::kRefs) {
        const unsigned old = line_.slot(low);
        if (users_[old] != high - low || run_end(low, high) != high) return false;
        tables.drop(line_.slot_ref(old));  // the run's own place becomes free
        slot = old;
        line_.set_slot_ref(slot, ref);
        tables.hold(ref);
        return true;
      }
      line_.set_slot_ref(slot, ref);
      tables.hold(ref);
    }
    for (unsigned at = low; at < high;) {
      const unsigned old = line_.slot(at);
      const unsigned end = line_.slot_run(at, high);
      if (old != slot) move_users(old, slot, end - at, tables);
      at = end;
    }
    line_.set_slots(low, high, slot);
    return true;
  }

  // Rewrites the line with Short refs; all clocks must be in software or on the way there.
  template <typename Tables>
  void to_one_to_one(Tables& tables) {
    std::array<Ref, kBytes> refs;
    for (unsigned i = 0; i < kBytes; ++i) refs[i] = get(i);
    clear(tables);
    for (unsigned i = 0; i < kBytes; ++i) line_.set_short_ref(i, refs[i]);
  }
  // Rewrites it with Long refs if 16 are enough.
  void to_many_to_one() {
    std::array<Ref, kBytes> refs;
    std::bitset<256> seen;
    for (unsigned i = 0; i < kBytes; ++i) {
      refs[i] = line_.short_ref(i);
      seen.set(refs[i].short_bits());
    }
    if (seen.count() > ParsnipLine::kRefs) return;
    fill(refs[0]);
    struct {
      void hold(Ref) {}
      void drop(Ref) {}
    } nothing;  // Short refs name no clocks
    for (unsigned i = 1; i < kBytes; ++i) set(i, i + 1, refs[i], nothing);
  }

  unsigned distinct() const {
    if (!many_to_one()) {
      std::bitset<256> seen;
      for (const std::uint8_t b : line_.bytes()) seen.set(b);
      return static_cast<unsigned>(seen.count());
    }
    unsigned n = 0;
    for (const std::uint8_t u : users_) n += u != 0;
    return n;
  }
  const ParsnipLine& line() const { return line_; }

 private:
  unsigned find(Ref ref) const {
    for (unsigned left = used_; left != 0; left &= left - 1) {
      const auto s = static_cast<unsigned>(std::countr_zero(left));
      if (line_.slot_ref(s) == ref) return s;
    }
    return ParsnipLine::kRefs;
  }
  unsigned free_slot() const { return static_cast<unsigned>(std::countr_one(used_)); }
  template <typename Tables>
  void move_users(unsigned from, unsigned to, unsigned n, Tables& tables) {
    users_[to] = static_cast<std::uint8_t>(users_[to] + n);
    users_[from] = static_cast<std::uint8_t>(users_[from] - n);
    used_ |= static_cast<std::uint16_t>(1U << to);
    if (users_[from] != 0) return;
    used_ &= static_cast<std::uint16_t>(~(1U << from));
    tables.drop(line_.slot_ref(from));
  }

  ParsnipLine line_;
  std::array<std::uint8_t, ParsnipLine::kRefs> users_{};  // in m:1 mode: bytes that use each ref
  std::uint16_t used_ = 0;                                // which of them any does
};

}  // namespace redflag::sim::parsnip
