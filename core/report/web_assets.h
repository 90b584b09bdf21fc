// The viewer's files from web/, made into strings at build time by embed_web.cmake. The hashes are
// what the page's Content-Security-Policy allows: only this style and this script.
#pragma once

#include <string_view>

namespace redflag {

extern const std::string_view kWebPage;  // with {{name}} where html.cpp puts things
extern const std::string_view kWebStyle;
extern const std::string_view kWebScript;
extern const std::string_view kWebStyleHash;  // sha256-...
extern const std::string_view kWebScriptHash;

}  // namespace redflag
