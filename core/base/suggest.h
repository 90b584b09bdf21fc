// What a mistyped word was probably meant to be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace redflag {

// Insertions, deletions, changes and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidates close to `word`, nearest first, at most three; those that begin with it count as
// close. None for words that are like nothing, or too long to be a slip.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

// "; did you mean 'a' or 'b'?", or nothing.
std::string did_you_mean(const std::vector<std::string>& words);

}  // namespace redflag
