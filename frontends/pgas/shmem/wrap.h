// What wrappers of OpenSHMEM's calls have in common; they are made by generate.py.
#pragma once

#include <shmem.h>

#include "frontends/pgas/shmem/order.h"
#include "frontends/pgas/shmem/rma.h"
#include "frontends/pgas/track/layer.h"

namespace redflag::pgas::shmem {

// Under 'redflag confirm', operations whose real call was put off.
inline void do_deferred() {
  if (hold::Holder* const holding = hold::holder()) holding->run_deferred();
}

inline void about_to_wait(const LibraryCall& call) {
  if (State* const s = state()) s->job.waits(call);
}

inline Context context_of(shmem_ctx_t handle) {
  return handle == SHMEM_CTX_DEFAULT ? nullptr : handle;
}

inline ActiveSet everybody() {
  return state() == nullptr ? ActiveSet{} : all_pes();
}

}  // namespace redflag::pgas::shmem
