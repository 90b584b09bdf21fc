// CUDA's name for the keywords that it adds to C++.
#pragma once
#include <redflag/attributes.h>
