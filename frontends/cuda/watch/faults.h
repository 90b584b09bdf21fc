// Faults: the program touches memory that we have closed; it is opened for that one instruction.
//
// Handlers of SIGSEGV and SIGTRAP: who has closed memory says whether a fault is its own and opens the memory,
// the instruction is done as a single step, and the memory is closed again. Faults and traps of others go to the handlers
// that were there before. Linux on x86-64; elsewhere nothing is caught.
#pragma once

#include <cstdint>

namespace redflag::watch {

struct Fault {
  std::uint64_t address = 0;
  bool wrote = false;
  bool by_key = false;  // a protection key forbids it (SEGV_PKUERR)
  std::uint32_t key = 0;
  const void* at = nullptr;  // the instruction
  void* machine = nullptr;   // ucontext_t: the thread goes on with this
};

// Whoever closes memory. Called in the handlers, on the thread that faulted.
class Closed {
 public:
  // True: it was closed here, and is open now for the instruction.
  virtual bool open(const Fault& fault) = 0;
  // The instruction is done.
  virtual void close_again(void* machine) = 0;

 protected:
  ~Closed() = default;
};

// From here on; also when it was called before, since the program may have set handlers meanwhile. One in a process.
void catch_faults(Closed& closed);
// No longer.
void leave_faults(Closed& closed);

}  // namespace redflag::watch
