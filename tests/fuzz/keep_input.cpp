// A CHECK that fails ends a program by _exit, which libFuzzer cannot see: the input that broke it
// would be lost. The fuzzers are linked with --wrap=_exit, so that it is an abort here, and libFuzzer
// writes the input down.
#include <cstdlib>

extern "C" [[noreturn]] void __wrap__exit(int status);  // NOLINT(bugprone-reserved-identifier)

void __wrap__exit(int) {  // NOLINT(bugprone-reserved-identifier)
  std::abort();
}
