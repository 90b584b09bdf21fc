// Misuse: calls that are wrong whatever other ranks do, told where they are made, each place once.
//
// What the library makes of them is its own affair, and may be the end of the job: so layers look at a call before
// they make it, and what is wrong is written at once (layer.h). Which calls are wrong is each
// model's own (mpi/misuse.h, shmem/misuse.h).
#pragma once

#include "frontends/pgas/track/runtime.h"
#include "frontends/pgas/wire/line.h"

namespace redflag::pgas {

// `line`: all but what is wrong and the place, which is that of the call.
void tell_misuse(const LibraryCall& call, Misuse what, MisuseLine line);

// Of this process, also before the library is started and after its end: as its launcher says.
std::uint32_t rank_by_launcher();

}  // namespace redflag::pgas
