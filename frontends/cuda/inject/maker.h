// Maker: from the PTX of a module to the image that is loaded in its place.
//
// Parsing, rewriting and compiling are done once for each module, runtime, version and GPU: the cache
// has the rewritten module, and the machine code beside it. What rewrites and what compiles is handed
// in; compiling needs the driver, and a context that is current.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "frontends/cuda/inject/cache.h"
#include "frontends/cuda/inject/links.h"
#include "frontends/cuda/inject/packed.h"

namespace redflag::inject {

struct Made {
  std::shared_ptr<const Code> code;
  std::string image;  // machine code, or the rewritten PTX; ends in a zero byte as c_str()
};

struct Target {
  std::string_view name;  // of the module, for messages
  std::string gpu;        // compute capability and driver: what machine code is good for
};

// Which GPU a module is for: "sm_90a" is 90.
std::uint32_t target_of(const ptx::Module& module);
// The names of the module's variables in global memory.
void add_variables(const ptx::Module& module, Code& code);

class Maker {
 public:
  // What a module is rewritten for: alone, or to be linked with others (rewrite::Options).
  struct Piece {
    bool linked = false;
    std::uint32_t sites_before = 0;
    std::uint32_t sm = 0;  // the newest that any of them is for
  };
  using Rewrite = std::function<Result<rewrite::Rewritten>(ptx::Module&, const Piece&)>;
  // Machine code; an empty string: not now, the driver shall compile when it loads.
  using Compile = std::function<Result<std::string>(const std::string& ptx)>;
  using Linker = std::function<Result<std::string>(const std::vector<Input>& inputs)>;
  // `version`: of all that turns PTX into another, the runtime's text included.
  Maker(Cache cache, std::string version, Rewrite rewrite);

  Result<Made> make(std::string ptx, const Target& target, const Compile& compile) const;
  // What is linked from these, all PTX of them rewritten; machine code among them stays as it is. Fails
  // where there is no PTX, or where its kernels may call machine code. `code_key`: of the machine code that the program got (links.h), so that
  // another process knows it again.
  Result<Made> link(const std::vector<Input>& inputs, const std::string& code_key,
                    const Target& target, const Linker& linker) const;
  // What an earlier process has linked.
  std::optional<Made> linked_earlier(const std::string& code_key, const Target& target) const;

 private:
  std::optional<Made> kept(const std::string& key, const Target& target) const;
  Result<std::shared_ptr<const Code>> rewritten(const std::string& key, std::string ptx,
                                                std::string_view name) const;

  Cache cache_;
  std::string version_;
  Rewrite rewrite_;
};

}  // namespace redflag::inject
