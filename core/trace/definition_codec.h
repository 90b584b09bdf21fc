// Definitions as bytes: the payload of a definition block (docs/how/trace-format.md).
//
// Definitions are rare beside events, so this is written to be short: LEB128 numbers and strings
// with their length in front; zstd folds the repeated file names.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/trace/definition.h"

namespace redflag::rft {

void encode_definition(const Definition& definition, std::string& out);

// Takes one definition from the front of `bytes`. The error says what is wrong, without a place.
Result<Definition> decode_definition(std::string_view& bytes);

}  // namespace redflag::rft
