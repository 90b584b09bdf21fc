// The patterns of suppression files, for the runtime, which may not allocate (core/report/pattern.h
// has them for the reporter; pattern_test.cpp compares the two).
//
// A pattern is found anywhere in a name. `*` stands for any run of characters; `^` at the beginning
// and `$` at the end tie the pattern to that end of the name.
#pragma once

#include <cstddef>
#include <string_view>

namespace redflag::rt {

// Where `part` begins in `text`, at or after `from`; text.size() + 1: nowhere.
constexpr std::size_t find_part(std::string_view text, std::size_t from, std::string_view part) {
  for (std::size_t at = from; at + part.size() <= text.size(); ++at) {
    std::size_t i = 0;
    while (i < part.size() && text[at + i] == part[i]) ++i;
    if (i == part.size()) return at;
  }
  return text.size() + 1;
}

constexpr bool pattern_matches(std::string_view pattern, std::string_view name) {
  if (name.empty()) return false;
  const bool from_start = !pattern.empty() && pattern.front() == '^';
  if (from_start) pattern.remove_prefix(1);
  const bool to_end = !pattern.empty() && pattern.back() == '$';
  if (to_end) pattern.remove_suffix(1);
  std::size_t at = 0;  // in the name: what came before is matched
  for (bool is_first = true;; is_first = false) {
    std::size_t size = 0;
    while (size < pattern.size() && pattern[size] != '*') ++size;
    const std::string_view part(pattern.data(), size);
    const bool is_last = size == pattern.size();
    const bool tied = is_first && from_start;
    if (is_last && to_end) {
      if (at + size > name.size() || (tied && size != name.size())) return false;
      return find_part(name, name.size() - size, part) == name.size() - size;
    }
    const std::size_t found = find_part(name, at, part);
    if (found > name.size() || (tied && found != 0)) return false;
    if (is_last) return true;
    at = found + size;
    pattern.remove_prefix(size + 1);
  }
}

}  // namespace redflag::rt
