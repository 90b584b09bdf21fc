#include "cli/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace redflag::cli {
namespace {

using ::testing::HasSubstr;

std::string member(std::string name, const std::string& contents) {
  name.resize(48, ' ');
  std::string size = std::to_string(contents.size());
  size.resize(10, ' ');
  return name + size + "`\n" + contents + (contents.size() % 2 != 0 ? "\n" : "");
}

std::string word(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

class ArchiveTest : public ::testing::Test {
 protected:
  ~ArchiveTest() override { std::remove(path_.c_str()); }

  Result<Archive> read(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_archive(path_);
  }

  const std::string path_ = ::testing::TempDir() + "redflag_archive_" + std::to_string(::getpid());
};

TEST_F(ArchiveTest, NamesWhatItDefinesAndWhere) {
  const std::string symbols = std::string("f\0g\0", 4);
  const std::string long_names = "a_name_of_twenty_letters.o/\n";
  const std::string before =
      "!<arch>\n" + member("/", word(2) + word(0) + word(0) + symbols) + member("//", long_names);
  const std::string first = member("short.o/", "odd");
  const auto at_f = static_cast<std::uint32_t>(before.size());
  const auto at_g = static_cast<std::uint32_t>(before.size() + first.size());
  const Result<Archive> archive =
      read("!<arch>\n" + member("/", word(2) + word(at_f) + word(at_g) + symbols) +
           member("//", long_names) + first + member("/0", "contents"));
  ASSERT_TRUE(archive) << archive.error().message;
  ASSERT_EQ(archive->defined.size(), 2u);
  EXPECT_EQ(archive->member_name(archive->defined.at("f")), "short.o");
  EXPECT_EQ(archive->member(archive->defined.at("f")), "odd");
  EXPECT_EQ(archive->member_name(archive->defined.at("g")), "a_name_of_twenty_letters.o");
  EXPECT_EQ(archive->member(archive->defined.at("g")), "contents");
}

TEST_F(ArchiveTest, RefusesWhatIsNone) {
  for (const std::string& bytes :
       {std::string(), std::string("GROUP(libm-2.36.a)\n"), std::string("!<thin>\n"),
        "!<arch>\n" + member("x.o/", "no index"),
        "!<arch>\n" + member("/", word(1000) + word(1))}) {
    const Result<Archive> archive = read(bytes);
    ASSERT_FALSE(archive);
    EXPECT_THAT(archive.error().message, HasSubstr("needed: a static library with an index"));
  }
  EXPECT_FALSE(read_archive("/nonexistent/libc.a"));
}

TEST_F(ArchiveTest, StaysInsideTheFile) {
  const Result<Archive> archive =
      read("!<arch>\n" + member("/", word(1) + word(0xffffff00) + "cut"));
  ASSERT_TRUE(archive) << archive.error().message;
  EXPECT_EQ(archive->member(archive->defined.at("cut")), "");
  EXPECT_EQ(archive->member_name(archive->defined.at("cut")), "");
}

}  // namespace
}  // namespace redflag::cli
