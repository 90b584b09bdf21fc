// CUDA's second name of mma.h.
#pragma once
#include <mma.h>
