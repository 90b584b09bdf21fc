#include "frontends/cpu/rt/locality.h"

#include <atomic>

#include "core/live/spin.h"
#include "frontends/cpu/rt/common_memory.h"
#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {
namespace {

constinit CommonMemory g_common;
constinit live::SpinLock g_common_lock;  // for who adds to it
std::atomic<bool> g_several_threads{false};
std::atomic<std::uint64_t> g_version{0};

// The count-downs that the thread has given up. Those in what was loaded later than the thread's static storage
// are not among them: they may vanish with their library.
constexpr std::uint32_t kMostFound = 2048;
thread_local constinit std::int32_t* g_found[kMostFound] = {};
thread_local constinit std::uint32_t g_found_count = 0;

const Thread* current() {
  const live::Thread* const t = g_hot.thread;
  return t == nullptr ? nullptr : static_cast<const Thread*>(t->owner);
}

bool is_of(const Thread& t, std::uint64_t address) {
  return (address >= t.stack_low && address < t.stack_high) ||
         (address >= t.tls_low && address < t.tls_high);
}

}  // namespace

thread_local constinit std::uint64_t g_locality_seen = 0;

bool is_private(std::uint64_t address) {
  const Thread* const t = current();
  if (t == nullptr) return false;
  const bool alone = !g_several_threads.load(std::memory_order_relaxed) &&
                     !g_common.is_empty();  // a rank of a job
  return (alone || is_of(*t, address)) && !g_common.contains(address);
}

bool found_private(std::int32_t* slot) {
  const Thread* const t = current();
  const auto at = reinterpret_cast<std::uint64_t>(slot);
  if (t == nullptr || at < t->tls_low || at >= t->tls_high || g_found_count == kMostFound) {
    return false;
  }
  g_found[g_found_count++] = slot;
  return true;
}

void memory_becomes_common(std::uint64_t begin, std::uint64_t end) {
  const live::Guard guard(g_common_lock);
  if (g_common.add(begin, end)) g_version.fetch_add(1, std::memory_order_release);
}

void all_memory_becomes_common() {
  if (g_several_threads.exchange(true)) return;
  g_version.fetch_add(1, std::memory_order_release);
  look_at_locality();
}

std::uint64_t locality_version() {
  return g_version.load(std::memory_order_acquire);
}

void ask_again() {
  g_locality_seen = locality_version();
  for (std::uint32_t i = 0; i < g_found_count; ++i) *g_found[i] = 0;
  g_found_count = 0;
}

}  // namespace redflag::rt
