// Rewind: several runs of one program, all with the same standard input.
//
// A file is read again from where it stood. What comes by a pipe is read to its end before the first run, and kept
// in memory. A terminal is left alone: the runs share it, as they would without this.
#pragma once

#include <sys/types.h>

#include "core/base/error.h"

namespace redflag::cli {

class Rewind {
 public:
  // Makes descriptor `from`, standard input, one that can be read again.
  static Result<Rewind> prepare(int from);
  void again() const;  // before each run

 private:
  int descriptor_ = -1;  // -1: it cannot be, and needs not
  off_t begin_ = 0;
};

}  // namespace redflag::cli
