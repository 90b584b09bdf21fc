#include "core/trace/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/model/make_event.h"
#include "core/trace/testing.h"

namespace redflag {
namespace {

using testing::HasSubstr;

class WriterTest : public testing::TestWithParam<TraceFormat> {
 protected:
  testing_trace::TemporaryFolder folder_;
};

TEST_P(WriterTest, NothingUnderTheFinalNameBeforeTheEnd) {
  const std::string path = folder_.file("trace");
  auto writer = create_trace(path, GetParam());
  ASSERT_TRUE(writer);
  for (std::uint32_t i = 0; i < 100000; ++i)
    ASSERT_TRUE((*writer)->append(make::read(0, 0x1000 + i, 1)));
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE((*writer)->finish());
  EXPECT_EQ((*writer)->events(), 100000u);
  auto reader = open_trace(path);
  ASSERT_TRUE(reader);
  TextTraceWriter nowhere = *TextTraceWriter::create("/dev/null");
  EXPECT_EQ(copy_trace(**reader, nowhere).value(), 100000u);
}

TEST_P(WriterTest, RefusesWhatAReaderWouldRefuse) {
  auto writer = create_trace(folder_.file("trace"), GetParam());
  ASSERT_TRUE(writer);
  const std::vector<Event> events{make::read(0, 0x1000), make::read(0, 0x1000, 0)};
  const Result<void> done = (*writer)->append(events);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message,
              HasSubstr("trace: event 1: cannot be written: size 0, expected 1 or more bytes"));
  EXPECT_FALSE((*writer)->append(make::read(0, 0x1000))) << "the first error stays";
  EXPECT_FALSE((*writer)->finish());
  EXPECT_FALSE(std::filesystem::exists(folder_.file("trace")));
}

TEST_P(WriterTest, RefusesUnknownCallers) {
  auto writer = create_trace(folder_.file("trace"), GetParam());
  ASSERT_TRUE(writer);
  EXPECT_TRUE((*writer)->define(SourceDefinition{SourceId{5}, kNoSource, {}}));
  EXPECT_TRUE((*writer)->define(SourceDefinition{SourceId{6}, SourceId{5}, {}}));
  const Result<void> done = (*writer)->define(SourceDefinition{SourceId{7}, SourceId{1}, {}});
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("the caller of a source is not defined"));
}

TEST_P(WriterTest, NothingAfterTheEnd) {
  auto writer = create_trace(folder_.file("trace"), GetParam());
  ASSERT_TRUE(writer && (*writer)->finish());
  EXPECT_FALSE((*writer)->append(make::read(0, 0x1000)));
}

TEST_P(WriterTest, SaysAtOnceThatItCannotWrite) {
  const auto writer = create_trace("/nowhere/trace", GetParam());
  ASSERT_FALSE(writer);
  EXPECT_THAT(writer.error().message, HasSubstr("/nowhere/trace: cannot write"));
}

INSTANTIATE_TEST_SUITE_P(Formats, WriterTest,
                         testing::Values(TraceFormat::kRft, TraceFormat::kText),
                         [](const testing::TestParamInfo<TraceFormat>& param) {
                           return param.param == TraceFormat::kRft ? "Rft" : "Text";
                         });

}  // namespace
}  // namespace redflag
