// Relocatable device code (nvcc -rdc=true): the PTX of the objects that a program was linked from.
//
// Such a program hands over machine code that nvlink has made, or names its objects in the wrapper, for
// the driver to link. Either way the objects' own fat binaries are in the file that the wrapper was
// loaded from (section __nv_relfatbin): their PTX is what can be rewritten, and linked again.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/cuda/inject/links.h"

namespace redflag::inject {

// An input for each object: PTX, or machine code where it has nothing else for the GPU (`sm`: capability
// times ten). Empty: the image is no such program's, or there is no PTX at all.
std::vector<Input> objects_of(const void* image, std::uint32_t sm);

}  // namespace redflag::inject
