#include "frontends/cuda/ptx/lexer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

namespace redflag::ptx {
namespace {

enum : std::uint8_t { kBlank = 1, kWord = 2, kDigit = 4, kStart = 8 };

constexpr std::array<std::uint8_t, 256> kChars = [] {
  std::array<std::uint8_t, 256> table{};
  for (const char c : {' ', '\t', '\r', '\n', '\f', '\v'}) {
    table[static_cast<unsigned char>(c)] = kBlank;
  }
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = kWord | kDigit;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = kWord | kStart;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = kWord | kStart;
  table['_'] = table['$'] = kWord | kStart;
  table['%'] = kStart;
  return table;
}();

bool has(char c, std::uint8_t what) {
  return (kChars[static_cast<unsigned char>(c)] & what) != 0;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

const char* word_end(const char* at, const char* end) {
  while (at < end && has(*at, kWord)) ++at;
  return at;
}

std::string_view view(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

void Lexer::skip_blank() {
  while (at_ < end_) {
    if (has(*at_, kBlank)) {
      if (*at_ == '\n') ++line_;
      ++at_;
    } else if (*at_ == '#' || (*at_ == '/' && end_ - at_ > 1 && at_[1] == '/')) {
      const void* newline = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
      at_ = newline == nullptr ? end_ : static_cast<const char*>(newline);
    } else if (*at_ == '/' && end_ - at_ > 1 && at_[1] == '*') {
      const char* begin = at_;
      const std::size_t close = view(at_, end_).find("*/", 2);
      if (close == std::string_view::npos) {
        unclosed_ = begin;
        return;
      }
      line_ += static_cast<std::uint32_t>(std::count(at_, at_ + close, '\n'));
      at_ += close + 2;
    } else {
      return;
    }
  }
}

Token Lexer::bad(const char* problem) {
  Token token;
  token.kind = TokenKind::kBad;
  token.line = line_;
  token.text = view(at_, std::min(at_ + 1, end_));
  token.problem = problem;
  return token;
}

Token Lexer::next() {
  skip_blank();
  if (unclosed_ != nullptr) return bad("a comment that does not end");
  Token token;
  token.line = line_;
  if (at_ == end_) {
    token.text = view(at_, at_);
    return token;
  }
  const char* begin = at_;
  const char c = *at_;
  if (has(c, kDigit)) return number();
  if (has(c, kStart)) {
    const char* end = word_end(at_ + 1, end_);
    if (c != '%' || end > at_ + 1) {
      token.kind = TokenKind::kName;
      at_ = end;
      token.text = view(begin, end);
      return token;
    }
  } else if (c == '.' && end_ - at_ > 1 && has(at_[1], kWord)) {
    at_ = word_end(at_ + 1, end_);
    while (end_ - at_ > 2 && at_[0] == ':' && at_[1] == ':' && has(at_[2], kWord)) {
      at_ = word_end(at_ + 2, end_);
    }
    token.kind = TokenKind::kDot;
    token.text = view(begin, at_);
    return token;
  } else if (c == '"') {
    const char* at = at_ + 1;
    while (at < end_ && *at != '"' && *at != '\n') at += *at == '\\' && end_ - at > 1 ? 2 : 1;
    if (at >= end_ || *at != '"') return bad("a string that does not end on its line");
    token.kind = TokenKind::kString;
    at_ = at + 1;
    token.text = view(begin, at_);
    return token;
  } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
    return bad("a byte that is not part of PTX text");
  }
  token.kind = TokenKind::kMark;
  token.mark = static_cast<unsigned char>(c);
  ++at_;
  if (at_ < end_) {
    constexpr std::string_view kTwo = "<<>>==!=<=>=&&||";
    for (std::size_t i = 0; i < kTwo.size(); i += 2) {
      if (c == kTwo[i] && *at_ == kTwo[i + 1]) {
        token.mark = static_cast<std::uint16_t>(token.mark << 8 | static_cast<unsigned char>(*at_));
        ++at_;
        break;
      }
    }
  }
  token.text = view(begin, at_);
  return token;
}

Token Lexer::hex_float(int digits, NumberKind kind) {
  const char* at = at_ + 2;
  std::uint64_t bits = 0;
  for (int i = 0; i < digits; ++i, ++at) {
    const int digit = at < end_ ? hex_digit(*at) : -1;
    if (digit < 0) return bad("a 0f literal without 8, or a 0d literal without 16, hex digits");
    bits = bits << 4 | static_cast<std::uint64_t>(digit);
  }
  if (at < end_ && has(*at, kWord)) return bad("a float literal with too many digits");
  Token token;
  token.kind = TokenKind::kNumber;
  token.number_kind = kind;
  token.line = line_;
  token.text = view(at_, at);
  token.value = std::bit_cast<std::int64_t>(bits);
  at_ = at;
  return token;
}

Token Lexer::decimal_float() {
  double value = 0;
  const auto [rest, fault] = std::from_chars(at_, end_, value);
  if (fault != std::errc{} || (rest < end_ && has(*rest, kWord))) {
    return bad("a decimal number that is malformed or does not fit in a double");
  }
  Token token;
  token.kind = TokenKind::kNumber;
  token.number_kind = NumberKind::kFloat64;
  token.line = line_;
  token.text = view(at_, rest);
  token.value = std::bit_cast<std::int64_t>(value);
  at_ = rest;
  return token;
}

Token Lexer::number() {
  const char* at = at_;
  unsigned base = 10;
  if (*at == '0' && end_ - at > 1) {
    const char second = static_cast<char>(at[1] | 0x20);
    if (second == 'f') return hex_float(8, NumberKind::kFloat32);
    if (second == 'd') return hex_float(16, NumberKind::kFloat64);
    if (second == 'x' || second == 'b') {
      base = second == 'x' ? 16 : 2;
      at += 2;
    } else if (has(at[1], kDigit)) {
      base = 8;
    }
  }
  const char* first = at;
  std::uint64_t value = 0;
  bool overflow = false;
  for (; at < end_; ++at) {
    const int digit = hex_digit(*at);
    if (digit < 0 || static_cast<unsigned>(digit) >= base) break;
    std::uint64_t scaled = 0;
    overflow |= __builtin_mul_overflow(value, base, &scaled);
    overflow |= __builtin_add_overflow(scaled, static_cast<unsigned>(digit), &value);
  }
  if (at == first) return bad("a number without digits");
  // 1.5, 1e3, 2.: but 4.b32 is a number in front of a word.
  if (base != 16 && base != 2 && at < end_) {
    const bool fraction = *at == '.' && !(end_ - at > 1 && has(at[1], kStart));
    const bool exponent = (*at | 0x20) == 'e' && end_ - at > 1;
    if (fraction || exponent) return decimal_float();
  }
  if (overflow) return bad("an integer that does not fit in 64 bits");
  Token token;
  token.kind = TokenKind::kNumber;
  token.line = line_;
  token.value = std::bit_cast<std::int64_t>(value);
  if (token.value < 0) token.number_kind = NumberKind::kUnsigned;
  if (at < end_ && *at == 'U') {
    token.number_kind = NumberKind::kUnsigned;
    ++at;
  }
  if (at < end_ && has(*at, kWord)) return bad("a number with letters in it");
  token.text = view(at_, at);
  at_ = at;
  return token;
}

}  // namespace redflag::ptx
