#include "core/report/clean.h"

#include "core/base/markup.h"

namespace redflag {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

void append_byte_escape(std::string& out, unsigned char byte) {
  out += "\\x";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

void append_code_escape(std::string& out, std::uint32_t code) {
  out += "\\u{";
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[(code >> shift) & 15];
  out += '}';
}

// Characters that draw nothing but change how their neighbours are drawn or broken into lines.
bool is_invisible(std::uint32_t c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF || c == 0x061C;
}

}  // namespace

Utf8Char decode_utf8(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const std::uint32_t lead = byte(at);
  if (lead < 0x80) return {lead, at < text.size() ? 1u : 0u};
  std::uint32_t length = 0;
  std::uint32_t smallest = 0;
  std::uint32_t code = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2, smallest = 0x80, code = lead & 0x1F;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3, smallest = 0x800, code = lead & 0x0F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4, smallest = 0x10000, code = lead & 0x07;
  } else {
    return {};
  }
  for (std::uint32_t i = 1; i < length; ++i) {
    const std::uint32_t next = byte(at + i);
    if ((next & 0xC0) != 0x80) return {};
    code = code << 6 | (next & 0x3F);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < smallest || code > 0x10FFFF || surrogate) return {};
  return {code, length};
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    if (c.length == 0) {
      out += "\xEF\xBF\xBD";
      ++at;
    } else {
      out.append(text, at, c.length);
      at += c.length;
    }
  }
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    if (c.length == 0) {
      append_byte_escape(out, static_cast<unsigned char>(text[at]));
      ++at;
      continue;
    }
    if (c.code < 0x20 || (c.code >= 0x7F && c.code <= 0x9F)) {
      append_byte_escape(out, static_cast<unsigned char>(c.code));
    } else if (is_invisible(c.code)) {
      append_code_escape(out, c.code);
    } else {
      out.append(text, at, c.length);
    }
    at += c.length;
  }
  return out;
}

std::string escape_markup(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  const auto flush = [&](std::string_view line) { out += escaped(printable(line)); };
  while (keep_lines) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    flush(text.substr(0, end));
    out += '\n';
    text.remove_prefix(end + 1);
  }
  flush(text);
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size(); ++width) {
    const Utf8Char c = decode_utf8(text, at);
    at += c.length == 0 ? 1 : c.length;
  }
  return width;
}

}  // namespace redflag
