// A fiber that is switched to without order races with the one before it.
#include <stddef.h>

void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_set_fiber_name(void* fiber, const char* name);

// __tsan_switch_to_fiber_no_sync
enum { kFlags = 1 };
int shared;

__attribute__((noinline)) static void in_fiber(void) {
  shared = 1;  // RACE
}

int main(void) {
  void* here = __tsan_get_current_fiber();
  void* fiber = __tsan_create_fiber(0);
  __tsan_set_fiber_name(fiber, "worker");
  __tsan_switch_to_fiber(fiber, kFlags);
  in_fiber();
  __tsan_switch_to_fiber(here, kFlags);
  shared = 2;  // RACE
  __tsan_destroy_fiber(fiber);
  return shared == 2 ? 0 : 1;
}
