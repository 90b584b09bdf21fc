#include "sim/experiment/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace redflag::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace fs = std::filesystem;

class Workers : public testing::Test {
 protected:
  Workers() {
    std::string path = testing::TempDir() + "redflag-workers-XXXXXX";
    folder_ = ::mkdtemp(path.data());
    std::ofstream(folder_ / "x.rft") << "a trace";
    for (int k = 0; k < 12; ++k) {
      jobs_.push_back({"parsnip",
                       "w" + std::to_string(k % 3),
                       (folder_ / "x.rft").string(),
                       {{"cores", std::to_string(k), "test"}}});
    }
  }
  ~Workers() override { fs::remove_all(folder_); }

  // Every process that does a job leaves a mark.
  Result<Metrics> simulate(const Job& job) const {
    std::ofstream(folder_ / "done", std::ios::app) << job.settings[0].value + "\n";
    return Metrics{{"cycles", std::stod(job.settings[0].value) / 3}};
  }
  std::size_t simulated() const {
    std::ifstream file(folder_ / "done");
    std::size_t n = 0;
    for (std::string line; std::getline(file, line);) ++n;
    return n;
  }
  Done run(const Simulate& what, unsigned workers) {
    Result<Store> store = Store::open((folder_ / "results").string(), "1.0");
    return run_jobs(
        jobs_, what, *store, workers, [&](std::size_t done, std::size_t) { told_.push_back(done); },
        [] { return false; });
  }

  fs::path folder_;
  std::vector<Job> jobs_;
  std::vector<std::size_t> told_;
};

TEST_F(Workers, DoEachJobOnceAndTellOfIt) {
  const Done done = run([&](const Job& job) { return simulate(job); }, 4);
  EXPECT_THAT(done.faults, IsEmpty());
  for (std::size_t k = 0; k < jobs_.size(); ++k) {
    EXPECT_EQ(metric(done.results[k], "cycles"), static_cast<double>(k) / 3);
  }
  EXPECT_EQ(simulated(), 12U);
  EXPECT_EQ(told_.front(), 0U);
  EXPECT_EQ(told_.back(), 12U);
}

TEST_F(Workers, GoOnWhereTheyWereCut) {
  const Done cut = run(
      [&](const Job& job) -> Result<Metrics> {
        if (std::stoi(job.settings[0].value) >= 5) ::raise(SIGKILL);
        return simulate(job);
      },
      1);
  EXPECT_EQ(cut.faults.size(), 7U);
  EXPECT_THAT(cut.faults.front(), HasSubstr("ended before it was done"));
  const Done done = run([&](const Job& job) { return simulate(job); }, 2);
  EXPECT_THAT(done.faults, IsEmpty());
  EXPECT_EQ(done.found, 5U);
  EXPECT_EQ(simulated(), 12U);  // nothing twice
}

TEST_F(Workers, AJobThatFailsSaysWhyAndCostsNoOther) {
  const Done done = run(
      [&](const Job& job) -> Result<Metrics> {
        if (job.settings[0].value == "7") return fail("no such machine");
        return simulate(job);
      },
      3);
  EXPECT_THAT(done.faults, ElementsAre("w1: no such machine"));
  EXPECT_THAT(done.results[7], IsEmpty());
  EXPECT_EQ(simulated(), 11U);
}

TEST_F(Workers, ResultsOfAnotherTraceSettingOrVersionAreNotTaken) {
  Result<Store> store = Store::open((folder_ / "results").string(), "1.0");
  ASSERT_TRUE(store->keep(jobs_[0], {{"cycles", 1}}));
  EXPECT_TRUE(store->find(jobs_[0]));
  EXPECT_FALSE(store->find(jobs_[1]));
  EXPECT_FALSE(Store::open((folder_ / "results").string(), "1.1")->find(jobs_[0]));
  Job overridden = jobs_[1];
  overridden.workload = jobs_[0].workload;
  overridden.settings.push_back(jobs_[0].settings[0]);  // the later one counts
  EXPECT_TRUE(store->find(overridden));
  std::ofstream(jobs_[0].trace) << "a trace that has changed";
  EXPECT_FALSE(store->find(jobs_[0]));
}

TEST_F(Workers, AFileThatIsBrokenCountsAsNotDone) {
  Result<Store> store = Store::open((folder_ / "results").string(), "1.0");
  ASSERT_TRUE(store->keep(jobs_[0], {{"cycles", 1}}));
  std::ofstream(store->file_of(jobs_[0]), std::ios::app) << "more = than that\n";
  EXPECT_FALSE(store->find(jobs_[0]));
  std::ofstream(store->file_of(jobs_[0]), std::ios::trunc);
  EXPECT_FALSE(store->find(jobs_[0]));
}

}  // namespace
}  // namespace redflag::sim
