// A program whose kernels are in a library that it is linked with (library.cpp).
#include <cstdio>

extern "C" void collide_on_gpu();

int main() {
  collide_on_gpu();
  std::printf("the library has returned\n");
  return 0;
}
