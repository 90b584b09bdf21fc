// Loads that a loop waits for: it does nothing but load the same bytes until they have another value.
//
// Of another rank's operation that writes them (frontends/pgas) such a loop is a mistake of its own, which is told from other races
// by it. It stores nothing; what it calls (sched_yield, usleep, a pause) is not given anything that it has computed; and
// neither the address nor the value that ends it depends on how often it went round. The same load in front of the loop, where the
// compiler took the first turn out of it, is one of them: they have one place in the source.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

namespace redflag::pass {

using PolledLoads = llvm::SmallPtrSet<const llvm::LoadInst*, 4>;

PolledLoads polled_loads(const llvm::Function& function, const llvm::LoopInfo& loops);

}  // namespace redflag::pass
