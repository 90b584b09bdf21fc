// Calls that are wrong whatever other PEs do: on memory that is not symmetric or beyond its end, towards a PE that there is not, on a
// context that is not there, on locks that are held or not held, and while the library is not running.
//
// OpenSHMEM 1.4, sections 3 (symmetric objects), 9.1 (initialisation), 9.4 (contexts), 9.11 (locks). An allocation of the symmetric heap
// has bounds; of the program's global variables only those of all of them together are known. What is neither may still
// be memory that the library can reach (a variable of a shared library): then it is asked, and nothing is said.
#pragma once

#include "frontends/pgas/shmem/rma.h"
#include "frontends/pgas/shmem/state.h"

namespace redflag::pgas::shmem {

// Before an operation: what it touches. Nothing: it cannot be followed.
std::optional<Place> target_of(const LibraryCall& call, const Operation& operation);
// Before a call that completes or orders what was done on a context.
void look_at_context(const LibraryCall& call, Context context);
// Before a call that needs a symmetric object of this PE: its first byte.
void look_at_object(const LibraryCall& call, const volatile void* address);
// Before a collective: this PE is one of those, and there are all of them. False: its order cannot be followed.
bool is_right(const LibraryCall& call, const ActiveSet& set, int root = 0);

// Locks of this PE: before it sets one, when it has it, before it clears it.
void look_before_set(const LibraryCall& call, const volatile void* lock);
void lock_taken(const volatile void* lock);
void look_before_clear(const LibraryCall& call, const volatile void* lock);

// Before shmem_free and its kin.
void look_before_free(const LibraryCall& call, const void* p);

}  // namespace redflag::pgas::shmem
