// Sampling: which regions of the program are checked (--sample, --budget; docs/user/sampling.md).
#pragma once

#include <cstdint>

namespace redflag::rt {

struct Sampling {
  enum class Strategy : std::uint8_t { kNone, kInstruction, kFunction, kHierarchical, kNoLocal };
  Strategy strategy = Strategy::kNone;
  bool locality = false;                     // the heuristic "A"
  std::uint32_t function_factor = 1U << 15;  // of kFactorOne
  std::uint32_t instruction_factor = 58982;  // 0.9, as in the paper
  std::uint32_t budget = 0;                  // of kFactorOne; 0: none
};

// Once, before the first region asks.
void sampling_begin(const Sampling& sampling);

// NL: no access is checked. A job's one-sided operations are (frontends/pgas).
extern bool g_checks_no_access;

// Whether single accesses are sampled: then library functions' are too, by function and caller
// (`key`), and of long ranges only the ends are checked, where neighbours' work meets. (One access of
// many by one instruction: by its own back-off few of them would be.)
extern bool g_samples_accesses;
bool is_library_sampled(std::uint64_t key);
inline constexpr std::uint64_t kEnd = 512;  // bytes of a long range's end

// check(addr, n) for the range, or its ends.
template <typename Check>
inline void for_sampled_ends(std::uint64_t addr, std::uint64_t n, Check check) {
  if (!g_samples_accesses || n <= 4 * kEnd) return check(addr, n);
  check(addr, kEnd);
  check(addr + n - kEnd, kEnd);
}

// Synchronisation and allocation, under a budget: their time is counted against it. One in kTimed is measured, and stands
// for the others.
extern "C" std::int32_t __redflag_measures;
class SyncTime {
 public:
  [[gnu::always_inline]] SyncTime() {
    if (__redflag_measures != 0) [[unlikely]]
      begin();
  }
  [[gnu::always_inline]] ~SyncTime() {
    if (since_ != 0) [[unlikely]]
      end();
  }
  SyncTime(const SyncTime&) = delete;
  SyncTime& operator=(const SyncTime&) = delete;

 private:
  void begin();
  void end() const;
  std::uint64_t since_ = 0;
};

// A call of a job's library, from the thread's letting go to its taking over: time that is not the
// program's own, however long it waits there for others.
void library_begins();
void library_ends();

// Of all threads so far, as far as they have told: regions and checks that were sampled by decision.
std::uint64_t sampled_regions();
std::uint64_t sampled_checks();

}  // namespace redflag::rt
