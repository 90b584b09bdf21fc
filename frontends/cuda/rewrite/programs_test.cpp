// The programs of tests/cuda/programs, rewritten: they compute what they computed, and their hooks tell,
// thread by thread, what the emulator tells of the same run.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "frontends/cuda/rewrite/history_test.h"
#include "tests/cuda/host/emulated.h"

namespace redflag::rewrite {
namespace {

using testing::History;
using testing::Record;

// Gives each kernel the number of its launch.
class Machine final : public script::Emulated {
 public:
  using Emulated::Emulated;
  std::string launch(int line, const script::LaunchPlan& plan) override {
    script::LaunchPlan more = plan;
    script::Argument number;
    number.bytes[0] = std::byte{++launches_};
    more.arguments.push_back(number);
    return Emulated::launch(line, more);
  }

 private:
  std::uint8_t launches_ = 0;
};

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> programs() {
  std::vector<std::filesystem::path> all;
  for (const auto& each : std::filesystem::directory_iterator(PROGRAMS)) {
    if (each.path().extension() == ".cu") all.push_back(each.path());
  }
  std::sort(all.begin(), all.end());
  EXPECT_GE(all.size(), 300U);
  return all;
}

struct Ran {
  std::string fault;  // what the script says
  History hooks, steps;
};

Ran run(const std::filesystem::path& source, const std::string& ptx, std::uint64_t seed,
        const Rewritten* made, bool records) {
  cuda::testing::Keeper keeper;
  cuda::Device device({.seed = seed, .timeout_ms = 60'000, .sink = records ? &keeper : nullptr});
  Result<ptx::Module> module = ptx::parse(source.string(), made != nullptr ? made->ptx : ptx);
  if (!module) return {module.error().message, {}, {}};
  const Result<cuda::ModuleId> loaded = device.load(std::move(*module));
  if (!loaded) return {loaded.error().message, {}, {}};
  const std::string text = read(source);
  const script::Text script = script::find_script(text);
  if (made == nullptr) {
    script::Emulated machine(device, *loaded, nullptr);
    return {script::run(script, {}, machine), {}, {}};
  }
  Machine machine(device, *loaded, nullptr);
  if (!records) return {script::run(script, {}, machine), {}, {}};
  testing::Recorder recorder(device, *loaded);
  Ran ran{script::run(script, {}, machine), {}, {}};
  for (const Record& each : recorder.take()) add(ran.hooks, each, made->sites, device);
  for (const auto& each : keeper.steps) add(ran.steps, each, device, recorder);
  return ran;
}

// Hooks as calls, and in place of them.
constexpr std::uint32_t kSplices[] = {0, 1000};

TEST(RewrittenPrograms, ComputeWhatTheyComputed) {
  const std::string runtime = testing::quiet_runtime();
  for (const std::filesystem::path& source : programs()) {
    std::filesystem::path beside = source;
    const std::string ptx = read(beside.replace_extension(".ptx"));
    for (const std::uint32_t splice : kSplices) {
      const Rewritten made = testing::rewritten(ptx, runtime, true, splice);
      for (const std::uint64_t seed : {1U, 2U}) {
        EXPECT_EQ(run(source, ptx, seed, &made, false).fault,
                  run(source, ptx, seed, nullptr, false).fault)
            << source.stem() << ", seed " << seed << ", splice " << splice;
      }
    }
  }
}

TEST(RewrittenPrograms, TellWhatTheEmulatorTells) {
  const std::string runtime = testing::recording_runtime();
  std::size_t compared = 0;
  for (const std::filesystem::path& source : programs()) {
    std::filesystem::path beside = source;
    const std::string ptx = read(beside.replace_extension(".ptx"));
    for (const std::uint32_t splice : kSplices) {
      const Rewritten made = testing::rewritten(ptx, runtime, false, splice);
      const Ran ran = run(source, ptx, 1, &made, true);
      compared += testing::compare(ran.hooks, ran.steps, source.stem().string());
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(compared, 20'000U);
}

TEST(RewrittenPrograms, PruneOnlyWhatAnotherHookCovers) {
  const std::string runtime = testing::recording_runtime();
  std::size_t left_out = 0;
  for (const std::filesystem::path& source : programs()) {
    std::filesystem::path beside = source;
    const std::string ptx = read(beside.replace_extension(".ptx"));
    const Rewritten made = testing::rewritten(ptx, runtime);
    const Ran ran = run(source, ptx, 1, &made, true);
    left_out += testing::check_covered(ran.hooks, ran.steps, source.stem().string());
    if (HasFailure()) return;
  }
  EXPECT_GT(left_out, 100U);
}

}  // namespace
}  // namespace redflag::rewrite
