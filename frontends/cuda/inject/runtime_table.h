// RuntimeTable: the table of functions by which CUDA 11's runtime library loads modules.
//
// cuGetExportTable hands it out under an identifier; neither is documented. What is known here is what the
// runtime library of CUDA 11.8 does with it: its first word is its size in bytes, the others are functions,
// of which we know three. The library and the driver make sure that they mean the same table, by its
// address: so its entries are changed where they are, in pages that the loader has made read-only.
#pragma once

#include <cstddef>

namespace redflag::inject {

enum class TableEntry : unsigned char {
  kLoad = 1,         // (CUmodule*, wrapper)
  kLoadManaged = 6,  // (CUmodule*, wrapper, two lists about managed variables, how many)
  kForget = 7,       // (wrapper): it is no more
};

// `id`: the 16 bytes that cuGetExportTable was asked for; may be nullptr.
bool is_runtime_table(const void* id);
// nullptr: it is shorter than that, or there is none.
void* entry_of(const void* table, TableEntry entry);
// False: the pages cannot be changed. Whoever calls the entry meanwhile gets the one or the other.
bool set_entry(const void* table, TableEntry entry, void* function);

}  // namespace redflag::inject
