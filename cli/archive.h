// What a static library (.a) defines, read from its index, and its members.
//
// The format of GNU ar: a member called "/" lists every global symbol that is defined, with the place
// of its member; names of more than 15 letters stand in a member called "//". Thin archives and those
// without an index are refused: nothing here makes them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace redflag::cli {

struct Archive {
  std::string bytes;                             // the whole file
  std::map<std::string, std::uint32_t> defined;  // symbol -> where its member begins in `bytes`
  std::string_view names;                        // of "//"

  // Of the member that begins there; empty if the archive is cut short.
  std::string member_name(std::uint32_t at) const;
  std::string_view member(std::uint32_t at) const;
};

Result<Archive> read_archive(const std::string& path);

}  // namespace redflag::cli
