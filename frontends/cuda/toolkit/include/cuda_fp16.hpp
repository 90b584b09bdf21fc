// CUDA's second name of cuda_fp16.h.
#pragma once
#include <cuda_cuda_fp16.h>
