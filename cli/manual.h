// The manual page redflag(1), as man(7) source made from the tables.
#pragma once

#include <string>

namespace redflag::cli {

std::string manual_page();

}  // namespace redflag::cli
