// Which of the three plugins this is: the one thing in which they differ.
#pragma once

#include <cstdint>

namespace redflag::pass {

enum class Plugin : std::uint8_t {
  kChecking,
  kSampling,  // with the pass `sampled`
  kCounting,  // each access checked by itself, in its place
};
extern const Plugin kPlugin;

}  // namespace redflag::pass
