// Atomics: their operations are done by the runtime, which must see them together with their order.
//
// Loads, stores, exchanges and updates become the ABI's __tsan_atomicN_*; updates that it has no name
// for (max, min, of floating point, ...) become loops of compare-and-exchange first, which the stock
// pass leaves unseen. Fences within a thread stay what they are.
#pragma once

#include <llvm/IR/Instruction.h>

namespace redflag::pass {

bool is_atomic(const llvm::Instruction& instruction);

// False: of a size that no runtime function has; left as it was.
bool lower_atomic(llvm::Instruction& instruction);

}  // namespace redflag::pass
