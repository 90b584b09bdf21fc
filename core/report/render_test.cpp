#include "core/report/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/report/json.h"
#include "core/report/sample_report.h"

namespace redflag {
namespace {

using ::testing::HasSubstr;

class RenderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/redflag_render_test";
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::size_t files() const {
    const std::filesystem::directory_iterator begin(folder_);
    return static_cast<std::size_t>(std::distance(begin, {}));
  }

  std::string folder_;
};

TEST_F(RenderTest, EveryFormatRendersEverySample) {
  for (const OutputFormat& format : kOutputFormats) {
    EXPECT_EQ(find_output_format(format.option), &format);
    for (const Report& report :
         {sample::empty(), sample::usual(), sample::hostile(), sample::broken_encoding()}) {
      EXPECT_FALSE(format.render(report, nullptr).empty()) << format.name;
    }
  }
  EXPECT_EQ(find_output_format("pdf"), nullptr);
}

TEST_F(RenderTest, FilesAppearWhenWritten) {
  OutputPlan plan;
  for (const OutputFormat& format : kOutputFormats) {
    ASSERT_TRUE(plan.add(format.option, folder_ + "/report." + std::string(format.option)));
  }
  Result<std::vector<PendingOutput>> outputs = plan.open();
  ASSERT_TRUE(outputs.has_value()) << outputs.error().message;
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/report.json"));
  ASSERT_TRUE(write_all(*outputs, sample::usual()).has_value());
  EXPECT_EQ(files(), kOutputFormats.size());
  const Result<std::string> text = read_file(folder_ + "/report.json", 1 << 20);
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(*read_json("report.json", *text), sample::usual());
}

TEST_F(RenderTest, AnUnwritablePathFailsBeforeTheWork) {
  OutputPlan plan;
  ASSERT_TRUE(plan.add("json", folder_ + "/good.json"));
  ASSERT_TRUE(plan.add("html", folder_ + "/no/such/folder/report.html"));
  const Result<std::vector<PendingOutput>> outputs = plan.open();
  ASSERT_FALSE(outputs.has_value());
  EXPECT_THAT(outputs.error().message, HasSubstr("/no/such/folder/report.html"));
  EXPECT_EQ(files(), 0u) << "nothing is left behind";
}

TEST_F(RenderTest, WrongPlans) {
  OutputPlan plan;
  const Result<void> unknown = plan.add("pdf", "x");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(unknown.error().message, HasSubstr("expected one of json, sarif, junit, html"));
  ASSERT_TRUE(plan.add("json", "-"));
  const Result<void> twice = plan.add("sarif", "-");
  ASSERT_FALSE(twice.has_value());
  EXPECT_THAT(twice.error().message, HasSubstr("--json already writes there"));
}

}  // namespace
}  // namespace redflag
