// What the twins of ScoR's programs have in common: races by number, and fences of a chosen scope.
#pragma once

#ifndef RACE
#define RACE 0
#endif
#define IS(n) (RACE == (n))

__device__ inline void fence(bool narrow) {
  if (narrow) {
    __threadfence_block();
  } else {
    __threadfence();
  }
}
