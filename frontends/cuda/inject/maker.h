// Maker: from the PTX of a module to the image that is loaded in its place.
//
// Parsing, rewriting and compiling are done once for each module, runtime, version and GPU: the cache
// has the rewritten module, and the machine code beside it. What rewrites and what compiles is handed
// in; compiling needs the driver, and a context that is current.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "frontends/cuda/inject/cache.h"
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

class Maker {
 public:
  using Rewrite = std::function<Result<rewrite::Rewritten>(ptx::Module&)>;
  // Machine code; an empty string: not now, the driver shall compile when it loads.
  using Compile = std::function<Result<std::string>(const std::string& ptx)>;
  // `version`: of all that turns PTX into another, the runtime's text included.
  Maker(Cache cache, std::string version, Rewrite rewrite);

  Result<Made> make(std::string ptx, const Target& target, const Compile& compile) const;

 private:
  Result<std::shared_ptr<const Code>> rewritten(const std::string& key, std::string ptx,
                                                std::string_view name) const;

  Cache cache_;
  std::string version_;
  Rewrite rewrite_;
};

}  // namespace redflag::inject
