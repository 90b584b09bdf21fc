// The steps of cells.h in every order that x86 allows, for three threads at one granule.
//
// What the threads do and how they synchronise is a script, so which bytes race is known beforehand: a
// byte of which two accesses conflict that nothing orders. In every order of steps, a race must be
// reported on each such byte, and on no other.
#include "core/live/explore.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "core/live/cells_rig.h"

namespace redflag::live {
namespace {

// Memory whose words the explorer sees.
struct ExploredMemory {
  struct Words {
    Word cell;
    Word second;
    Word readers;
  };
  Words* words = nullptr;
  const std::atomic<std::uint32_t>* slots = nullptr;

  Word& cell(std::uint64_t) const { return words->cell; }
  Word& second(std::uint64_t) const { return words->second; }
  Word& readers(std::uint64_t) const { return words->readers; }
  std::uint32_t slot_count() const { return slots->load(); }
  template <typename T>
  static T load(const std::atomic<T>& word) {
    return static_cast<T>(Explorer::now()->load(&word));
  }
  template <typename T>
  static void store(std::atomic<T>& word, T value) {
    Explorer::now()->store(&word, value);
  }
  static bool swap(Word& word, std::uint64_t from, std::uint64_t to) {
    return Explorer::now()->swap(&word, from, to);
  }
  static void unlock(Word& word, std::uint64_t to) { store(word, to); }
  static std::uint64_t load_fenced(Word& word) {
    Explorer::now()->fence();
    return load(word);
  }
  static void add(Word& word, std::uint64_t bits) {
    std::uint64_t old = load(word);
    while ((old & bits) != bits && !swap(word, old, old | bits)) old = load(word);
  }
  static void mark(std::uint64_t, PageMark) {}
  static void wait(unsigned&) { Explorer::now()->wait(); }
};

struct Step {
  enum class Kind : std::uint8_t { kRead, kWrite, kRelease, kAcquire };
  Kind kind;
  unsigned what;  // bytes, or which lock
};
using Script = std::vector<Step>;

// "w0f r03 +1 -1": write of bytes 0 to 3, read of 0 and 1, release to lock 1, acquire of lock 1, which
// waits until it was released.
Script parse(const std::string& text) {
  Script script;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    std::size_t end = text.find(' ', i);
    if (end == std::string::npos) end = text.size();
    const std::string number = text.substr(i + 1, end - i - 1);
    const bool is_access = text[i] == 'r' || text[i] == 'w';
    const auto value = static_cast<unsigned>(std::stoul(number, nullptr, is_access ? 16 : 10));
    script.push_back({text[i] == 'r'   ? Step::Kind::kRead
                      : text[i] == 'w' ? Step::Kind::kWrite
                      : text[i] == '+' ? Step::Kind::kRelease
                                       : Step::Kind::kAcquire,
                      value});
    i = end;
  }
  return script;
}

struct Case {
  std::vector<std::string> before;  // by each thread in turn, one after another
  std::vector<std::string> threads;
  bool is_large = false;  // over 60,000 states: only with REDFLAG_EXPLORE=all in the environment
};

class Execution {
 public:
  explicit Execution(const Case& c) : case_(c) {}

  std::vector<Explorer::Body> begin() {
    rig_.reset();
    words_.cell = words_.second = words_.readers = 0;
    accesses_.clear();
    found_ = 0;
    released_.assign(4, 0);
    locks_.assign(4, std::vector<std::uint64_t>(case_.threads.size()));
    ExploredMemory memory;
    memory.words = &words_;
    rig_ = std::make_unique<CellsRig<ExploredMemory>>(case_.threads.size(), memory);
    for (unsigned t = 0; t < case_.before.size(); ++t) act(t, parse(case_.before[t]));
    std::vector<Explorer::Body> bodies;
    for (unsigned t = 0; t < case_.threads.size(); ++t) {
      bodies.emplace_back([this, t] { act(t, parse(case_.threads[t])); });
    }
    return bodies;
  }
  unsigned found() const { return found_; }
  // Bytes of which two accesses conflict that nothing orders: the same in every run.
  unsigned racy() const {
    unsigned bytes = 0;
    for (const Access& a : accesses_) {
      for (const Access& b : accesses_) {
        const bool ordered = a.thread == b.thread || b.clock[a.thread] >= a.clock[a.thread] ||
                             a.clock[b.thread] >= b.clock[b.thread];
        if ((a.is_write || b.is_write) && !ordered) bytes |= a.bytes & b.bytes;
      }
    }
    return bytes;
  }

 private:
  struct Access {
    unsigned thread;
    bool is_write;
    unsigned bytes;
    std::vector<std::uint64_t> clock;
  };

  void act(unsigned t, const Script& script) {
    constexpr std::uint64_t kGranule = 0x10000;
    for (const Step& step : script) {
      Conflicts found;
      if (step.kind <= Step::Kind::kWrite) {
        accesses_.push_back({t, step.kind == Step::Kind::kWrite, step.what, rig_->clock(t)});
      }
      switch (step.kind) {
        case Step::Kind::kRead:
          rig_->cells.check<false>(rig_->views[t], kGranule, step.what, found);
          break;
        case Step::Kind::kWrite:
          rig_->cells.check<true>(rig_->views[t], kGranule, step.what, found);
          break;
        case Step::Kind::kRelease:
          rig_->release(t, locks_[step.what]);
          Explorer::now()->store(&released_[step.what], 1);
          break;
        case Step::Kind::kAcquire:
          while (Explorer::now()->load(&released_[step.what]) == 0) Explorer::now()->wait();
          rig_->acquire(t, locks_[step.what]);
          break;
      }
      for (unsigned i = 0; i < found.count; ++i) found_ |= bytes_of(found.one[i].earlier);
    }
  }

  const Case& case_;
  ExploredMemory::Words words_{};
  std::vector<std::uint64_t> released_;
  std::vector<std::vector<std::uint64_t>> locks_;
  std::unique_ptr<CellsRig<ExploredMemory>> rig_;
  std::vector<Access> accesses_;
  unsigned found_ = 0;
};

class Explore : public testing::TestWithParam<Case> {};

TEST_P(Explore, EachRacyByteIsFoundAndNoOther) {
  const char* const which = std::getenv("REDFLAG_EXPLORE");
  if (GetParam().is_large && (which == nullptr || std::string_view(which) != "all")) {
    GTEST_SKIP() << "many states: REDFLAG_EXPLORE=all explores them, in two minutes";
  }
  Execution run(GetParam());
  Explorer explorer;
  unsigned racy = 0;
  std::map<unsigned, std::size_t> outcomes;
  const std::size_t states = explorer.all([&run] { return run.begin(); },
                                          [&] {
                                            ++outcomes[run.found()];
                                            racy = run.racy();
                                          },
                                          3'000'000);
  EXPECT_GT(states, 0U) << "too many states";
  EXPECT_FALSE(explorer.stuck_);
  for (const auto& [found, times] : outcomes) {
    EXPECT_EQ(found, racy) << times << " of " << explorer.complete_runs() << " runs";
  }
  std::printf("%zu states\n", states);
}

const Case kCases[] = {
    // One pair.
    {{}, {"wff", "rff"}},
    {{}, {"wff", "wff", "wff"}},
    {{}, {"w0f", "wf0"}},
    {{}, {"w0f", "wf0", "wff"}},
    {{}, {"w0f", "wf0", "r3c"}},
    {{}, {"w03", "w0c", "wf0"}},
    {{}, {"w03 w0c", "wf0", "rc0"}},
    {{}, {"wff +1", "-1 wff"}},
    {{}, {"wff +1 w0f", "-1 wf0", "r80"}, true},
    // Several readers.
    {{}, {"rff", "rff", "rff"}, true},
    {{}, {"rff", "rff", "wff"}},
    {{}, {"r0f", "rff", "wf0"}},
    {{"rff", "rff"}, {"rff", "rff", "wff"}, true},
    {{"rff", "rff"}, {"+1 rff", "+2 rff", "w0f"}, true},
    {{"r0f +0", "r0f +0"}, {"rff", "r0f", "w01"}, true},
    {{"rff +0", "rff +0"}, {"", "", "-0 wff"}},
    {{"rff +0", "rff +0"}, {"r0f", "", "-0 wff"}},
    {{"wff +0", "-0 rff", "-0 rff"}, {"", "rff +1", "rff -1 r0f"}},
    {{"wff +0", "-0 rff", "-0 rff"}, {"w0f", "rff", "rff"}, true},
    // Finer.
    {{"w0f +0", "-0 wf0 +1"}, {"-1 wff", "rf0", ""}},
    {{"w0f +0", "-0 wf0 +1"}, {"w03", "wc0", "r18"}},
    {{"w03 +0", "-0 w0c +1", "-1 wf0"}, {"w03", "w0c", "wf0"}},
    {{"w03 +0", "-0 w0c +1", "-1 wf0"}, {"w03", "w0c", "rff"}},
    {{"w0f +0", "-0 wf0"}, {"r0f", "rf0", "r3c"}},
};

INSTANTIATE_TEST_SUITE_P(All, Explore, testing::ValuesIn(kCases));

}  // namespace
}  // namespace redflag::live
