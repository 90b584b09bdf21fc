// Ends with a message when memory runs out, before the kernel ends us, or somebody else, without
// one.
//
// A trace may touch more memory than this machine has room to shadow, by accident or by malice. The
// process may take nine tenths of the memory that is available when it starts (its share of that,
// among the ranks of one machine); what goes beyond fails in the allocation, and out_of_memory()
// says what happened.
#pragma once

namespace redflag::cli {

void limit_memory();

// For a child process about to become another program: the limit is ours alone. Only calls
// setrlimit(2).
void lift_memory_limit();

}  // namespace redflag::cli
