// Memory that the program declared free of races that matter: races on it are not told.
//
// A handful of declarations is usual; some programs make many. The list is searched only when a
// race was found.
#include "frontends/cpu/rt/benign.h"

#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {
namespace {

struct Range {
  std::uint64_t begin;
  std::uint64_t end;
};
constexpr std::uint32_t kMost = 4096;
Range g_ranges[kMost];
std::uint32_t g_count = 0;
live::SpinLock g_lock;

}  // namespace

void benign_race(void* p, std::size_t n) {
  const live::Guard guard(g_lock);
  const auto begin = reinterpret_cast<std::uint64_t>(p);
  g_ranges[g_count++ % kMost] = {begin, begin + n};
}

bool is_benign(std::uint64_t addr, std::uint64_t n) {
  const live::Guard guard(g_lock);
  for (std::uint32_t i = 0; i < g_count && i < kMost; ++i) {
    if (addr < g_ranges[i].end && g_ranges[i].begin < addr + n) return true;
  }
  return false;
}

}  // namespace redflag::rt
