// CUDA's name for a part of the runtime API's types. Here driver_types.h has all of them.
#pragma once

#include "driver_types.h"
