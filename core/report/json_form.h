// The report as a JSON value, for renderers that put it inside something else. Used by json.cpp and
// html.cpp; not part of the library's interface, so that its users need not compile the JSON
// library.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/model/finding.h"

namespace redflag {

using Json = nlohmann::ordered_json;

Json to_json_form(const Report& report);

// Text of a value. Bytes that are not UTF-8 become U+FFFD.
std::string dump(const Json& value, int indent, bool ascii_only = false);

}  // namespace redflag
