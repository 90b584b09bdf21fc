// Families of rows, and the processor levels they are compiled for.
//
// The sources of the families are compiled twice: for any processor ("baseline"), and for one with AVX2
// and FMA ("v3", what x86-64-v3 has), where 32 lanes are four vectors and a fused multiply-add is an
// instruction. plan.cpp asks the processor once. On other architectures there is only the baseline.
#pragma once

#include "frontends/cuda/values/row.h"

#ifndef REDFLAG_VALUES_LEVEL
#define REDFLAG_VALUES_LEVEL baseline
#endif

#define REDFLAG_VALUE_FAMILIES(FAMILY) \
  FAMILY(integer)                      \
  FAMILY(carry)                        \
  FAMILY(bits)                         \
  FAMILY(logic)                        \
  FAMILY(real)                         \
  FAMILY(half)                         \
  FAMILY(math)                         \
  FAMILY(compare)                      \
  FAMILY(select)                       \
  FAMILY(convert)                      \
  FAMILY(convert_real)                 \
  FAMILY(convert_packed)               \
  FAMILY(video)                        \
  FAMILY(matrix)

namespace redflag::cuda::values {

#define FAMILY(name) Rows name##_rows();
namespace baseline {
REDFLAG_VALUE_FAMILIES(FAMILY)
}
namespace v3 {
REDFLAG_VALUE_FAMILIES(FAMILY)
}
#undef FAMILY

}  // namespace redflag::cuda::values
