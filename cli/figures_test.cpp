#include "cli/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "cli/progress.h"

namespace redflag::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

ScanFigures shard(double reading, double detecting, std::uint64_t peak, std::uint64_t touched) {
  ScanFigures figures;
  figures.counters = {{"races", 2, ""}};
  figures.read_seconds = reading;
  figures.detect_seconds = detecting;
  figures.peak_bytes = peak;
  figures.touched_bytes = touched;
  return figures;
}

TEST(Figures, CostOfOneShard) {
  const std::vector<Counter> rows = report_figures({shard(1, 2, 4096, 8192)});
  EXPECT_EQ(rows[0], (Counter{"slowdown over reading", 3, "x"}));
  EXPECT_EQ(rows[1], (Counter{"memory over the program's", 1.5, "x"}));
  EXPECT_EQ(rows.back(), (Counter{"races", 2, ""}));
}

TEST(Figures, ShardsAddTheirMemoryAndTheSlowestCounts) {
  const std::vector<Counter> rows = report_figures({shard(1, 1, 4096, 8192), shard(1, 4, 4096, 0)});
  EXPECT_EQ(rows[0].value, 5);
  EXPECT_EQ(rows[1].value, 2);
  EXPECT_EQ(rows.back().name, "races (shard 1)");
}

TEST(Figures, TableAlignsItsColumns) {
  const std::string table = figures_table({shard(1, 1, 0, 4096), shard(1, 1, 0, 4096)});
  EXPECT_THAT(table, HasSubstr("shard"));
  EXPECT_THAT(table, HasSubstr("  slowdown over reading       2.00 x\n"));
  EXPECT_THAT(figures_table({}), IsEmpty());
  EXPECT_THAT(figures_table({ScanFigures{}}), IsEmpty());  // nothing measured, nothing counted
}

TEST(Figures, Values) {
  EXPECT_EQ(value_text({"", 12345, ""}), "12,345");
  EXPECT_EQ(value_text({"", 1.25, ""}), "1.25");
  EXPECT_EQ(value_text({"", 42.06, "%"}), "42.1 %");
  EXPECT_EQ(value_text({"", 3.5 * 1024 * 1024, "bytes"}), "3.5 MiB");
  EXPECT_EQ(value_text({"", 17, "bytes"}), "17 bytes");
  EXPECT_EQ(value_text({"", std::numeric_limits<double>::quiet_NaN(), "x"}), "-");
}

TEST(ProgressLine, SaysHowFarAndHowLong) {
  EXPECT_EQ(progress_line("replaying", 50, 100, 2000000, 2),
            "replaying  50%  2,000,000 events  1.0 M/s  0:02 left");
  EXPECT_EQ(progress_line("reading", 50, 0, 10, 0), "reading  10 events");
}

}  // namespace
}  // namespace redflag::cli
