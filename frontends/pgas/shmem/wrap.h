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

// None at all is not the default one.
inline Context context_of(shmem_ctx_t handle) {
  static constexpr char kNone = 0;
  if (handle == SHMEM_CTX_DEFAULT) return nullptr;
  return handle == nullptr ? &kNone : static_cast<Context>(handle);
}

inline ActiveSet everybody() {
  return state() == nullptr ? ActiveSet{} : all_pes();
}

}  // namespace redflag::pgas::shmem
