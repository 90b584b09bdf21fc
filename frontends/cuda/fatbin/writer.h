// A fat binary of our own around PTX text, for programs that are compiled without NVIDIA's
// fatbinary.
//
// One container with one entry, not packed: what read_containers() reads, libcudart.so.13 loads and
// clang embeds in the host's object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace redflag::fatbin {

// `sm`: 80 for .target sm_80.
std::string write_container(std::string_view ptx, std::uint32_t sm);

}  // namespace redflag::fatbin
