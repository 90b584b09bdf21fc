#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/trace/reader.h"
#include "core/trace/testing.h"

namespace redflag {
namespace {

using testing::HasSubstr;

std::string format_of(const std::string& bytes) {
  const auto reader = open_trace_bytes("x", bytes);
  return reader ? (*reader)->format_name() : reader.error().message;
}

TEST(Open, ByContent) {
  EXPECT_EQ(format_of(testing_trace::to_rft({}, {})), "rft");
  EXPECT_EQ(format_of("redflag-trace 1\n"), "text");
  EXPECT_EQ(format_of("\n  # comment\n\nT0 end\n"), "text");
  EXPECT_EQ(format_of("T3 write 0x10 4"), "text");
  EXPECT_EQ(format_of("source 1 \"a|b|c\" \"\""), "text");
  EXPECT_EQ(format_of("# only a comment"), "text");
  EXPECT_EQ(format_of("\n\nT0|w(x)|1"), "std");
  EXPECT_EQ(format_of("T0 | w(x) | 1"), "std");
  EXPECT_EQ(format_of("T0 read 1 1 # not std|op(x)|1"), "text");
  EXPECT_EQ(format_of("main|acq(l)|12\r\n"), "std");
  EXPECT_EQ(format_of("\x89RF"), "rft") << "cut off, which its reader says";
}

TEST(Open, SaysWhatItFoundAndWhatTheFormatsLookLike) {
  EXPECT_EQ(format_of("\x7f"
                      "ELF\x02"),
            "x: byte 0: found '\\x7fELF\\x02', expected an .rft trace (first bytes 89 52 46 54), "
            "the text form (a line 'redflag-trace 1', or events as 'T0 write 0x1000 4') or STD "
            "(lines as 'T0|w(x)|12')");
  EXPECT_THAT(format_of(""), HasSubstr("x: empty; expected an .rft trace"));
  EXPECT_THAT(format_of("\n \n"), HasSubstr("x: byte 0: found '\\x0a"));
  EXPECT_THAT(format_of("\nhello world\n"), HasSubstr("x: byte 1: found 'hello world'"));
  EXPECT_THAT(open_trace("/nowhere/x").error().message, HasSubstr("/nowhere/x: cannot read"));
}

}  // namespace
}  // namespace redflag
