// What wrappers of MPI's calls have in common; they are made by generate.py.
#pragma once

#include <dlfcn.h>

#include <vector>

#include "frontends/pgas/mpi/collectives.h"
#include "frontends/pgas/mpi/epochs.h"
#include "frontends/pgas/mpi/memory.h"
#include "frontends/pgas/mpi/messages.h"
#include "frontends/pgas/mpi/rma.h"
#include "frontends/pgas/track/layer.h"

namespace redflag::pgas::mpi {

// Under 'redflag confirm', operations whose real call was put off.
inline void do_deferred() {
  if (hold::Holder* const holding = hold::holder()) holding->run_deferred();
}

inline void about_to_wait(const LibraryCall& call) {
  if (State* const s = state()) s->job.waits(call);
}

inline void about_to_complete(const LibraryCall& call, const void* frame) {
  if (State* const s = state()) s->job.about_to_complete(call, frame);
}

// --- Fortran.
// Where C's functions are called by the library's own for Fortran: the program's call of these, while it lasts.
class ThroughFortran {
 public:
  explicit ThroughFortran(const void* caller) : outer_(caller_) {
    if (caller_ == nullptr) caller_ = caller;
  }
  ~ThroughFortran() { caller_ = outer_; }
  ThroughFortran(const ThroughFortran&) = delete;
  ThroughFortran& operator=(const ThroughFortran&) = delete;
  static const void* caller(const void* of_c) { return caller_ == nullptr ? of_c : caller_; }

 private:
  static inline thread_local const void* caller_ = nullptr;
  const void* outer_;
};

// The library's own function; the program would not have been linked without it.
template <typename Real>
Real real_of(const char* name) {
  void* const profiled = ::dlsym(RTLD_DEFAULT, name);
  // MPICH has no second name for those of mpi_f08.
  return reinterpret_cast<Real>(profiled != nullptr ? profiled : ::dlsym(RTLD_NEXT, name + 1));
}

// Fortran's constants for no buffer are variables of the library.
void* address_of(void* buffer);

// The statuses that a call fills: the program's, or some of our own where it wants none.
class FortranStatuses {
 public:
  FortranStatuses(MPI_Fint* given, int count);
  MPI_Fint* data() { return there_; }
  void convert(MPI_Status* to) const;

 private:
  std::vector<MPI_Fint> own_;
  MPI_Fint* there_;
  int count_;
};

}  // namespace redflag::pgas::mpi
