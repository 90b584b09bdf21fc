// TSAN_OPTIONS as both of its readers see it: the table of flags, and the text taken apart.
//
// The runtime in the program and the reporter read the same text, each for its own part; the rows
// of tsan_flags.inc say whose part a flag is. Words are separated by white space, commas or colons,
// a value may stand in quotes: as ThreadSanitizer reads them. Nothing here allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace redflag::wire {

enum class TsanEffect : std::uint8_t { kNone, kProgram, kReporter, kBoth };

struct TsanFlag {
  std::string_view name;
  std::string_view fallback;
  TsanEffect effect;
  std::string_view words;
};

inline constexpr TsanFlag kTsanFlags[] = {
#define TSAN_FLAG(name, fallback, effect, words) {#name, fallback, TsanEffect::effect, words},
#include "frontends/cpu/wire/tsan_flags.inc"
#undef TSAN_FLAG
};

constexpr const TsanFlag* find_tsan_flag(std::string_view name) {
  for (const TsanFlag& flag : kTsanFlags) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

constexpr bool is_for_program(const TsanFlag& flag) {
  return flag.effect == TsanEffect::kProgram || flag.effect == TsanEffect::kBoth;
}
constexpr bool is_for_reporter(const TsanFlag& flag) {
  return flag.effect == TsanEffect::kReporter || flag.effect == TsanEffect::kBoth;
}

// Whether the names of `rows` are those of the flags that satisfy `wanted`, whatever their order.
template <typename Rows>
consteval bool has_all_tsan_flags(const Rows& rows, bool (*wanted)(const TsanFlag&)) {
  std::size_t count = 0;
  for (const TsanFlag& flag : kTsanFlags) count += wanted(flag) ? 1 : 0;
  for (const auto& row : rows) {
    const TsanFlag* flag = find_tsan_flag(row.name);
    if (flag == nullptr || !wanted(*flag)) return false;
    --count;
  }
  return count == 0;
}

struct TsanWord {
  std::string_view name;
  std::string_view value;
  bool has_value = false;  // an equals sign
};

class TsanWords {
 public:
  explicit constexpr TsanWords(std::string_view text) : rest_(text) {}

  // False: there are no more.
  constexpr bool next(TsanWord& word) {
    skip_separators();
    if (rest_.empty()) return false;
    std::size_t end = 0;
    while (end < rest_.size() && rest_[end] != '=' && !separates(rest_[end])) ++end;
    word = {take(end), {}, false};
    if (rest_.empty() || rest_.front() != '=') return true;
    rest_.remove_prefix(1);
    word.has_value = true;
    word.value = value();
    return true;
  }

 private:
  static constexpr bool separates(char c) {
    return c == ' ' || c == ',' || c == ':' || c == '\t' || c == '\n' || c == '\r';
  }
  constexpr void skip_separators() {
    while (!rest_.empty() && separates(rest_.front())) rest_.remove_prefix(1);
  }
  constexpr std::string_view take(std::size_t count) {
    const std::string_view taken(rest_.data(),
                                 count);  // substr may throw, and C programs link this
    rest_.remove_prefix(count);
    return taken;
  }
  constexpr std::string_view value() {
    std::size_t end = 0;
    if (!rest_.empty() && (rest_.front() == '\'' || rest_.front() == '"')) {
      const char quote = rest_.front();
      rest_.remove_prefix(1);
      while (end < rest_.size() && rest_[end] != quote) ++end;
      const std::string_view taken = take(end);
      if (!rest_.empty()) rest_.remove_prefix(1);
      return taken;
    }
    while (end < rest_.size() && !separates(rest_[end])) ++end;
    return take(end);
  }

  std::string_view rest_;
};

// What the kinds of values may be. False: none of them, and `value` is as it was.
constexpr bool read_tsan_flag(std::string_view text, bool& value) {
  if (text == "1" || text == "yes" || text == "true") return value = true, true;
  if (text == "0" || text == "no" || text == "false") return value = false, true;
  return false;
}
constexpr bool read_tsan_number(std::string_view text, std::uint32_t& value) {
  std::uint32_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || number > 100'000'000) return false;
    number = number * 10 + static_cast<std::uint32_t>(c - '0');
  }
  if (text.empty()) return false;
  value = number;
  return true;
}

// Whether a value can be read, for flags that do something: the default says of what kind they are.
constexpr bool suits(const TsanFlag& flag, std::string_view value) {
  if (flag.effect == TsanEffect::kNone) return true;
  bool on = false;
  std::uint32_t number = 0;
  if (read_tsan_flag(flag.fallback, on) && !read_tsan_number(flag.fallback, number)) {
    return read_tsan_flag(value, on);
  }
  return !read_tsan_number(flag.fallback, number) || read_tsan_number(value, number);
}

}  // namespace redflag::wire
