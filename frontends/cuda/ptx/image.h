// The bytes that a variable begins with, and where addresses go into them.
//
// Who places variables (the emulator, a loader) puts symbols' addresses in at the relocations. Bytes
// behind the image, up to Variable::bytes(), are zero: the image is no larger than what is written in
// the text, however large the array.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/error.h"
#include "frontends/cuda/ptx/ir.h"

namespace redflag::ptx {

struct Relocation {
  std::uint64_t offset = 0;  // in the image
  std::uint8_t bytes = 0;    // of the place
  bool generic = false;      // the generic address, else that of the symbol's own space
  SymbolKind symbol_kind = SymbolKind::kVariable;
  std::uint32_t index = 0;
  std::int64_t addend = 0;
  std::uint64_t mask = 0;  // nonzero: only these bits of the address, shifted down to bit 0
};

struct Image {
  std::vector<std::uint8_t> bytes;
  std::vector<Relocation> relocations;
};

// Fails when there are more values than the variable has room for.
Result<Image> initial_image(const Module& module, const Variable& variable);

}  // namespace redflag::ptx
