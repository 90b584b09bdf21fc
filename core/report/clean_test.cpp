#include "core/report/clean.h"

#include <gtest/gtest.h>

namespace redflag {
namespace {

TEST(Clean, OrdinaryTextStays) {
  for (const char* text : {"", "main", "a::b<int>(char*)", "größe", "变量", "\xF0\x9F\x9A\xA9"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(valid_utf8(text), text);
  }
}

TEST(Clean, ControlCharactersBecomeVisible) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable("a\nb\tc\r"), "a\\x0ab\\x09c\\x0d");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"), "\\x9b");  // the one-character form of ESC [
}

TEST(Clean, CharactersThatReorderTextBecomeVisible) {
  EXPECT_EQ(printable("a\xE2\x80\xAE"
                      "b"),
            "a\\u{202e}b");
  EXPECT_EQ(printable("\xE2\x80\xA8"), "\\u{2028}");
}

TEST(Clean, BrokenEncodingIsMended) {
  EXPECT_EQ(printable("a\xff\xfe"), "a\\xff\\xfe");
  EXPECT_EQ(valid_utf8("a\xff"
                       "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(decode_utf8("\xC0\x80", 0).length, 0u) << "overlong";
  EXPECT_EQ(decode_utf8("\xED\xA0\x80", 0).length, 0u) << "surrogate";
  EXPECT_EQ(decode_utf8("\xF4\x90\x80\x80", 0).length, 0u) << "beyond the last code point";
  EXPECT_EQ(decode_utf8("\xE2\x82", 0).length, 0u) << "cut off";
  EXPECT_EQ(decode_utf8("", 0).length, 0u);
}

TEST(Clean, EveryByteStringBecomesValidUtf8) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (const std::string& text : {valid_utf8(all), printable(all)}) {
    for (std::size_t at = 0; at < text.size();) {
      const Utf8Char c = decode_utf8(text, at);
      ASSERT_NE(c.length, 0u) << at;
      at += c.length;
    }
  }
}

TEST(Clean, Markup) {
  EXPECT_EQ(escape_markup("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escape_markup("a\nb\x01"), "a\\x0ab\\x01");
  EXPECT_EQ(escape_markup("a\nb\x01\n", true), "a\nb\\x01\n");
  EXPECT_EQ(escape_markup("\xEF\xBF\xBF"), "\\u{ffff}") << "no character of XML 1.0";
}

TEST(Clean, WidthCountsCharacters) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("größe"), 5u);
  EXPECT_EQ(display_width("\xff\xff"), 2u);
}

}  // namespace
}  // namespace redflag
