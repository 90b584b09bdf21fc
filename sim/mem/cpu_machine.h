// CpuMachine: sizes and latencies of the simulated multicore, as a plain struct.
//
// The fields are the rows of cpu_machine.inc. Latencies are whole accesses, not increments: an access
// that L3 serves takes l3_cycles. Lines have 64 bytes: PARSNIP's formats depend on it.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/mem/cache.h"

namespace redflag::sim {

inline constexpr std::uint32_t kCpuLineBytes = 64;
inline constexpr std::uint32_t kMaxCores = 63;  // a directory entry is a word: sharers, exclusive

struct CpuMachine {
#define PARAMETER(type, name, value, meaning) type name = value;
#include "sim/mem/cpu_machine.inc"
#undef PARAMETER

  CacheShape l1() const { return {l1_bytes, l1_ways, kCpuLineBytes, l1_policy}; }
  CacheShape l2() const { return {l2_bytes, l2_ways, kCpuLineBytes, l2_policy}; }
  CacheShape l3() const { return {l3_bytes, l3_ways, kCpuLineBytes, l3_policy}; }

  // Empty: such a machine can be built. Otherwise what is wrong with it.
  std::string_view fault() const {
    if (cores == 0 || cores > kMaxCores) return "cores: needed 1 to 63";
    if (!l1().valid()) return "l1: bytes must be lines of 64 in whole sets of l1_ways";
    if (l2_bytes != 0 && !l2().valid())
      return "l2: bytes must be lines of 64 in whole sets of l2_ways";
    if (!l3().valid()) return "l3: bytes must be lines of 64 in whole sets of l3_ways";
    return {};
  }
};

}  // namespace redflag::sim
