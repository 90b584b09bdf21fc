// ranks: 2
// quiet of the default context does not complete another.
#include "case.h"

static void test(void) {
  shmem_ctx_t context;
  shmem_ctx_create(0, &context);
  if (pe == 0) {
    shmem_ctx_int_put(context, memory, ones, 1, 1);  // RACE
    CASE(shmem_quiet(), shmem_ctx_quiet(context));
  }
  shmem_sync_all();
  if (pe == 1) use(memory[0]);  // RACE
  if (pe == 0) RACY(shmem_ctx_quiet(context));
  shmem_barrier_all();
  shmem_ctx_destroy(context);
}
