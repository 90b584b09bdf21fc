#include "cli/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/model/make_event.h"
#include "core/trace/reader.h"
#include "frontends/cpu/wire/record.h"

namespace redflag::cli {
namespace {

using ::testing::HasSubstr;

class RecordingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "redflag_recording_" + std::to_string(::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // What a process with so many writes leaves.
  static void leave(const std::string& path, std::uint32_t events) {
    std::string bytes(wire::kChunkBytes, '\0');
    wire::ChunkHeader header;
    header.count = events;
    std::memcpy(bytes.data(), &header, sizeof(header));
    for (std::uint32_t i = 0; i < events; ++i) {
      const wire::RecordedEvent entry{i + 1, make::write(0, 0x1000)};
      std::memcpy(bytes.data() + sizeof(header) + i * sizeof(entry), &entry, sizeof(entry));
    }
    std::ofstream(path, std::ios::binary) << bytes;
  }

  static std::uint64_t events_in(const std::string& path) {
    Result<std::unique_ptr<EventReader>> reader = open_trace(path);
    if (!reader) return 0;
    std::uint64_t count = 0;
    for (;;) {
      Result<std::span<const Event>> batch = (*reader)->next();
      if (!batch || batch->empty()) return count;
      count += batch->size();
    }
  }

  std::string folder_;
};

TEST_F(RecordingTest, TheProcessThatDidMostGetsTheName) {
  const std::string path = folder_ + "/run.rft";
  {
    Result<Recording> recording = Recording::prepare(path);
    ASSERT_TRUE(recording) << recording.error().message;
    leave(recording->prefix() + ".7", 2);
    leave(recording->prefix() + ".12", 5);
    leave(recording->prefix() + ".13", 0);
    ASSERT_TRUE(recording->finish(true));
  }
  EXPECT_EQ(events_in(path), 5U);
  EXPECT_EQ(events_in(folder_ + "/run.7.rft"), 2U);
  std::size_t left = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++left;
  EXPECT_EQ(left, 2U) << "the parts are removed";
}

TEST_F(RecordingTest, FaultsAreTold) {
  EXPECT_THAT(Recording::prepare("x.txt").error().message, HasSubstr("ends in .rft"));
  EXPECT_FALSE(Recording::prepare("/no/such/folder/x.rft"));
  Result<Recording> recording = Recording::prepare(folder_ + "/x.rft");
  ASSERT_TRUE(recording);
  EXPECT_THAT(recording->finish(true).error().message, HasSubstr("nothing was recorded"));
}

TEST(Numbered, BeforeTheSuffix) {
  EXPECT_EQ(numbered("a/run.rft", 7), "a/run.7.rft");
  EXPECT_EQ(numbered("run", 7), "run.7");
}

}  // namespace
}  // namespace redflag::cli
