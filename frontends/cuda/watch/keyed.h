// Keyed: mappings closed by a protection key, for memory that a GPU uses at the same time.
//
// mprotect will not do for managed memory of a GPU: its kernel module takes the rights of a mapping for those of the
// GPU's memory too in places, and splits its own ranges for ever where a part of a mapping has other rights. A protection
// key (Intel's and AMD's servers have them) closes a mapping as a whole, leaves its rights as they are, and is forgiven to one
// thread at a time. So one instruction of one thread gets through, and nobody else.
// System calls fail with EFAULT where memory is closed, unless the thread is Allowed.
#pragma once

#include <cstdint>
#include <memory>

namespace redflag::watch {

class Keyed {
 public:
  // The host is about to access closed memory; called in a handler of signals, on its thread.
  using Tell = void (*)(void* context, std::uint64_t address, bool wrote, const void* at);
  // nullptr: this machine has no keys. There is one in a process, kept for ever.
  static Keyed* make(Tell tell, void* context);

  // The mapping that has this address may be closed.
  void add(std::uint64_t address);
  // It is open again when nothing in it was added.
  void remove(std::uint64_t address);

  // Closes the mapping, once more; it is open again after as many calls of open(). False: it was never added.
  bool close(std::uint64_t address);
  void open(std::uint64_t address);

  // Accesses after which a mapping stays open. So it does where closing and opening take half a second, and
  // more than a fifth of all the time: a page in the host's memory takes 20 ns.
  static constexpr std::uint32_t kMost = 20000;
  // Mappings that stay open because of that.
  std::uint32_t given_up() const;

 private:
  struct Impl;
  Keyed();
  ~Keyed();
  std::unique_ptr<Impl> impl_;
};

// While it lives this thread may access closed memory.
class Allowed {
 public:
  Allowed();
  ~Allowed();
  Allowed(const Allowed&) = delete;
  Allowed& operator=(const Allowed&) = delete;

 private:
  bool counts_ = false;
};

}  // namespace redflag::watch
