#include "frontends/cpu/collect/unchecked.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/report/words.h"

namespace redflag::collect {
namespace {

// Beginnings of their files' names.
constexpr std::array<std::string_view, 30> kServed{
    "ld-linux",   "ld-musl",   "ld-2",      "libc.so",  "libc-",     "libm.so",
    "libm-",      "libmvec",   "libdl",     "librt",    "libanl",    "libutil",
    "libpthread", "libnss_",   "libresolv", "libgcc_s", "libstdc++", "libc++",
    "libunwind",  "libatomic", "libgomp",   "libomp",   "libiomp5",  "libredflag",
    "libtsan",    "libcuda",   "libmpi",    "libopen-", "liboshmem", "mca_"};

bool is_served(std::string_view name) {
  return std::any_of(kServed.begin(), kServed.end(),
                     [name](std::string_view known) { return name.starts_with(known); });
}

bool is_of_system(std::string_view path) {
  return path.starts_with("/usr/lib") || path.starts_with("/lib");
}

}  // namespace

void MappedLibraries::add(const symbolize::ProcessMap& map) {
  for (const symbolize::Mapping& mapping : map.mappings) {
    const std::string_view name = base_name(mapping.path);
    // Other files are mapped too (locales, devices): they are not to be opened.
    if (name.find(".so") == std::string_view::npos || is_served(name)) continue;
    if (mapping.path.starts_with("/dev/")) continue;
    paths_.insert(mapping.path);
  }
}

std::vector<Unchecked> MappedLibraries::unchecked(symbolize::Symbolizer& symbolizer) const {
  std::vector<Unchecked> all;
  for (const bool of_system : {false, true}) {
    for (const std::string& path : paths_) {
      if (is_of_system(path) != of_system || symbolizer.is_instrumented(path)) continue;
      all.push_back({.kind = Unchecked::Kind::kLibrary, .name = path, .count = 1});
    }
  }
  return all;
}

}  // namespace redflag::collect
