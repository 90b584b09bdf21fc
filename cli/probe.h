// What a program's file says about itself, before it is run.
//
// The commonest mistake with a tool of this kind is to run it on a program that was not built for
// it, and to take the silence for an answer. Instrumented code refers to __tsan_init and its kin,
// in the program or in a library it is linked with; libredflag is known by a symbol of its
// own, ThreadSanitizer's runtime by its name or by its symbols. Libraries that are loaded later
// (dlopen) cannot be seen here.
//
// Reads files only, and trusts none of their offsets. ELF of 64 bits, little-endian; of others only
// what they are is told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace redflag::cli {

enum class FileKind : std::uint8_t { kElf, kScript, kOther };

struct Probe {
  FileKind kind = FileKind::kOther;
  bool instrumented = false;  // it, or a library it needs, calls __tsan_*
  bool has_redflag = false;   // libredflag is linked in, or needed
  bool has_tsan = false;      // so is ThreadSanitizer's runtime
  bool sampled = false;       // something in it was compiled for sampling
  bool is_static = false;     // needs no libraries
  bool has_gpu_code = false;  // it, or a library it needs, has a section of CUDA's
  bool cut_off = false;       // its own headers tell of more bytes than there are
  std::vector<std::string> needed;
  std::vector<std::string> libraries;  // probe_program: files of the instrumented ones among them
  std::string interpreter;             // of a script: the program named after #!
};

// One file alone.
Result<Probe> probe_file(const std::string& path);

// The file together with the libraries that it needs, as far as they are found.
Result<Probe> probe_program(const std::string& path);

}  // namespace redflag::cli
