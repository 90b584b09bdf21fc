// Atomic operations of the program's own (C11, C++) on memory that several ranks reach directly: windows of
// MPI_Win_allocate_shared, and symmetric memory, which shmem_ptr gives to others.
//
// They order ranks as they order threads: whoever acquires from a value learns what its writer knew (shared_clocks.h). The
// runtime tells of each (abi/watch.h), in the middle of the program: nothing of the library may be called then, so nothing is
// sent; what others learn is looked up where they acquire.
//
// Limits: what is published behind a release fence is what is known at the store.
#pragma once

#include <memory>

#include "frontends/pgas/exchange/shared_clocks.h"
#include "frontends/pgas/track/job.h"

namespace redflag::pgas::mpi {

// Memory at [begin, begin + size) of this process, and what is published there. Of a rank's own, too: others have it elsewhere.
void share(Job& job, const Segment& segment, const std::shared_ptr<SharedClocks>& clocks);
void unshare(std::uint64_t window);
// The job ends: nothing is followed any more.
void unshare_all(const Job& job);

}  // namespace redflag::pgas::mpi
