// A library that is not checked: it touches memory directly, and through calls that are.
#include <stdlib.h>
#include <string.h>

void fill(char* memory, unsigned long size) {
  char* own = malloc(size);
  for (unsigned long i = 0; i < size; i++) own[i] = (char)i;
  memcpy(memory, own, size);  // RACE
  free(own);
}
