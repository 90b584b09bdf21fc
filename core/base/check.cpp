#include "core/base/check.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "core/base/output_file.h"

namespace redflag {
namespace {

template <typename... Arguments>
[[noreturn]] void say_and_exit(int status, const char* format, Arguments... arguments) {
  char text[512];
  const int length = std::snprintf(text, sizeof(text), format, arguments...);
  if (length > 0) {
    const auto shown = std::min(static_cast<std::size_t>(length), sizeof(text) - 1);
    if (::write(STDERR_FILENO, text, shown) < 0) status = 70;
  }
  remove_unfinished_outputs();
  ::_exit(status);
}

}  // namespace

void check_failed(const char* file, int line, const char* what) {
  say_and_exit(70,
               "redflag: internal fault: %s:%d: CHECK(%s) failed; "
               "please report this with the command and its input\n",
               file, line, what);
}

void out_of_memory(const char* what) {
  say_and_exit(
      2,
      "redflag: out of memory for %s: this trace touches more memory, or has more races, than this "
      "machine can keep track of. Use a machine with more memory, or share the work with "
      "mpirun over several\n",
      what);
}

}  // namespace redflag
