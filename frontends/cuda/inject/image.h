// Images: what programs hand to the driver as modules, and the PTX in them.
//
// A fat binary (its wrapper, or the container itself), PTX as text, or machine code, told apart by
// their first bytes. Of several PTX the newest that the GPU can run is taken. Where there is none the
// reason says what there is, for the list of kernels that were not checked.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.h"

namespace redflag::inject {

// `sm`: compute capability of the GPU times ten. Reads as far as the image's own headers say.
Result<std::string> ptx_of_image(const void* image, std::uint32_t sm);

}  // namespace redflag::inject
