#include "core/report/pattern.h"

#include <algorithm>

#include "core/base/cxx_name.h"
#include "core/report/clean.h"

namespace redflag {

Pattern::Pattern(std::string_view text) {
  if (text.starts_with('^')) {
    from_start_ = true;
    text.remove_prefix(1);
  }
  if (text.ends_with('$')) {
    to_end_ = true;
    text.remove_suffix(1);
  }
  parts_.emplace_back();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("\\*")) {
      parts_.back() += text[++i];
    } else if (text[i] == '*') {
      parts_.emplace_back();
    } else {
      parts_.back() += text[i];
    }
  }
}

bool Pattern::matches(std::string_view name) const {
  if (name.empty()) return false;
  const std::string& first = parts_.front();
  const std::string& last = parts_.back();
  if (parts_.size() == 1) {
    if (from_start_ && to_end_) return name == first;
    if (from_start_) return name.starts_with(first);
    if (to_end_) return name.ends_with(first);
    return name.find(first) != std::string_view::npos;
  }
  // The tied ends are taken off first; the parts between are then searched in what remains.
  if (from_start_) {
    if (!name.starts_with(first)) return false;
    name.remove_prefix(first.size());
  }
  if (to_end_) {
    if (!name.ends_with(last)) return false;
    name.remove_suffix(last.size());
  }
  const std::size_t begin = from_start_ ? 1 : 0;
  const std::size_t end = parts_.size() - (to_end_ ? 1 : 0);
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t at = name.find(parts_[i]);
    if (at == std::string_view::npos) return false;
    name.remove_prefix(at + parts_[i].size());
  }
  return true;
}

namespace {

// One character of a name, as a pattern has it. Cuts between two of them leave whole characters.
std::vector<std::string> in_pattern(std::string_view name) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t length = std::max<std::size_t>(1, decode_utf8(name, at).length);
    const char c = name[at];
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\';
    all.emplace_back(control ? "*" : c == '*' ? "\\*" : std::string(name.substr(at, length)));
    at += length;
  }
  return all;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

// As much of the beginning and of the end as fits.
std::string without_middle(const std::vector<std::string>& parts, std::size_t most) {
  std::string head;
  std::string tail;
  std::size_t begin = 0;
  std::size_t end = parts.size();
  while (begin < end && head.size() + parts[begin].size() <= most / 2) head += parts[begin++];
  while (begin < end && tail.size() + parts[end - 1].size() <= most - most / 2 - 1) {
    tail = parts[--end] + tail;
  }
  return head + "*" + tail;
}

}  // namespace

std::string Pattern::exactly(std::string_view name, std::size_t most) {
  const std::vector<std::string> whole = in_pattern(name);
  std::string text = joined(whole);
  if (most == 0 || text.size() + 2 <= most) return "^" + text + "$";
  const std::string_view function = qualified_name(name);
  const auto begin = static_cast<std::size_t>(function.data() - name.data());
  const std::string_view after = name.substr(begin + function.size());
  if (!function.empty() && after.starts_with('(')) {
    const std::string short_text = (begin == 0 ? "" : "* ") + joined(in_pattern(function)) + "(*";
    if (short_text.size() + 2 <= most) return "^" + short_text + "$";
  }
  return "^" + without_middle(whole, most - 2) + "$";
}

}  // namespace redflag
