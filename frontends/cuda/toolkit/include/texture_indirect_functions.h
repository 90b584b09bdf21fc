// CUDA's name for a part of the functions of textures and surfaces. Here the header of all device
// functions has them.
#pragma once
#include <redflag/device.h>
