#include "frontends/pgas/track/runtime.h"

#include <dlfcn.h>

namespace redflag::pgas {

const abi::WatchTable* find_runtime() {
  using Find = const abi::WatchTable* (*)();
  const auto find = reinterpret_cast<Find>(::dlsym(RTLD_DEFAULT, abi::kWatchName));
  if (find == nullptr) return nullptr;
  const abi::WatchTable* const table = find();
  return table->version == abi::kWatchVersion ? table : nullptr;
}

}  // namespace redflag::pgas
