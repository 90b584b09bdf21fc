// A struct is filled and its version raised without a fence.
// CLASS: missing-fence global
#include "tests/cuda/host/common.h"

struct Record {
  int version, x;
  long long y;
};
extern "C" __global__ void update(Record* record, long long* out) {
  if (blockIdx.x == 0) {
    record->y = 5;  // RACE
    atomicExch(&record->version, 1);
  } else {
    while (atomicAdd(&record->version, 0) == 0) {
    }
    __threadfence();
    *out = record->y;  // RACE
  }
}

const char* const script = R"(
buffer record long 2
buffer out long 1
launch update<<<2, 1>>>(record, out)
)";
MAIN(KERNEL(update))
