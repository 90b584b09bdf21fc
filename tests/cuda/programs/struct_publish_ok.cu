// A struct is filled, then a fence, then its version is raised.
#include "tests/cuda/host/common.h"

struct Record {
  int version, x;
  long long y;
};
extern "C" __global__ void update(Record* record, long long* out) {
  if (blockIdx.x == 0) {
    record->y = 5;
    __threadfence();
    atomicExch(&record->version, 1);
  } else {
    while (atomicAdd(&record->version, 0) == 0) {
    }
    __threadfence();
    *out = record->y;
  }
}

const char* const script = R"(
buffer record long 2
buffer out long 1
launch update<<<2, 1>>>(record, out)
expect out[0] == 5
)";
MAIN(KERNEL(update))
