// Which version of a kernel a launch would get, and why: for people who wonder why theirs is slow (redflag ptx --proof).
//
// The launch is a typical one (typical.h) but for what is asked for. Its memory is taken to be the kernel's alone, and under no texture; other
// streams, graphs, clusters and modules that are linked have the full version whatever is said here.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/gpu.h"
#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/rewrite/rewrite.h"

namespace redflag::rewrite {

struct Argument {
  enum class Kind : std::uint8_t {
    kNumber,  // value
    kBuffer,  // a pointer to an allocation that no other parameter leads into
    kSame,    // as parameter `value` has it
  };
  std::uint32_t parameter = 0;  // from 0
  Kind kind = Kind::kNumber;
  std::int64_t value = 0;
};
struct Asked {
  std::function<bool(std::string_view kernel)> is_wanted = {};
  std::optional<gpu::Dim> grid = {}, block = {};
  std::vector<Argument> arguments = {};
};

struct Doubt {        // of an access that may race
  std::string where;  // "app.cu:12"; without .loc the line of the PTX
  std::string text;   // the instruction
  std::string why;
};
struct Explained {
  std::string kernel;
  Version version = Version::kFull;
  std::string why_full;       // of that version
  std::string why_unchecked;  // it has no version but the program's own, and no race of it is found
  gpu::Dim grid, block;
  std::vector<std::string> parameters;  // what each was taken to be
  std::size_t accesses = 0;             // that the proof knows of
  std::vector<Doubt> doubts;
};
// In the order of the module. Fails where a parameter is asked for that a wanted kernel does not have.
Result<std::vector<Explained>> explain(const ptx::Module& module, const Asked& asked);

}  // namespace redflag::rewrite
