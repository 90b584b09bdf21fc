// ranks: 2
// Nothing is done on a context that was destroyed.
#include "case.h"

static void test(void) {
  shmem_ctx_t context;
  if (shmem_ctx_create(0, &context) != 0) exit(2);
  RACY(shmem_ctx_destroy(context));
  if (pe == 0) {
    shmem_ctx_int_put(context, memory, ones, 1, 1);  // MISUSE rma-bad-handle
  }
  RIGHT(shmem_ctx_destroy(context));
}
