// Coalescing: the lanes of a warp's access as transactions of lines.
//
// Lanes that touch one line of 128 bytes share a transaction, which moves 32, 64 or 128 bytes of it: the
// smallest aligned part that has all they want. Atomics of one word cannot share: a line has as many
// transactions as the word that most lanes want (as in the paper's simulator, GPGPU-Sim). Words are of
// four bytes; a transaction says which of its line were touched, for whoever keeps metadata of them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/model/gpu.h"
#include "sim/mem/gpu/gpu_machine.h"

namespace redflag::sim {

struct Transaction {
  std::uint64_t line = 0;   // number of the line in physical memory
  std::uint32_t words = 0;  // bit k: bytes 4k to 4k + 3
  std::uint32_t bytes = 0;  // moved: 32, 64, 128
};

// The smallest aligned part of a line with all the words.
constexpr std::uint32_t bytes_of(std::uint32_t words) {
  const auto first = static_cast<unsigned>(std::countr_zero(words));
  const auto last = static_cast<unsigned>(31 - std::countl_zero(words));
  for (unsigned part = 8; part < 32; part *= 2) {
    if (first / part == last / part) return part * 4;
  }
  return kGpuLineBytes;
}

// Room for the worst: 32 lanes with 255 bytes each.
struct Transactions {
  std::array<Transaction, 3 * gpu::kWarp> list;
  std::size_t size = 0;

  Transaction& of_line(std::uint64_t line) {
    for (std::size_t i = size; i > 0; --i) {  // neighbours are mostly together
      if (list[i - 1].line == line) return list[i - 1];
    }
    list[size] = {line, 0, 0};
    return list[size++];
  }
};

// `physical` turns an address of the program into one of the device's memory.
template <typename Physical>
void coalesce(const std::uint64_t* address, std::uint32_t size, gpu::Lanes lanes, bool is_atomic,
              Physical physical, Transactions& out) {
  out.size = 0;
  std::array<std::array<std::uint8_t, 32>, 3 * gpu::kWarp> wanted;  // of atomics: lanes, by word
  for (gpu::Lanes rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t begin = address[std::countr_zero(rest)];
    std::uint64_t at = physical(begin);
    const std::uint64_t end = at + (size == 0 ? 1 : size);
    while (at < end) {
      const std::size_t before = out.size;
      Transaction& here = out.of_line(at >> kLineBits);
      const std::uint64_t line_end = (here.line + 1) << kLineBits;
      const std::uint64_t stop = end < line_end ? end : line_end;
      const auto first = static_cast<unsigned>(at >> 2 & 31);
      const auto last = static_cast<unsigned>((stop - 1) >> 2 & 31);
      here.words |= (~std::uint32_t{0} >> (31 - last)) & (~std::uint32_t{0} << first);
      if (is_atomic) {
        auto& counts = wanted[static_cast<std::size_t>(&here - out.list.data())];
        if (out.size != before) counts.fill(0);
        ++counts[first];
      }
      at = stop;
    }
  }
  const std::size_t lines = out.size;
  for (std::size_t i = 0; i < lines; ++i) {
    out.list[i].bytes = bytes_of(out.list[i].words);
    if (!is_atomic) continue;
    std::array<std::uint8_t, 32>& counts = wanted[i];
    for (unsigned round = 2; out.size < out.list.size(); ++round) {
      std::uint32_t words = 0;
      for (unsigned word = 0; word < 32; ++word) {
        if (counts[word] >= round) words |= std::uint32_t{1} << word;
      }
      if (words == 0) break;
      out.list[out.size++] = {out.list[i].line, words, bytes_of(words)};
    }
  }
}

// How often shared memory must be asked for an access: banks of four bytes, one word of each at a time.
inline std::uint32_t bank_conflicts(const std::uint64_t* address, gpu::Lanes lanes) {
  std::array<std::uint64_t, 32> word{};
  std::array<std::uint8_t, 32> count{};
  std::uint32_t most = 1;
  for (gpu::Lanes rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t at = address[std::countr_zero(rest)] >> 2;
    const std::size_t bank = at % 32;
    if (count[bank] != 0 && word[bank] == at) continue;  // a word is told to all who want it
    word[bank] = at;
    if (++count[bank] > most) most = count[bank];
  }
  return most;
}

}  // namespace redflag::sim
