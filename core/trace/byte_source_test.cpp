#include "core/trace/byte_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/trace/testing.h"

namespace redflag {
namespace {

void write_file(const std::string& path, const std::string& bytes) {
  Result<OutputFile> file = OutputFile::create(path);
  ASSERT_TRUE(file && file->write(bytes) && file->commit());
}

std::vector<std::string> lines_of(ByteSource bytes) {
  LineSource lines(std::move(bytes));
  std::vector<std::string> all;
  for (;;) {
    const Result<std::optional<std::string_view>> line = lines.next();
    if (!line) {
      all.push_back("error: " + line.error().message);
      return all;
    }
    if (!*line) return all;
    all.emplace_back(**line);
  }
}

TEST(ByteSource, WindowsOverAFileLargerThanItsBuffer) {
  testing_trace::TemporaryFolder folder;
  std::string bytes(3000000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
  write_file(folder.file("x"), bytes);
  Result<ByteSource> source = ByteSource::open(folder.file("x"));
  ASSERT_TRUE(source);
  EXPECT_EQ(source->size(), bytes.size());
  std::string read;
  for (std::size_t step = 1; read.size() < bytes.size(); step = step * 3 % 500009 + 1) {
    const Result<std::string_view> window = source->window(step);
    ASSERT_TRUE(window);
    const std::size_t taken = std::min(step, window->size());
    read.append(window->substr(0, taken));
    source->consume(taken);
    ASSERT_EQ(source->position(), read.size());
  }
  EXPECT_TRUE(read == bytes);
  EXPECT_TRUE(source->window(1)->empty());
}

TEST(ByteSource, ReadsStandardInput) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "a\nb", 3), 3);
  ::close(ends[1]);
  const int before = ::dup(STDIN_FILENO);
  ASSERT_EQ(::dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  ::close(ends[0]);
  Result<ByteSource> source = ByteSource::open("-");
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ASSERT_TRUE(source);
  EXPECT_EQ(source->size(), 0u) << "unknown";
  EXPECT_EQ(source->name(), "standard input");
  EXPECT_EQ(lines_of(std::move(*source)), (std::vector<std::string>{"a", "b"}));
}

TEST(ByteSource, SaysWhyItCannotOpen) {
  EXPECT_EQ(ByteSource::open("/nowhere/x").error().message,
            "/nowhere/x: cannot read: No such file or directory");
  EXPECT_EQ(ByteSource::open("/").error().message, "/: cannot read: a directory, not a trace");
}

TEST(LineSource, SplitsLines) {
  EXPECT_EQ(lines_of(ByteSource::from_bytes("x", "")), (std::vector<std::string>{}));
  EXPECT_EQ(lines_of(ByteSource::from_bytes("x", "a\n\nb\r\nc")),
            (std::vector<std::string>{"a", "", "b", "c"}));
  EXPECT_EQ(lines_of(ByteSource::from_bytes("x", "a\n")), (std::vector<std::string>{"a"}));
}

TEST(LineSource, SplitsAFileLargerThanItsBuffer) {
  testing_trace::TemporaryFolder folder;
  std::string text;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 2000; ++i) {
    expected.push_back(std::string(i, static_cast<char>('a' + i % 26)));
    text += expected.back() + "\n";
  }
  write_file(folder.file("x"), text);
  EXPECT_TRUE(lines_of(*ByteSource::open(folder.file("x"))) == expected);
}

TEST(LineSource, RefusesLinesWithoutEnd) {
  const std::size_t limit = LineSource::kMaxLineBytes;
  EXPECT_EQ(lines_of(ByteSource::from_bytes("x", std::string(limit, 'a'))).front().size(), limit);
  EXPECT_EQ(lines_of(ByteSource::from_bytes("x", "a\n" + std::string(limit + 1, 'a'))).back(),
            "error: x:2: a line of more than 1048576 bytes, the longest allowed");
}

}  // namespace
}  // namespace redflag
