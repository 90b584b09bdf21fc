// ranks: 2
// shmem_ctx_destroy completes what was done on the context (1.4, section 9.4.2), as shmem_ctx_quiet does.
#include "case.h"

static void test(void) {
  shmem_ctx_t context;
  if (shmem_ctx_create(0, &context) != 0) exit(2);
  if (pe == 0) shmem_ctx_int_put(context, memory, ones, 1, 1);  // RACE
  RIGHT(shmem_ctx_destroy(context));
  shmem_barrier_all();
  if (pe == 1) use(memory[0]);  // RACE
  RACY(shmem_ctx_destroy(context));
}
