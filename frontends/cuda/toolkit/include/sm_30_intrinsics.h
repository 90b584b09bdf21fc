// CUDA's name for a part of the device functions. Here one header has all of them.
#pragma once
#include <redflag/device.h>
