#include "core/report/pattern.h"

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
  for (;;) {
    const std::size_t star = text.find('*');
    parts_.emplace_back(text.substr(0, star));
    if (star == std::string_view::npos) break;
    text.remove_prefix(star + 1);
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

std::string Pattern::exactly(std::string_view name) {
  std::string text = "^";
  for (const char c : name) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    text += control ? '*' : c;
  }
  return text + "$";
}

}  // namespace redflag
