// A lock announced through AnnotateRWLock is held for reading while writing.
#include "order.h"

void AnnotateRWLockCreate(const char* file, int line, const volatile void* lock);
void AnnotateRWLockDestroy(const char* file, int line, const volatile void* lock);
void AnnotateRWLockAcquired(const char* file, int line, const volatile void* lock, long is_write);
void AnnotateRWLockReleased(const char* file, int line, const volatile void* lock, long is_write);

char own;
int data;

static void* reader(void* unused) {
  AnnotateRWLockAcquired(__FILE__, __LINE__, &own, 0);
  USE(data);  // RACE
  AnnotateRWLockReleased(__FILE__, __LINE__, &own, 0);
  order_reached(1);
  return unused;
}

static void* writer(void* unused) {
  order_await(1);
  long is_write = 0;
  AnnotateRWLockAcquired(__FILE__, __LINE__, &own, is_write);
  data = 1;  // RACE
  AnnotateRWLockReleased(__FILE__, __LINE__, &own, is_write);
  return unused;
}

int main(void) {
  AnnotateRWLockCreate(__FILE__, __LINE__, &own);
  in_two_threads(reader, writer);
  AnnotateRWLockDestroy(__FILE__, __LINE__, &own);
  return 0;
}
