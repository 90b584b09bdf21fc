#include "core/base/suggest.h"

#include <algorithm>
#include <utility>

namespace redflag {
namespace {

constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kMostSuggestions = 3;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: a swap looks back two.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t k = 0; k <= b.size(); ++k) row[k] = k;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t change = above[k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1);
      row[k] = std::min({above[k] + 1, row[k - 1] + 1, change});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
        row[k] = std::min(row[k], before[k - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::vector<std::string> nearest(std::string_view word,
                                 const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kLongestWord) return {};
  std::vector<std::pair<std::size_t, std::string>> close;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    const std::size_t limit = std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
    const bool is_beginning = word.size() >= 2 && candidate.starts_with(word);
    if (is_beginning || distance <= limit)
      close.emplace_back(is_beginning ? 0 : distance, candidate);
  }
  std::sort(close.begin(), close.end());
  if (close.size() > kMostSuggestions) close.resize(kMostSuggestions);
  std::vector<std::string> words;
  for (auto& [distance, candidate] : close) words.push_back(std::move(candidate));
  return words;
}

std::string did_you_mean(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += "'" + words[i] + "'";
  }
  return text + "?";
}

}  // namespace redflag
