// Clean: makes names of the checked program safe to print.
//
// A function or variable name can hold any bytes, by accident (a broken symbol table) or by intent
// (escape sequences that repaint a terminal, invisible characters that reorder a line). Every
// printer passes names through here. printable() keeps ordinary text of every language and shows
// the rest as visible escapes; valid_utf8() only repairs the encoding, for formats that can carry
// control characters in an escaped form of their own. Neither ever fails. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace redflag {

// One decoded character of `text` at `at`. `length` 0 means: this byte starts no valid character.
struct Utf8Char {
  std::uint32_t code = 0;
  std::uint32_t length = 0;
};
Utf8Char decode_utf8(std::string_view text, std::size_t at);

// `text` with each invalid byte replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

// `text` as one line that affects no other line: control characters become \xNN,
// invisible formatting characters (which can reverse the direction of text) become \u{NNNN}, bytes
// that are not UTF-8 become \xNN.
std::string printable(std::string_view text);

// printable() text for XML and HTML, in elements and in quoted attributes. Line ends are kept when
// `keep_lines`.
std::string escape_markup(std::string_view text, bool keep_lines = false);

// Number of columns `text` takes, counting every character as one. For aligning a caret.
std::size_t display_width(std::string_view text);

}  // namespace redflag
