// What a layer in front of MPI or OpenSHMEM tells libredflag when `redflag confirm` runs a job.
//
// The runtime holds threads at statements and names the memory that they are about to touch, so that
// another process can compare it (wire/hold.h). In a job, memory has an owner among the ranks: it is named
// by the owner's process and its address there. Only the layer knows of which other rank's window
// an address of this process is. And only it can let the library get on with what other ranks want of this
// one while a thread is held: some libraries serve a lock or a put only when its target calls them, and whoever is
// to be met would wait for that. Found by name, if the program has the runtime:
//
//   using Find = const redflag::abi::HoldTable* (*)();
//   dlsym(RTLD_DEFAULT, redflag::abi::kHoldName)
#pragma once

#include <cstdint>

namespace redflag::abi {

inline constexpr std::uint32_t kHoldVersion = 2;
inline constexpr const char* kHoldName = "__redflag_hold_table";

// Changes the name of a byte from this process and its address to those of its owner, if that is another.
// Any thread may be in it at any time; it takes no locks and no memory.
using HoldOwner = void (*)(std::uint64_t* process, std::uint64_t* address);

// Called now and then by a thread that is held, which is in none of the runtime's locks and not looked at meanwhile;
// it finds out by itself whether this thread may call the library now, and comes back at once.
using HoldProgress = void (*)();

struct HoldTable {
  std::uint32_t version = kHoldVersion;

  // This process is that rank (from 0) of a job.
  void (*join)(std::uint32_t rank, HoldOwner owner, HoldProgress progress);
  // The thread (abi/watch.h) is not held at what it does until it is told otherwise: the layer does the
  // holding for an operation and its buffers.
  void (*pause)(void* thread, bool is_paused);
};

}  // namespace redflag::abi
