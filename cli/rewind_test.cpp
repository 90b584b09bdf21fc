#include "cli/rewind.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

namespace redflag::cli {
namespace {

std::string all(int from) {
  std::string out;
  std::array<char, 64> buffer{};
  for (ssize_t got = 0; (got = ::read(from, buffer.data(), buffer.size())) > 0;) {
    out.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return out;
}

TEST(Rewind, APipeIsReadOnceAndKept) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "3 numbers", 9), 9);
  ::close(ends[1]);
  const Result<Rewind> rewind = Rewind::prepare(ends[0]);
  ASSERT_TRUE(rewind);
  for (int i = 0; i < 3; ++i) {
    rewind->again();
    EXPECT_EQ(all(ends[0]), "3 numbers");
  }
  ::close(ends[0]);
}

TEST(Rewind, AFileIsReadAgainFromWhereItStood) {
  std::string path = ::testing::TempDir() + "rewind.XXXXXX";
  const int file = ::mkstemp(path.data());
  ASSERT_GE(file, 0);
  ::unlink(path.c_str());
  ASSERT_EQ(::write(file, "ab123", 5), 5);
  ::lseek(file, 2, SEEK_SET);
  const Result<Rewind> rewind = Rewind::prepare(file);
  ASSERT_TRUE(rewind);
  for (int i = 0; i < 2; ++i) {
    rewind->again();
    EXPECT_EQ(all(file), "123");
  }
  ::close(file);
}

TEST(Rewind, NothingIsReadFromADevice) {
  const int null = ::open("/dev/null", O_RDONLY);
  ASSERT_GE(null, 0);
  const Result<Rewind> rewind = Rewind::prepare(null);
  ASSERT_TRUE(rewind);
  rewind->again();
  ::close(null);
}

}  // namespace
}  // namespace redflag::cli
