// Registered: fat binaries that a program gives to CUDA 11's runtime library before main.
//
// That library hands modules to the driver by tables that are not documented, so that no load is seen.
// It gets a wrapper of ours instead of the program's; when the driver is there, what the wrapper points
// to becomes a fat binary with the rewritten PTX. The driver compiles it. A variable of its own in each
// tells which one a module is. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cuda/inject/packed.h"

namespace redflag::inject {

// As the compiler lays it out; `objects` from version 2 on.
struct Wrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* const* objects;
};

// One PTX, not compressed, as nvcc's fatbinary writes it.
std::string container_of(std::string_view ptx);
// The name of the variable that the numbered binary has.
std::string mark_of(std::size_t number);

class Registered {
 public:
  struct Binary {
    Wrapper own{};  // what the runtime library has
    const void* original = nullptr;
    bool tried = false;
    std::string container;  // empty: it is as it was
    std::shared_ptr<const Code> code;
  };

  // The wrapper to give in place of this one, which stays where it is.
  Binary& add(const void* wrapper);
  // PTX, rewritten, in the place of what it had.
  static void replace(Binary& binary, std::size_t number, std::shared_ptr<const Code> code);
  std::vector<std::unique_ptr<Binary>>& all() { return binaries_; }

 private:
  std::vector<std::unique_ptr<Binary>> binaries_;
};

}  // namespace redflag::inject
