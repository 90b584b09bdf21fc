// Tokens of PTX text, as views into it: nothing is copied or allocated.
//
// A word behind a dot is one token with its dot and its `::` parts (.shared::cta), so that
// directives, types and modifiers are told apart by the parser, which knows where it is. Comments
// and lines that begin with # are white space. Numbers are valued here: integers as 64 bits, 0f and
// 0d literals as bits, decimal fractions as doubles.
#pragma once

#include <cstdint>
#include <string_view>

#include "frontends/cuda/ptx/operand.h"

namespace redflag::ptx {

enum class TokenKind : std::uint8_t {
  kEnd,
  kName,  // identifier, with % or $ where it has one
  kDot,   // .word
  kNumber,
  kString,  // with its quotes
  kMark,    // punctuation, one or two characters
  kBad,     // `problem` says why
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  NumberKind number_kind = NumberKind::kSigned;
  std::uint16_t mark = 0;  // 'c', or two characters as mark("<<")
  std::uint32_t line = 1;
  std::string_view text;
  std::int64_t value = 0;
  const char* problem = nullptr;

  bool is(char c) const {
    return kind == TokenKind::kMark && mark == static_cast<unsigned char>(c);
  }
  bool is(const char (&two)[3]) const {
    return kind == TokenKind::kMark &&
           mark == (static_cast<unsigned char>(two[0]) << 8 | static_cast<unsigned char>(two[1]));
  }
  bool is_dot(std::string_view word) const { return kind == TokenKind::kDot && text == word; }
  const char* begin() const { return text.data(); }
  const char* end() const { return text.data() + text.size(); }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  Token next();
  // Continues behind `place`, which is in the text on line `line`.
  void jump(const char* place, std::uint32_t line) {
    at_ = place;
    line_ = line;
  }
  const char* place() const { return at_; }
  const char* text_end() const { return end_; }
  std::uint32_t line() const { return line_; }

 private:
  void skip_blank();
  Token number();
  Token hex_float(int digits, NumberKind kind);
  Token decimal_float();
  Token bad(const char* problem);

  const char* at_;
  const char* end_;
  std::uint32_t line_ = 1;
  const char* unclosed_ = nullptr;  // where a comment begins that does not end
};

}  // namespace redflag::ptx
