#include "frontends/cuda/inject/files.h"

#include <dlfcn.h>
#include <link.h>

#include <fstream>
#include <iterator>

namespace redflag::inject {

std::optional<std::string> read_file(const char* path) {
  if (path == nullptr) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string file_of(const void* address) {
  Dl_info info{};
  void* map = nullptr;
  if (::dladdr1(address, &info, &map, RTLD_DL_LINKMAP) == 0 || map == nullptr) return {};
  // The program itself has no name there, and the one that it was started by may be relative.
  const std::string name = static_cast<const link_map*>(map)->l_name;
  return name.empty() ? "/proc/self/exe" : name;
}

}  // namespace redflag::inject
