// cudaProfilerStart and cudaProfilerStop are with the others of the runtime API.
#pragma once

#include "cuda_runtime_api.h"
