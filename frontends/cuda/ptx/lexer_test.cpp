#include "frontends/cuda/ptx/lexer.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

namespace redflag::ptx {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  Lexer lexer(text);
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    out.emplace_back(token.kind == TokenKind::kBad ? token.problem : std::string(token.text));
    if (token.kind == TokenKind::kBad) break;
  }
  return out;
}

Token only(std::string_view text) {
  Lexer lexer(text);
  return lexer.next();
}

TEST(Lexer, WordsAndMarks) {
  EXPECT_EQ(words("@!%p1 ld.shared::cta.v4.f32 {a,_}, [$x+-8]; // end"),
            (std::vector<std::string>{
                "@", "!", "%p1", "ld", ".shared::cta", ".v4", ".f32", "{", "a", ",",
                "_", "}", ",",   "[",  "$x",           "+",   "-",    "8", "]", ";"}));
  EXPECT_EQ(words(".reg .b32 %r<10>;"),
            (std::vector<std::string>{".reg", ".b32", "%r", "<", "10", ">", ";"}));
  EXPECT_EQ(words("a<<2 a%3 tex.2d"),
            (std::vector<std::string>{"a", "<<", "2", "a", "%3", "tex", ".2d"}));
}

TEST(Lexer, CommentsAndLines) {
  Lexer lexer("/* a\n b */ x // y\n#line 7\n z");
  EXPECT_EQ(lexer.next().line, 2U);
  EXPECT_EQ(lexer.next().line, 4U);
  EXPECT_EQ(lexer.next().kind, TokenKind::kEnd);
}

TEST(Lexer, Numbers) {
  EXPECT_EQ(only("0x7f").value, 127);
  EXPECT_EQ(only("017").value, 15);
  EXPECT_EQ(only("0b101").value, 5);
  EXPECT_EQ(only("5U").number_kind, NumberKind::kUnsigned);
  EXPECT_EQ(only("0xFFFFFFFFFFFFFFFF").value, -1);
  EXPECT_EQ(only("0xFFFFFFFFFFFFFFFF").number_kind, NumberKind::kUnsigned);
  EXPECT_EQ(only("0f3F800000").number_kind, NumberKind::kFloat32);
  EXPECT_EQ(only("0f3F800000").value, 0x3f800000);
  EXPECT_EQ(std::bit_cast<double>(only("0d3FE0000000000000").value), 0.5);
  EXPECT_EQ(std::bit_cast<double>(only("2.5e1").value), 25.0);
}

TEST(Lexer, WhatIsNoToken) {
  EXPECT_EQ(words("0f12").back(), "a 0f literal without 8, or a 0d literal without 16, hex digits");
  EXPECT_EQ(words("99999999999999999999").back(), "an integer that does not fit in 64 bits");
  EXPECT_EQ(words("12ab").back(), "a number with letters in it");
  EXPECT_EQ(words("\"open\n").back(), "a string that does not end on its line");
  EXPECT_EQ(words("/* open").back(), "a comment that does not end");
  EXPECT_EQ(words("\x01").back(), "a byte that is not part of PTX text");
}

}  // namespace
}  // namespace redflag::ptx
