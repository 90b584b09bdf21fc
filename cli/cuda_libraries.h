// Libraries that come with NVIDIA's toolkit and that Redflag's headers do not replace, by the
// headers they are included by: a program that needs one is refused by its name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace redflag::cli {

struct CudaLibrary {
  std::string_view prefix;  // of the header's name
  std::string_view name;
};
std::span<const CudaLibrary> cuda_libraries();

// From a makefile's rule (-M -MG): the message about the first header of such a library; empty:
// there is none.
std::string missing_library(std::string_view rule);

}  // namespace redflag::cli
