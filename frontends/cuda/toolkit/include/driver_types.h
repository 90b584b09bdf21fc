// The types of CUDA's runtime API.
#pragma once

// Programs ask by NVIDIA's guards which headers were included.
#define __DRIVER_TYPES_H__

#include "vector_types.h"
// Types that the ones below are made of come first.
#include "redflag/attributes_of_device.h"
#include "redflag/enums.h"
#include "redflag/errors.h"
#include "redflag/structs.h"
