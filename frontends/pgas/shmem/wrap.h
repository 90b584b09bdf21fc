// What wrappers of OpenSHMEM's calls have in common; they are made by generate.py.
#pragma once

#include <shmem.h>

#include "frontends/pgas/shmem/order.h"
#include "frontends/pgas/shmem/rma.h"

namespace redflag::pgas::shmem {

// The program's own call, not one that the library makes of it.
class Outermost {
 public:
  Outermost() : outermost_(depth_++ == 0) {}
  ~Outermost() { --depth_; }
  Outermost(const Outermost&) = delete;
  Outermost& operator=(const Outermost&) = delete;
  explicit operator bool() const { return outermost_; }

 private:
  static inline thread_local int depth_ = 0;
  bool outermost_;
};

// Also while the library starts and ends: what its own threads do then is not the program's.
inline const abi::WatchTable* runtime() {
  static const abi::WatchTable* const found = find_runtime();
  return found;
}

inline Context context_of(shmem_ctx_t handle) {
  return handle == SHMEM_CTX_DEFAULT ? nullptr : handle;
}

inline ActiveSet everybody() {
  return state() == nullptr ? ActiveSet{} : all_pes();
}

}  // namespace redflag::pgas::shmem
