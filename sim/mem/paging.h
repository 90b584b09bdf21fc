// Paging: which physical page a virtual one is, as an operating system might have chosen.
//
// Traces have virtual addresses. Taken as physical they would fill a few sets of the lower levels and
// leave the others empty: heaps of threads, stacks and mappings begin at large powers of two. Systems
// give out pages in no such order, so the page number is scrambled, by a bijection of 48 bits that is
// the same in every run. Offsets in pages stay, and with them the sets of a 4 KiB-per-way L1.
#pragma once

#include <cstdint>

namespace redflag::sim {

inline constexpr std::uint64_t kPageNumberMask = (std::uint64_t{1} << 48) - 1;

constexpr std::uint64_t physical_page(std::uint64_t number) {
  number &= kPageNumberMask;
  number ^= number >> 24;
  number = number * 0x9e3779b97f4a7c15U & kPageNumberMask;
  return number ^ number >> 24;
}
constexpr std::uint64_t virtual_page(std::uint64_t number) {
  number ^= number >> 24;
  number = number * 0xf1de83e19937733dU & kPageNumberMask;  // the inverse of the factor above
  return number ^ number >> 24;
}

// The same for numbers of 64-byte lines.
constexpr std::uint64_t physical_line(std::uint64_t line) {
  return physical_page(line / 64) * 64 + line % 64;
}
constexpr std::uint64_t virtual_line(std::uint64_t line) {
  return virtual_page(line / 64) * 64 + line % 64;
}

static_assert(0x9e3779b97f4a7c15U * 0xf1de83e19937733dU == 1, "one undoes the other");

}  // namespace redflag::sim
