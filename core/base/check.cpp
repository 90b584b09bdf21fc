#include "core/base/check.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace redflag {

void check_failed(const char* file, int line, const char* what) {
  char text[512];
  const int length = std::snprintf(text, sizeof(text),
                                   "redflag: internal fault: %s:%d: CHECK(%s) failed; "
                                   "please report this with the command and its input\n",
                                   file, line, what);
  if (length > 0) {
    const size_t shown = std::min<size_t>(static_cast<size_t>(length), sizeof(text) - 1);
    if (::write(STDERR_FILENO, text, shown) < 0) ::_exit(70);
  }
  ::_exit(70);
}

}  // namespace redflag
