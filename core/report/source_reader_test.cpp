#include "core/report/source_reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/report/sample_report.h"

namespace redflag {
namespace {

class SourceReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/redflag_source_reader_test";
    std::filesystem::create_directories(folder_ + "/lib/sub");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
  }
  SourceReader reader() { return SourceReader({.roots = {folder_}}); }

  std::string folder_;
};

TEST_F(SourceReaderTest, MarksTheLineWithItsNeighbours) {
  write("a.cpp", "one\ntwo\nthree\nfour\n");
  const std::optional<Excerpt> excerpt = reader().excerpt({"f", "a.cpp", 2, 3});
  ASSERT_TRUE(excerpt.has_value());
  EXPECT_EQ(*excerpt, (Excerpt{1, 1, 3, {"one", "two", "three"}}));
}

TEST_F(SourceReaderTest, FirstAndLastLine) {
  write("a.cpp", "one\ntwo");
  EXPECT_EQ(reader().excerpt({"f", "a.cpp", 1, 0}), (Excerpt{1, 0, 0, {"one", "two"}}));
  EXPECT_EQ(reader().excerpt({"f", "a.cpp", 2, 9}), (Excerpt{1, 1, 0, {"one", "two"}}));
  EXPECT_FALSE(reader().excerpt({"f", "a.cpp", 3, 0}).has_value());
}

TEST_F(SourceReaderTest, FindsFilesOfAnotherCheckout) {
  write("lib/sub/b.cpp", "x\n");
  for (const char* name : {"lib/sub/b.cpp", "/build/tree/lib/sub/b.cpp", "./lib/sub/b.cpp"}) {
    EXPECT_TRUE(reader().excerpt({"f", name, 1, 0}).has_value()) << name;
  }
  EXPECT_FALSE(reader().excerpt({"f", "b.cpp", 1, 0}).has_value()) << "no guessing of folders";
}

TEST_F(SourceReaderTest, WhatIsNoSourceHasNoExcerpt) {
  write("binary", std::string("a\0b\n", 4));
  std::filesystem::create_directories(folder_ + "/dir.cpp");
  SourceReader one = reader();
  for (const char* name : {"binary", "dir.cpp", "missing.cpp", "/dev/zero", "-", ""}) {
    EXPECT_FALSE(one.excerpt({"f", name, 1, 0}).has_value()) << name;
  }
  write("a.cpp", "x\n");
  EXPECT_FALSE(one.excerpt({"f", "a.cpp", 0, 0}).has_value()) << "no line";
  EXPECT_FALSE(one.excerpt({"f", std::string("a.cpp\0x", 7), 1, 0}).has_value());
}

TEST_F(SourceReaderTest, Limits) {
  write("big.cpp", std::string(100, 'x') + "\n");
  SourceReader small({.roots = {folder_}, .most_file_bytes = 50});
  EXPECT_FALSE(small.excerpt({"f", "big.cpp", 1, 0}).has_value());
  SourceReader short_lines({.roots = {folder_}, .most_line_bytes = 10});
  EXPECT_EQ(short_lines.excerpt({"f", "big.cpp", 1, 0})->lines[0], "xxxxxxxxxx ...");
  write("c.cpp", "x\n");
  SourceReader little({.roots = {folder_}, .most_total_bytes = 50});
  EXPECT_TRUE(little.excerpt({"f", "big.cpp", 1, 0}).has_value());
  EXPECT_FALSE(little.excerpt({"f", "c.cpp", 1, 0}).has_value()) << "the total is used up";
}

TEST_F(SourceReaderTest, TabsAndOtherCharactersKeepTheCaretInPlace) {
  write("t.cpp", "\tx = 1;\n\xC3\xBC = 2;\r\n\x1b[31m\n");
  const std::optional<Excerpt> tab = reader().excerpt({"f", "t.cpp", 1, 2});
  EXPECT_EQ(tab->lines[0], "    x = 1;");
  EXPECT_EQ(tab->column, 5u);
  const std::optional<Excerpt> umlaut = reader().excerpt({"f", "t.cpp", 2, 4});
  EXPECT_EQ(umlaut->lines[1], "\xC3\xBC = 2;");
  EXPECT_EQ(umlaut->column, 3u);
  EXPECT_EQ(umlaut->lines[2], "\\x1b[31m") << "a source cannot send commands to the terminal";
}

TEST_F(SourceReaderTest, TheSamplesSpeakOfTheirSources) {
  SourceReader samples({.roots = {SAMPLE_SOURCES}});
  const auto marked = [&](const Frame& frame) {
    const std::optional<Excerpt> excerpt = samples.excerpt(frame);
    return excerpt ? excerpt->lines[excerpt->marked] : "";
  };
  EXPECT_EQ(marked(sample::write_write().first.stack[0]), "  balance += amount;");
  EXPECT_EQ(marked(sample::write_write().second.stack[0]), "  balance = 0;");
  EXPECT_EQ(marked(sample::write_read().second.stack[0]), "    return shared_entry->hits;");
  EXPECT_EQ(marked(sample::use_after_free().second.stack[1]), "  delete shared_entry;");
  EXPECT_EQ(marked(sample::lockset().first.stack[0]), "  if (balance < 0) transfers = -1;");
}

}  // namespace
}  // namespace redflag
