// Callbacks of dl_iterate_phdr in two threads change a variable of the program.
#define _GNU_SOURCE
#include <link.h>

#include "order.h"

static int seen;

static int look(struct dl_phdr_info* info, size_t size, void* unused) {
  seen += info->dlpi_phnum;  // RACE RACE
  USE(unused);
  return size != 0;
}

static void* first(void* unused) {
  dl_iterate_phdr(look, NULL);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  dl_iterate_phdr(look, NULL);
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
