// Binary: where a file keeps its GPU code. Executables, shared libraries, objects, archives of them,
// .fatbin files, cubins and plain PTX are told apart by their first bytes.
//
// In ELF files the code is in .nv_fatbin (linked) and __nv_relfatbin (relocatable device code, also of
// the objects that were linked). A file whose section headers were removed is searched for the
// containers' first bytes. 64-bit little-endian files only: CUDA knows no others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "frontends/cuda/fatbin/container.h"

namespace redflag::fatbin {

enum class FileKind : std::uint8_t { kPtx, kCubin, kFatbin, kElf, kArchive };

struct Binary {
  std::string path;
  FileKind kind = FileKind::kElf;
  std::unique_ptr<const std::string> bytes;  // what the entries are views of; all of a PTX file
  std::vector<Entry> entries;
};

// Reads the file. That it holds no GPU code is no error here.
Result<Binary> open_binary(const std::string& path);
// The same for bytes that are here already.
Result<Binary> parse_binary(std::string path, std::string bytes);

// A piece of PTX text, with a name for messages: the file, and which entry of it.
struct PtxText {
  std::string name;
  std::uint32_t sm = 0;
  std::string text;
};
// All the PTX of the file. When there is none the error says what there is, and which flag of nvcc
// adds PTX.
Result<std::vector<PtxText>> ptx_of(const Binary& binary);

// One line per entry, for people.
std::string describe(const Binary& binary);

}  // namespace redflag::fatbin
