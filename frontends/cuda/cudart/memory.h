// Whose memory an address is: what the program got from cudaMalloc and its kin, or registered.
//
// Device memory comes from the emulated device, which checks every access of a kernel against it.
// Page-locked, registered and managed memory is the host's, lent to the device: whole pages of it,
// so that the host's own accesses can be seen (watch.h). One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/base/error.h"
#include "frontends/cuda/cudart/abi.h"
#include "frontends/cuda/emulate/device.h"

namespace redflag::cudart {

enum class Where : std::uint8_t { kDevice, kPinned, kRegistered, kManaged };

struct Block {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  Where where = Where::kDevice;
  unsigned flags = 0;  // as the program gave them

  bool on_host() const { return where != Where::kDevice; }
};

class MemoryTable {
 public:
  explicit MemoryTable(cuda::Device& device) : device_(device) {}
  ~MemoryTable();
  MemoryTable(const MemoryTable&) = delete;
  MemoryTable& operator=(const MemoryTable&) = delete;

  Result<Block> allocate(std::uint64_t size, Where where, unsigned flags);
  // The host's own memory, from now on also the device's. False: some of it is already.
  bool enrol(std::uint64_t address, std::uint64_t size, unsigned flags);
  // Takes out the block that begins at the address; nothing: there is none.
  std::optional<Block> release(std::uint64_t address);

  const Block* find(std::uint64_t address) const;  // the one that holds it
  // Whether kernels can reach the address: in a block, or a variable of a module.
  bool reachable(std::uint64_t address) const;
  std::uint64_t device_bytes() const { return device_bytes_; }
  const std::map<std::uint64_t, Block>& blocks() const { return blocks_; }

 private:
  cuda::Device& device_;
  std::map<std::uint64_t, Block> blocks_;  // by address
  std::uint64_t device_bytes_ = 0;
};

}  // namespace redflag::cudart
