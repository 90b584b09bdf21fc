// What a region's count-down asks when it has run out (frontends/cpu/abi/abi.h): is it sampled, and how
// long is the next one?
//
// Strategies as the UPC-Thrille paper names them (table 2): I samples checks, F calls of functions, H both, and in
// between the iterations of loops, by the functions' factor, so that what runs long in one call can
// back off too. With a function factor of 1, H is I; with 0 it is I in the first call of each
// function by each thread. A: a check that finds private memory is taken to stay there and backs off as
// far as it goes (section 4.1; locality.h). NL: none is checked.
//
// Under a budget each thread weighs the time it has spent in code that checks, by the processor's
// time stamps, against its CPU time: as long as the first is below its share of the second, regions
// that ask are sampled, and ask sooner; else they are not, and ask later. All of that time counts,
// though some of it is the program's own: the slowdown that is aimed at is an upper bound. A region's first
// execution by each thread is always checked. Ranks of a job wait for each other in their library, mostly by
// asking over and over: that is neither the program's time nor ours, and counts for nothing.
//
// Called with LLVM's preserve_mostcc: keeps all general registers; compiled without others.
#include "frontends/cpu/rt/sampling.h"

#include <sys/syscall.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): POSIX's, not C's

#include <atomic>
#include <cstddef>

#include "core/live/os.h"
#include "frontends/cpu/abi/abi.h"
#include "frontends/cpu/rt/backoff.h"
#include "frontends/cpu/rt/locality.h"
#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {

static_assert(offsetof(live::Hot, since) == abi::kHotSince);
static_assert(offsetof(live::Hot, verdict) == abi::kHotVerdict);
static_assert(kLevels == abi::kOneWait);

namespace {

constexpr std::uint32_t kHalf = kFactorOne / 2;
// Of the time that the budget allows, what checks may take: the rest is for what is always done,
// frames and synchronisation.
constexpr std::uint64_t kForChecks = 1;
constexpr std::uint64_t kForChecksOf = 3;
// Time stamps that asking takes, and a pause with the way back: they are no part of what is measured.
constexpr std::uint64_t kAsking = 300;
constexpr std::uint64_t kPausing = 100;
constexpr std::uint64_t kGrace =
    20000000;  // nanoseconds that each thread may spend at once, in the beginning
constexpr std::uint32_t kStepBack = 2;          // levels, when there is no time left
constexpr std::uint32_t kMostPatience = 18;     // a level; waits double with each
constexpr std::uint64_t kLookEvery = 1U << 21;  // time stamps between two looks at the CPU time

constexpr std::uint32_t kTimed = 16;
constexpr std::uint64_t kMostSync = 5000;  // time stamps

struct Settings {
  Sampling sampling;
  Backoff regions;
  Backoff checks;
  bool regions_always = true;
  bool loops_always = true;
  bool checks_always = true;
  std::uint64_t share = 0;  // of the CPU time, for code that checks; of kFactorOne
  std::uint64_t first_stamp = 0;
  std::uint64_t first_time = 0;  // nanoseconds
};
Settings g_settings;
// Count-downs of library functions, by function and caller; some share one.
constexpr std::uint64_t kLibrarySlots = 256;
thread_local constinit std::int32_t g_library[kLibrarySlots] = {};
std::atomic<std::uint64_t> g_regions{0};
std::atomic<std::uint64_t> g_checks{0};

// A thread's account, in time stamps.
struct Account {
  std::uint64_t spent = 0;
  std::uint64_t allowed = 0;
  std::uint64_t next_look = 0;
  std::uint64_t first_look = 0;
  std::uint64_t cpu_before = 0;  // at the first look
  std::uint64_t left = 0;        // when it called the job's library; 0: it is not there
  std::uint64_t away = 0;        // in the library, since the first look
  std::uint32_t syncs = 0;
};
thread_local constinit Account g_account;

std::uint64_t stamp() {
  return __builtin_ia32_rdtsc();
}

std::uint64_t nanoseconds(clockid_t clock) {
  timespec now{};
  live::os_syscall(SYS_clock_gettime, clock, reinterpret_cast<long>(&now));
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void charge(std::uint64_t now) {
  if (g_hot.since == 0) return;
  g_account.spent += now - g_hot.since + kPausing;
  g_hot.since = 0;
}

bool is_affordable(std::uint64_t now) {
  Account& a = g_account;
  if (now >= a.next_look) {
    a.next_look = now + kLookEvery;
    const std::uint64_t passed = nanoseconds(CLOCK_MONOTONIC) - g_settings.first_time;
    const std::uint64_t stamps = ((now - g_settings.first_stamp) << 10) / (passed | 1);
    std::uint64_t cpu = (nanoseconds(CLOCK_THREAD_CPUTIME_ID) * stamps) >> 10;
    if (a.first_look == 0) {
      a.first_look = now;
      a.cpu_before = cpu;
    }
    // At most what passed outside the library.
    const std::uint64_t outside = a.cpu_before + (now - a.first_look) - a.away;
    if (cpu > outside) cpu = outside;
    a.allowed = ((cpu >> 8) * g_settings.share >> 8) + ((kGrace * stamps) >> 10);
  }
  return a.spent < a.allowed;
}

std::uint64_t region_of(const std::int32_t* slot) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::intptr_t>(slot) -
                                    reinterpret_cast<std::intptr_t>(&g_hot));
}

void next(std::int32_t* slot, const Backoff& backoff, std::uint32_t level) {
  if (level >= kLevels) level = kLevels - 1;
  const std::uint32_t wait = backoff.wait(level, noise_of(region_of(slot), level));
  *slot = static_cast<std::int32_t>(wait * static_cast<std::uint32_t>(abi::kOneWait) + level);
}

bool always(std::int32_t* slot) {
  *slot = -1;
  return true;
}

bool sample_check(std::int32_t* slot, std::uint64_t address) {
  if (g_settings.sampling.locality && is_private(address) && found_private(slot)) {
    next(slot, g_settings.checks_always ? g_settings.regions : g_settings.checks, kLevels - 1);
    return false;
  }
  if (g_settings.checks_always) return g_settings.sampling.locality || always(slot);
  const auto level = static_cast<std::uint32_t>(*slot);
  if (level > 0 && g_settings.checks.is_once()) return next(slot, g_settings.checks, level), false;
  next(slot, g_settings.checks, level + 1);
  g_checks.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool sample_within_budget(std::int32_t* slot, std::uint32_t level) {
  const std::uint64_t now = stamp();
  charge(now);
  g_account.spent += kAsking;
  const bool sampled = level == 0 || is_affordable(now);
  if (sampled) {
    next(slot, g_settings.regions, level > 1 ? level - 1 : 1);
    g_hot.since = now;
  } else {
    next(slot, g_settings.regions,
         level + kStepBack < kMostPatience ? level + kStepBack : kMostPatience);
  }
  return sampled;
}

bool sample_region(std::int32_t* slot, bool is_loop) {
  if (g_checks_no_access) {
    *slot = static_cast<std::int32_t>(kMostWait * static_cast<std::uint32_t>(abi::kOneWait));
    return false;
  }
  const auto level = static_cast<std::uint32_t>(*slot);
  bool sampled = true;
  if (g_settings.sampling.budget != 0) {
    sampled = sample_within_budget(slot, level);
  } else {
    if (is_loop ? g_settings.loops_always : g_settings.regions_always) return always(slot);
    sampled = level == 0 || !g_settings.regions.is_once();
    next(slot, g_settings.regions, level + 1);
  }
  if (sampled) g_regions.fetch_add(1, std::memory_order_relaxed);
  return sampled;
}

}  // namespace

bool g_samples_accesses = false;
bool g_checks_no_access = false;

void library_begins() {
  if (__redflag_measures != 0) g_account.left = stamp();
}
void library_ends() {
  Account& a = g_account;
  if (a.left != 0 && a.first_look != 0) a.away += stamp() - a.left;
  a.left = 0;
}

void SyncTime::begin() {
  if (++g_account.syncs % kTimed == 0) since_ = stamp();
}
void SyncTime::end() const {
  const std::uint64_t took = stamp() - since_;
  // Longer: it was interrupted.
  g_account.spent += kTimed * (took < kMostSync ? took : kMostSync);
}

bool is_library_sampled(std::uint64_t key) {
  std::int32_t* const slot = &g_library[noise_of(key, 0) % kLibrarySlots];
  if (*slot >= abi::kOneWait) {
    *slot -= abi::kOneWait;
    return false;
  }
  next(slot, g_settings.checks, static_cast<std::uint32_t>(*slot) + 1);
  return true;
}

void sampling_begin(const Sampling& sampling) {
  Settings& s = g_settings;
  s.sampling = sampling;
  using Strategy = Sampling::Strategy;
  const bool samples_regions =
      sampling.strategy == Strategy::kFunction || sampling.strategy == Strategy::kHierarchical;
  const bool samples_checks =
      sampling.strategy == Strategy::kInstruction || sampling.strategy == Strategy::kHierarchical;
  s.regions.set(sampling.budget != 0 ? kHalf : sampling.function_factor);
  s.checks.set(sampling.instruction_factor);
  s.regions_always = !samples_regions || s.regions.is_always();
  // A factor of 0 is the whole of the first call.
  s.loops_always =
      s.regions_always || sampling.strategy == Strategy::kFunction || s.regions.is_once();
  s.checks_always = !samples_checks || s.checks.is_always();
  g_checks_no_access = sampling.strategy == Strategy::kNoLocal;
  g_samples_accesses = sampling.budget != 0 || !s.checks_always;
  if (sampling.budget != 0) {
    const std::uint64_t spare =
        kFactorOne - std::uint64_t{kFactorOne} * kFactorOne / sampling.budget;
    __redflag_measures = 1;
    s.share = spare * kForChecks / kForChecksOf;
    s.first_stamp = stamp();
    s.first_time = nanoseconds(CLOCK_MONOTONIC);
  }
}

std::uint64_t sampled_regions() {
  return g_regions.load(std::memory_order_relaxed);
}
std::uint64_t sampled_checks() {
  return g_checks.load(std::memory_order_relaxed);
}

}  // namespace redflag::rt

// Whether time in code that checks is measured: read by that code.
extern "C" {
__attribute__((visibility("default"))) std::int32_t __redflag_measures = 0;
}

#define REDFLAG_KEEPS extern "C" [[gnu::visibility("default"), gnu::no_caller_saved_registers]]

REDFLAG_KEEPS void __redflag_sample(std::int32_t* slot, const void* address, std::uint32_t kind) {
  using namespace redflag;
  const bool sampled = kind == abi::kSampleCheck
                           ? rt::sample_check(slot, reinterpret_cast<std::uint64_t>(address))
                           : rt::sample_region(slot, kind == abi::kSampleLoop);
  rt::g_hot.verdict = sampled ? 1 : 0;
}

REDFLAG_KEEPS void __redflag_pause() {
  if (redflag::rt::g_hot.since != 0) redflag::rt::charge(redflag::rt::stamp());
}

// After a loop that was left in code without checks: the verdict is whether to go on checking.
REDFLAG_KEEPS void __redflag_come_back(std::int32_t* slot) {
  using namespace redflag::rt;
  const std::uint64_t now = stamp();
  const bool goes_on = is_affordable(now) || *slot == 0;  // what follows it the first time, always
  *slot = 1;
  g_account.spent += kPausing;
  g_hot.verdict = goes_on ? 1 : 0;
  g_hot.since = goes_on ? now : 0;
}

REDFLAG_KEEPS void __redflag_resume() {
  if (__redflag_measures != 0) {
    redflag::rt::g_hot.since = redflag::rt::stamp();
  }
}
