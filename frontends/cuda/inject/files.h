// Files that programs name or are loaded from.
#pragma once

#include <optional>
#include <string>

namespace redflag::inject {

// nullopt: it cannot be read.
std::optional<std::string> read_file(const char* path);
// The file that an address of this process was loaded from; empty: none.
std::string file_of(const void* address);

}  // namespace redflag::inject
