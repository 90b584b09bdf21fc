// The interface of a layer in front of MPI or OpenSHMEM to libredflag, for jobs under `redflag
// confirm`.
//
// The runtime holds threads at statements and names the memory of their next access, so that
// another process can compare it (wire/hold.h). In a job, memory belongs to a rank: its name is the
// owner's process and the address there. Only the layer knows which rank's window an address of
// this process belongs to. Only the layer can make the library progress while a thread is held:
// some libraries serve a lock or a put only when its target calls them, and the rank that should
// meet the held thread would wait for that. The table is found by name, if the program has the
// runtime:
//
//   using Find = const redflag::abi::HoldTable* (*)();
//   dlsym(RTLD_DEFAULT, redflag::abi::kHoldName)
#pragma once

#include <cstdint>

namespace redflag::abi {

inline constexpr std::uint32_t kHoldVersion = 2;
inline constexpr const char* kHoldName = "__redflag_hold_table";

// Changes the name of a byte from this process and its address to those of the owner, where the
// owner is another process. Any thread may call it at any time; it takes no locks and no memory.
using HoldOwner = void (*)(std::uint64_t* process, std::uint64_t* address);

// A held thread calls it from time to time, without any of the runtime's locks; its accesses are
// not checked meanwhile. The function decides whether this thread may call the library now, and
// returns at once.
using HoldProgress = void (*)();

struct HoldTable {
  std::uint32_t version = kHoldVersion;

  // This process is rank `rank` (from 0) of a job.
  void (*join)(std::uint32_t rank, HoldOwner owner, HoldProgress progress);
  // While paused, the thread (abi/watch.h) is not held at its own accesses: the layer itself holds
  // the operation and its buffers.
  void (*pause)(void* thread, bool is_paused);
};

}  // namespace redflag::abi
