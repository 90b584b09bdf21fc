// The redflag command. Everything is in the library redflag_cli, where tests can reach it.
//
// Under the names redflag-cc, redflag-c++, redflag-mpicc and so on it is 'redflag cc' and its kin, for build
// systems that take a compiler of one word.
#include <string>
#include <string_view>
#include <vector>

#include "cli/memory_limit.h"
#include "cli/run.h"

int main(int argc, char** argv) {
  redflag::cli::limit_memory();
  std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const std::string_view name(argc > 0 ? argv[0] : "");
  for (const std::string_view command :
       {"cc", "c++", "fortran", "nvcc", "mpicc", "mpicxx", "mpifort", "oshcc"}) {
    if (name.ends_with("redflag-" + std::string(command))) words.emplace(words.begin(), command);
  }
  return redflag::cli::raw(redflag::cli::run(words));
}
