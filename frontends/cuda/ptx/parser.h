// From PTX text to a Module.
//
// The whole ISA is parsed by one table (opcodes.inc); what it does not know is kept word for word
// as Op::kUnknown and named in the module's warnings. The first syntax error ends parsing, with
// file, line and column, what was expected and what was found. A newer PTX version than this table
// was made for is a warning. Time and memory are linear in the text; scopes, expressions and
// initializers may be nested kMaxNesting deep.
#pragma once

#include <string>

#include "core/base/error.h"
#include "frontends/cuda/ptx/ir.h"

namespace redflag::ptx {

inline constexpr int kMaxNesting = 200;
inline constexpr std::uint32_t kNewestMajor = 9;  // the version that opcodes.inc was made for
inline constexpr std::uint32_t kNewestMinor = 0;

// `path` is for messages only. The text is taken over; it must be smaller than 4 GiB.
Result<Module> parse(std::string path, std::string text);

}  // namespace redflag::ptx
