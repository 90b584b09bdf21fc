// Included in every .cu file: the runtime API and all functions of kernels.
#pragma once

#define __CUDA_RUNTIME_H__

#include "redflag/attributes.h"
// The order matters: types, then the calls made of them, then the device.
#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "driver_types.h"
#include "redflag/templates.h"
#include "vector_functions.h"
#include "vector_types.h"
#ifdef __CUDA__
#include "redflag/device.h"
#endif
