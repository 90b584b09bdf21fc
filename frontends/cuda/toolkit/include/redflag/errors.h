// cudaError_t, from the same table as the error texts of libcudart.so.13.
#pragma once

enum cudaError {
#define X(number, name, text) name = number,
#include <redflag/errors.inc>
#undef X
};
typedef enum cudaError cudaError_t;
