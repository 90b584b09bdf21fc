// Text inside XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace redflag {

// As contents of an element or of a quoted attribute. Control characters, which XML cannot have, are
// question marks; lines and tabs stay.
std::string escaped(std::string_view text);

}  // namespace redflag
