// Errors as values.
//
// A function that can fail on user input returns Result<T>. The message is written for the person
// who ran the command: what was needed, what was found, where (file with line or byte offset), and,
// where one exists, the command that mends it. Impossible states are CHECKs (check.h), never
// Errors.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace redflag {

struct Error {
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;

using Failure = tl::unexpected<Error>;

inline Failure fail(std::string message) {
  return Failure(Error{std::move(message)});
}

}  // namespace redflag
