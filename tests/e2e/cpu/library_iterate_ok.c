// The linker's own names are read in a callback of dl_iterate_phdr, while a library is opened and closed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "order.h"

static atomic_int stop;

static int look(struct dl_phdr_info* info, size_t size, void* count) {
  if (strcmp(info->dlpi_name, "no such name") == 0) return 1;
  for (int i = 0; i < info->dlpi_phnum; i++) *(long*)count += info->dlpi_phdr[i].p_type == PT_LOAD;
  return size == 0;
}

static void* looker(void* unused) {
  long count = 0;
  while (!atomic_load(&stop)) dl_iterate_phdr(look, &count);
  return count == 0 ? &stop : unused;
}

static void* opener(void* unused) {
  for (int i = 0; i < 200; i++) {
    void* library = dlopen(LIBRARY, RTLD_NOW);
    if (library == NULL) break;
    ((int*)dlsym(library, "table"))[i % 64] = i;
    dlclose(library);
  }
  atomic_store(&stop, 1);
  return unused;
}

int main(void) {
  in_two_threads(looker, opener);
  return 0;
}
