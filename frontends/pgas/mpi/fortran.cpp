// What Fortran's wrappers need besides those that are made of the table.
#include "frontends/pgas/mpi/wrap.h"

namespace redflag::pgas::mpi {
namespace {

// Size of a status in Fortran's integers; of both libraries the C form is of as many bytes.
constexpr std::size_t kStatusWords = sizeof(MPI_Status) / sizeof(MPI_Fint);

const void* variable(const char* name) {
  return ::dlsym(RTLD_DEFAULT, name);
}

}  // namespace

void* address_of(void* buffer) {
  static const void* const bottom = variable("mpi_fortran_bottom_");
  static const void* const in_place = variable("mpi_fortran_in_place_");
  if (buffer != nullptr && buffer == bottom) return MPI_BOTTOM;
  if (buffer != nullptr && buffer == in_place) return MPI_IN_PLACE;
  return buffer;
}

FortranStatuses::FortranStatuses(MPI_Fint* given, int count) : there_(given), count_(count) {
  if (given != MPI_F_STATUS_IGNORE && given != MPI_F_STATUSES_IGNORE) return;
  own_.resize(kStatusWords * static_cast<std::size_t>(count));
  there_ = own_.data();
}

void FortranStatuses::convert(MPI_Status* to) const {
  for (int i = 0; i < count_; ++i) {
    PMPI_Status_f2c(there_ + kStatusWords * static_cast<std::size_t>(i), to + i);
  }
}

}  // namespace redflag::pgas::mpi

using namespace redflag::pgas;
using namespace redflag::pgas::mpi;

#define REDFLAG_FORTRAN extern "C" [[gnu::visibility("default")]] void

// What the library does in these is not the program's business: it makes threads and shares memory.
#define REDFLAG_CALL(name)                                                  \
  const LibraryCall call(runtime(), reinterpret_cast<const void*>(&(name)), \
                         __builtin_return_address(0))
#define REDFLAG_INIT(name)               \
  REDFLAG_FORTRAN name(MPI_Fint* ierr) { \
    using Real = void (*)(MPI_Fint*);    \
    const Outermost outermost;           \
    REDFLAG_CALL(name);                  \
    real_of<Real>("p" #name)(ierr);      \
    start();                             \
  }
#define REDFLAG_INIT_THREAD(name)                                                \
  REDFLAG_FORTRAN name(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierr) { \
    using Real = void (*)(MPI_Fint*, MPI_Fint*, MPI_Fint*);                      \
    const Outermost outermost;                                                   \
    REDFLAG_CALL(name);                                                          \
    real_of<Real>("p" #name)(required, provided, ierr);                          \
    start();                                                                     \
  }
#define REDFLAG_FINALIZE(name)           \
  REDFLAG_FORTRAN name(MPI_Fint* ierr) { \
    using Real = void (*)(MPI_Fint*);    \
    const Outermost outermost;           \
    REDFLAG_CALL(name);                  \
    finish(call);                        \
    real_of<Real>("p" #name)(ierr);      \
  }

REDFLAG_INIT(mpi_init_)
REDFLAG_INIT(mpi_init_f08_)
REDFLAG_INIT_THREAD(mpi_init_thread_)
REDFLAG_INIT_THREAD(mpi_init_thread_f08_)
REDFLAG_FINALIZE(mpi_finalize_)
REDFLAG_FINALIZE(mpi_finalize_f08_)
