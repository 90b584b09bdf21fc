// Where a stretch ends: what may synchronise, and what may not come back.
//
// A check may be moved or replaced within a stretch of a thread between two synchronisations. Any
// call of code that is not known ends the stretch: it may take a lock, start or join a thread, free
// memory. So do fences and atomics that order something; relaxed atomics order nothing by
// themselves. So does a call that comes back twice, as setjmp does: behind it may be any later
// time. Calls that end none: LLVM's intrinsics, functions that LLVM inferred or was told to be
// nosync and nofree, and the C library's functions on numbers and, where they only read or write
// what they are given, on bytes.
//
// A check may be left to a later one only if that is sure to come: so nothing in between may throw,
// end the program, or run for ever.
#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstrTypes.h>

namespace redflag::pass {

// May another thread's accesses be ordered by it, or memory change hands?
bool may_synchronise(const llvm::Instruction& instruction, const llvm::TargetLibraryInfo& library);

// Of the C library's functions, one on numbers: it touches no memory but errno.
bool only_computes(const llvm::CallBase& call, const llvm::TargetLibraryInfo& library);

// Is the instruction after it always reached?
bool always_continues(const llvm::Instruction& instruction, const llvm::TargetLibraryInfo& library);

}  // namespace redflag::pass
