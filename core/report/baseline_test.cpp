#include "core/report/baseline.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "core/base/output_file.h"
#include "core/report/fold.h"
#include "core/report/json.h"
#include "core/report/sample_report.h"

namespace redflag {
namespace {

Report folded(std::vector<Finding> findings) {
  Report report;
  report.findings = std::move(findings);
  fold(report);
  return report;
}

TEST(Baseline, MarksNewAndKnown) {
  Report report = folded({sample::write_write(), sample::lockset()});
  Finding moved = sample::lockset();
  moved.first.stack[0].line += 100;
  compare_with_baseline(report, folded({moved}));
  EXPECT_EQ(report.findings[0].baseline, BaselineStatus::kNew);
  EXPECT_EQ(report.findings[1].baseline, BaselineStatus::kKnown);
  EXPECT_TRUE(has_new(report));
}

TEST(Baseline, NothingNewAgainstItself) {
  Report report = sample::large();
  compare_with_baseline(report, report);
  EXPECT_FALSE(has_new(report));
}

TEST(Baseline, WithoutOneEveryFindingIsNew) {
  EXPECT_TRUE(has_new(folded({sample::bare()})));
  EXPECT_FALSE(has_new(folded({})));
}

TEST(Baseline, ReadsAReportFromAFile) {
  const std::string path = ::testing::TempDir() + "/redflag_baseline_test.json";
  Result<OutputFile> file = OutputFile::create(path);
  ASSERT_TRUE(file && file->write(write_json(sample::usual())) && file->commit());
  const Result<Report> report = read_report(path);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(*report, sample::usual());
  std::remove(path.c_str());
  EXPECT_FALSE(read_report(path).has_value());
}

}  // namespace
}  // namespace redflag
