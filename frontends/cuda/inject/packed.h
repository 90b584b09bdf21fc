// Rewritten modules as bytes, for the cache.
//
// Integers little-endian, strings and lists with their counts in front. Whoever reads trusts nothing:
// other versions write other bytes, but under other names (the key has the version).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cuda/rewrite/rewrite.h"

namespace redflag::inject {

struct Code : rewrite::Rewritten {
  std::vector<std::string> variables;  // of the program, in global memory
  std::string note;                    // of a link: which parts of it were not rewritten, and why
};

std::string pack(const Code& module);
std::optional<Code> unpack(std::string_view bytes);

}  // namespace redflag::inject
