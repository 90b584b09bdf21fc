// CUDA's name for the functions that kernels call. Kernels that launch kernels are not supported.
#pragma once
#include <redflag/device.h>
