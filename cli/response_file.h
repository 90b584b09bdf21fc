// The words of a response file (@FILE), as gcc and clang read them: blanks separate, quotes and
// backslashes protect. An open quote ends with the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redflag::cli {

std::vector<std::string> response_words(std::string_view text);

}  // namespace redflag::cli
