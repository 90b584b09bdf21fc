#include "core/base/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/check.h"

namespace redflag {
namespace {

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "redflag-output-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  int files() const {
    int count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++count;
    return count;
  }
  std::string folder_;
};

TEST_F(OutputFileTest, AppearsOnlyWhenCommitted) {
  const std::string path = folder_ + "/report.json";
  Result<OutputFile> out = OutputFile::create(path);
  ASSERT_TRUE(out);
  ASSERT_TRUE(out->write("whole"));
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE(out->commit());
  EXPECT_EQ(read_file(path, 100).value(), "whole");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, LeavesTheOldFileWhenAbandoned) {
  const std::string path = folder_ + "/report.json";
  {
    Result<OutputFile> out = OutputFile::create(path);
    ASSERT_TRUE(out && out->write("old") && out->commit());
  }
  {
    Result<OutputFile> out = OutputFile::create(path);
    ASSERT_TRUE(out && out->write("half of the n"));
  }
  EXPECT_EQ(read_file(path, 100).value(), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, SaysWhatWasNeededWhenTheFolderIsMissing) {
  const Result<OutputFile> out = OutputFile::create(folder_ + "/no/such/report.json");
  ASSERT_FALSE(out);
  EXPECT_NE(out.error().message.find("/no/such/"), std::string::npos) << out.error().message;
}

TEST_F(OutputFileTest, AnEndInTheMiddleLeavesNothing) {
  EXPECT_EXIT(
      {
        Result<OutputFile> out = OutputFile::create(folder_ + "/report.json");
        if (out && out->write("half")) out_of_memory("the test");
      },
      testing::ExitedWithCode(2), "out of memory for the test");
  EXPECT_EQ(files(), 0);
}

TEST_F(OutputFileTest, ManyOneAfterAnotherAreFine) {
  for (int i = 0; i < 3 * OutputFile::kMaxOpen; ++i) {
    Result<OutputFile> out = OutputFile::create(folder_ + "/report.json");
    ASSERT_TRUE(out && out->write("x")) << i;
    if (i % 2 == 0) {
      ASSERT_TRUE(out->commit());
    }
  }
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, RefusesADirectory) {
  ASSERT_FALSE(OutputFile::create(folder_));
}

TEST_F(OutputFileTest, WritesToDevNullDirectly) {
  Result<OutputFile> out = OutputFile::create("/dev/null");
  ASSERT_TRUE(out && out->write("gone") && out->commit());
  struct stat status{};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST_F(OutputFileTest, ReadFileRefusesMoreThanItsLimit) {
  const std::string path = folder_ + "/big";
  Result<OutputFile> out = OutputFile::create(path);
  ASSERT_TRUE(out && out->write(std::string(1000, 'x')) && out->commit());
  EXPECT_TRUE(read_file(path, 1000));
  EXPECT_FALSE(read_file(path, 999));
}

}  // namespace
}  // namespace redflag
