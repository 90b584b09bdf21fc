// Two contexts run on two threads without order between them.
#include <stdlib.h>
#include <ucontext.h>

#include "order.h"

void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);

struct Context {
  ucontext_t home, away;
  void *home_fiber, *away_fiber;
};
static _Thread_local struct Context* current;
int shared;

static void inside(void) {
  shared++;  // RACE RACE
  order_arrived();
  order_await(2);
  __tsan_switch_to_fiber(current->home_fiber, 0);
  swapcontext(&current->away, &current->home);
}

static void* body(void* unused) {
  struct Context* context = calloc(1, sizeof *context);
  current = context;
  context->home_fiber = __tsan_get_current_fiber();
  context->away_fiber = __tsan_create_fiber(0);
  getcontext(&context->away);
  context->away.uc_stack.ss_sp = malloc(1 << 16);
  context->away.uc_stack.ss_size = 1 << 16;
  makecontext(&context->away, inside, 0);
  __tsan_switch_to_fiber(context->away_fiber, 0);
  swapcontext(&context->home, &context->away);
  __tsan_destroy_fiber(context->away_fiber);
  free(context->away.uc_stack.ss_sp);
  free(context);
  return unused;
}

int main(void) {
  in_two_threads(body, body);
  return 0;
}
