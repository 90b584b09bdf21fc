// Links: what the program gives to the driver's linker, and which machine code came of it.
//
// The program's link goes its own way, with its options, its log and its errors, and it gets its own
// machine code. We keep what went in, and know the machine code again when it is loaded: then the same
// inputs are linked once more, PTX rewritten, and that is loaded in its place (maker.h). Machine code is
// known by a hash of all its bytes, whose number its ELF header says. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontends/cuda/inject/driver.h"

namespace redflag::inject {

struct Input {
  int kind = kJitInputPtx;
  std::string bytes;
  std::string name;  // for messages
};

struct Link {
  std::vector<Input> inputs;
  std::string why;  // it cannot be done again; empty: it can
};

// The inputs with PTX in the place of fat binaries and objects that have some for each of their parts;
// of several the newest that the GPU (`sm`: capability times ten) can run. Archives stay: the linker
// takes of them what is needed.
std::vector<Input> opened(const std::vector<Input>& inputs, std::uint32_t sm);

// Bytes of an ELF file in memory, as its headers say; 0: it is none.
std::size_t elf_bytes(const void* image);
// By which machine code is known again; empty: it is none.
std::string key_of_code(const void* image);

class Links {
 public:
  void create(CUlinkState state, std::string why);
  void add(CUlinkState state, Input input);
  void complete(CUlinkState state, const void* code);
  void destroy(CUlinkState state) { states_.erase(state); }

  // What the machine code was linked from; nullptr: not here.
  std::shared_ptr<const Link> find(const std::string& key_of_code) const;

 private:
  std::map<CUlinkState, std::shared_ptr<Link>> states_;
  std::map<std::string, std::shared_ptr<const Link>> made_;
};

}  // namespace redflag::inject
