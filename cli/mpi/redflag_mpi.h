/* What libredflag-mpi.so offers: the few things replay needs of MPI, behind a C interface.
 *
 * The command loads this library only when it was started by an MPI launcher (cli/ranks.cpp), so
 * that it starts fast and runs on machines without MPI. All waiting polls with short sleeps in
 * place of MPI's busy waiting: ranks may outnumber processors. A wait ends early, with a result
 * other than 0, when `stop` returns non-zero. One thread per process calls these. */
#ifndef REDFLAG_MPI_H
#define REDFLAG_MPI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define REDFLAG_MPI_VERSION 1

typedef int (*redflag_mpi_stop)(void);
typedef void (*redflag_mpi_take)(void* context, int rank, const void* bytes, size_t size);

struct redflag_mpi {
  int version;       /* REDFLAG_MPI_VERSION, or the library is of another build */
  int (*init)(void); /* 0: done */
  int (*rank)(void);
  int (*size)(void);
  /* Rank 0 gets the bytes of every rank, its own included, in order of rank. */
  int (*gather)(const void* bytes, size_t size, redflag_mpi_take take, void* context,
                redflag_mpi_stop stop);
  /* Every rank gets rank 0's value. */
  int (*broadcast)(int* value, redflag_mpi_stop stop);
  void (*finalize)(void);
};

/* The one symbol of the library. */
const struct redflag_mpi* redflag_mpi_interface(void);

#ifdef __cplusplus
}
#endif

#endif
