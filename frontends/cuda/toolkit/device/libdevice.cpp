// libdevice: the functions named __nv_*, which clang's CUDA headers call for mathematics and
// intrinsics, as bitcode that is linked into every kernel that needs some. Written from the
// definitions of the functions; nothing is NVIDIA's.
//
// Doubles are right to one unit in the last place or so, floats are computed in doubles and
// rounded. Not here: the functions of Bessel.
#include "exp_log.h"
#include "parts.h"
#include "single.h"
#include "special.h"
#include "trig.h"
#ifdef __NVPTX__
#include "intrinsics.h"
#endif
