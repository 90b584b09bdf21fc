// The redflag command. Everything is in the library redflag_cli, where tests can reach it.
#include <string>
#include <vector>

#include "cli/memory_limit.h"
#include "cli/run.h"

int main(int argc, char** argv) {
  redflag::cli::limit_memory();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  return redflag::cli::raw(redflag::cli::run(words));
}
