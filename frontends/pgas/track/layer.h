// Layer: what the libraries that are loaded in front of MPI's and OpenSHMEM's have in common.
//
// Each wraps the calls of one library; the wrappers are made of tables (mpi/calls.txt,
// shmem/generate.py). A layer is for one process: when it is loaded, it takes itself out of LD_PRELOAD, so
// that programs which this one starts do not get it by chance.
#pragma once

#include <string>

#include "frontends/pgas/track/job.h"
#include "frontends/pgas/track/runtime.h"

namespace redflag::pgas {

// The program's own call of the library, not one that the library makes of it.
class Outermost {
 public:
  Outermost() : outermost_(depth_++ == 0) {}
  ~Outermost() { --depth_; }
  Outermost(const Outermost&) = delete;
  Outermost& operator=(const Outermost&) = delete;
  explicit operator bool() const { return outermost_; }
  // Whether the calling thread is in one.
  static bool is_any() { return depth_ != 0; }

 private:
  static inline thread_local int depth_ = 0;
  bool outermost_;
};

// Also while the library starts and ends: what its own threads do then is not the program's.
const abi::WatchTable* runtime();

// A line for the 'redflag run' of this rank (wire/line.h), where there is one: written at once, so that it is there
// however the process ends.
void report(const std::string& line);

// For a job of this model: its races go to the file that 'redflag run' reads (wire/line.h), where there is one.
Job::Options options_of(Model model);

}  // namespace redflag::pgas
