// What micro-operations do: the handlers, by file. Decoding chooses among them once; those that touch
// memory come in versions with and without a sink, so that telling nobody costs nothing.
#pragma once

#include "frontends/cuda/emulate/code.h"
#include "frontends/cuda/emulate/program.h"

namespace redflag::cuda {

// control.cpp
void do_join(Run& run, const MicroOp& op);
void do_jump(Run& run, const MicroOp& op);
void do_branch(Run& run, const MicroOp& op);
void do_branch_table(Run& run, const MicroOp& op);  // extra: vector of targets
void do_return(Run& run, const MicroOp& op);        // at the function's end
void do_exit(Run& run, const MicroOp& op);
void do_trap(Run& run, const MicroOp& op);
void do_nothing(Run& run, const MicroOp& op);
void do_nanosleep(Run& run, const MicroOp& op);

// call.cpp
void do_call(Run& run, const MicroOp& op);  // extra: CallOp
void do_builtin(Run& run, const MicroOp& op);
void do_alloca(Run& run, const MicroOp& op);
void do_stack_save(Run& run, const MicroOp& op);
void do_stack_restore(Run& run, const MicroOp& op);

// moves.cpp: operands that operations cannot take as they are
void do_not(Run& run, const MicroOp& op);             // predicate
void do_narrow(Run& run, const MicroOp& op);          // 32 from 64 bits
void do_widen(Run& run, const MicroOp& op);           // 64 from 32 bits
void do_refresh(Run& run, const MicroOp& op);         // constant: the special register
void do_shared_address(Run& run, const MicroOp& op);  // the same
void do_local_address(Run& run, const MicroOp& op);   // constant: offset; shift: bits
void do_cvta(Run& run, const MicroOp& op);            // extra: MemoryOp
void do_isspacep(Run& run, const MicroOp& op);
void do_mapa(Run& run, const MicroOp& op);
void do_getctarank(Run& run, const MicroOp& op);

// load_store.cpp
void do_discard(Run& run, const MicroOp& op);         // extra: MemoryOp
void do_keep_parameter(Run& run, const MicroOp& op);  // extra: MemoryOp; constant: local memory
Handler load_handler(const MemoryOp& how, const Mode& mode);
Handler store_handler(const MemoryOp& how, const Mode& mode);
Handler parameter_handler(const MemoryOp& how, bool of_kernel, bool writes);
// atomic.cpp
Handler atomic_handler(const MemoryOp& how, const Mode& mode);  // nullptr: no such operation
Handler fence_handler(const Mode& mode);
// One element of memory and one operand, as an atomic of that operation would.
bool can_reduce(const MemoryOp& how);
void reduce_element(const MemoryOp& how, std::uint64_t host, const void* operand, bool parallel);

// barrier.cpp
void do_barrier(Run& run, const MicroOp& op);  // extra: BarrierOp
void do_cluster_arrive(Run& run, const MicroOp& op);
void do_cluster_wait(Run& run, const MicroOp& op);

// collective.cpp: extra CollectiveOp
void do_collective(Run& run, const MicroOp& op);
void do_activemask(Run& run, const MicroOp& op);

// converge.cpp
void do_converge(Run& run, const MicroOp& op);

// async.cpp
void do_copy_async(Run& run, const MicroOp& op);
void do_copy_commit(Run& run, const MicroOp& op);
void do_copy_wait(Run& run, const MicroOp& op);
void do_copy_arrive(Run& run, const MicroOp& op);
void do_copy_bulk(Run& run, const MicroOp& op);
void do_mbarrier(Run& run, const MicroOp& op);
// async_store.cpp: extra AsyncOp
void do_store_async(Run& run, const MicroOp& op);
void do_reduce_async(Run& run, const MicroOp& op);
void do_reduce_bulk(Run& run, const MicroOp& op);

// fragment.cpp: extra FragmentOp
void do_fragment_load(Run& run, const MicroOp& op);
void do_fragment_store(Run& run, const MicroOp& op);
// matrix.cpp
void do_ldmatrix(Run& run, const MicroOp& op);
void do_stmatrix(Run& run, const MicroOp& op);

}  // namespace redflag::cuda
