// Fat binary containers: PTX and machine code of one module for several GPUs, as nvcc packs them.
//
// A container is a header and entries; each entry has a header, perhaps the options it was compiled
// with, and a payload, perhaps compressed. Several containers may follow each other in one section. The
// layout is not documented by NVIDIA; it is the one that nvcc 11 to 13 write. Nothing is trusted:
// sizes are checked against the bytes there are, and unpacking allocates what comes out, not what is
// promised. Entries are views of the bytes they were read from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace redflag::fatbin {

inline constexpr std::uint32_t kContainerMagic = 0xba55ed50;
inline constexpr std::uint32_t kWrapperMagic = 0x466243b1;

enum class Kind : std::uint16_t { kPtx = 1, kElf = 2, kLto = 8 };  // others are listed by number
enum class Packing : std::uint8_t { kNone, kLz4, kZstd };

struct Entry {
  Kind kind = Kind::kPtx;
  Packing packing = Packing::kNone;
  std::uint32_t sm = 0;         // 90 for sm_90
  std::uint64_t flags = 0;      // as stored
  std::uint64_t place = 0;      // of the entry in its file
  std::uint64_t unpacked = 0;   // bytes when unpacked, as the header says
  std::uint32_t container = 0;  // number of its container in the file
  bool relocatable = false;     // of an object: section __nv_relfatbin of a file
  std::string file;             // for messages
  std::string options;          // such as --compile-only: relocatable device code
  std::span<const std::byte> payload;
};

// All containers in `bytes`, which begin at byte `place` of `file`. Zero bytes between them are
// passed over. `first` is the number of the first container.
Result<std::vector<Entry>> read_containers(std::span<const std::byte> bytes, std::uint64_t place,
                                           const std::string& file, std::uint32_t first = 0);

// What __cudaRegisterFatBinary and cuLibraryLoadData get, in this process: a wrapper with a pointer
// to a container, or the container itself. Its size is what its header says: there is nothing to
// check it against.
Result<std::vector<Entry>> read_memory(const void* wrapper);

// PTX for a device of this compute capability (times ten), one for each container that has some: the
// newest that the device can run. Pointers into `entries`.
std::vector<const Entry*> choose_ptx(const std::vector<Entry>& entries, std::uint32_t sm);

// The PTX text or the ELF file of an entry. PTX loses the zero bytes that pad it.
Result<std::string> unpack(const Entry& entry);

}  // namespace redflag::fatbin
