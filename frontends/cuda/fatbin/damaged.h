// What is said of a file whose bytes are not what its headers promise.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.h"

namespace redflag::fatbin {

inline Failure damaged(const std::string& file, std::uint64_t place, const std::string& what) {
  return fail(file + ": at byte " + std::to_string(place) + ": " + what +
              "\nthe file may be cut off or damaged: build or copy it again");
}

}  // namespace redflag::fatbin
