// CUDA's second name of cuda_pipeline.h.
#pragma once
#include <cuda_pipeline.h>
