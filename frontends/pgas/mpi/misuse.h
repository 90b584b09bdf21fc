// Operations that are wrong whatever other ranks do: outside of any epoch, beyond the target's part of the window or on memory
// that it has not attached, towards a rank that the window does not have, on no window, or while MPI is not running.
//
// What the parts of a window are is told among its ranks when it is made; what is attached to dynamic
// ones is looked up (attachments.h). A fence opens an epoch until one that says
// MPI_MODE_NOSUCCEED: another kind of epoch behind it is taken not to end it, which the standard
// leaves open for those without operations.
#pragma once

#include <optional>

#include "frontends/pgas/mpi/rma.h"

namespace redflag::pgas::mpi {

// Epochs of a window at this rank, as targets of operations see them.
void fence_passed(const Win& win, int assertion);
void target_locked(const Win& win, int target);
void target_unlocked(const Win& win, int target);
void all_locked(const Win& win);
void all_unlocked(const Win& win);

// Collective over the window, behind its making.
void parts_told(const Win& win, std::uint64_t size, std::uint64_t unit, bool is_dynamic);
void parts_forgotten(const Win& win);

// Before an operation: says what is wrong with it.
void look(const LibraryCall& call, State& s, Win& win, const Target& target);
// Where the layer knows no such window.
void look_without_window(const LibraryCall& call, const Target& target);
// Displacements of such an operation, which is right but for that, that are within its target's part; nothing:
// that is not known by its size.
struct Displacements {
  std::int64_t first = 0;
  std::int64_t last = -1;
};
std::optional<Displacements> within(State& s, const Win& win, const Target& target);

}  // namespace redflag::pgas::mpi
