// Wrappers: images as the compiler leaves them in a program, and one of our own around another image.
//
// CUDA's runtime library takes a wrapper, which points to a container (frontends/cuda/fatbin), which has
// PTX or machine code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace redflag::inject {

// As the compiler lays it out; `objects` from version 2 on.
struct Wrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* const* objects;
};

// One PTX or one ELF file, not compressed, as nvcc's fatbinary writes it. `sm`: what the ELF file is for.
std::string container_of(std::string_view image, std::uint32_t sm);

// Around a container, which must stay where it is.
Wrapper wrapper_of(const std::string& container);

}  // namespace redflag::inject
