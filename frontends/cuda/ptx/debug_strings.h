// The strings of a module's .debug_str section: the names of functions that .loc says were inlined.
//
// nvcc -lineinfo writes them as labelled bytes. Other debug sections are not read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "frontends/cuda/ptx/ir.h"

namespace redflag::ptx {

class DebugStrings {
 public:
  explicit DebugStrings(const Module& module);

  // The string at label + offset; empty: there is none. Valid as long as this object.
  std::string_view find(std::string_view label, std::uint64_t offset) const;
  // The (mangled) function that an inlined location lies in.
  std::string_view function_of(const Location& location) const {
    return find(location.function_label, location.function_offset);
  }

 private:
  std::string bytes_;
  std::unordered_map<std::string_view, std::size_t> labels_;  // names are the module's
};

}  // namespace redflag::ptx
