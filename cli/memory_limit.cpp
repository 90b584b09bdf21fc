#include "cli/memory_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "core/base/check.h"

// The sanitizers map their shadow in ways that count against the limit.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kUnderSanitizer = true;
#elif defined(__has_feature)
constexpr bool kUnderSanitizer =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kUnderSanitizer = false;
#endif

namespace redflag::cli {
namespace {

rlimit g_before{};  // what limit_memory() found
bool g_limited = false;

// Bytes that programs can still get without swapping; 0: unknown.
std::uint64_t available_memory() {
  std::FILE* file = std::fopen("/proc/meminfo", "re");
  if (file == nullptr) return 0;
  char line[128];
  unsigned long long kib = 0;
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    if (std::sscanf(line, "MemAvailable: %llu kB", &kib) == 1) break;
  }
  (void)std::fclose(file);
  return kib * 1024;
}

std::uint64_t ranks_on_this_machine() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
    if (const char* text = std::getenv(name); text != nullptr) {
      return std::max(1ULL, std::strtoull(text, nullptr, 10));
    }
  }
  return 1;
}

}  // namespace

void limit_memory() {
  std::set_new_handler([] { out_of_memory("findings and names"); });
  if (kUnderSanitizer) return;
  const std::uint64_t available = available_memory();
  rlimit limit{};
  // Counts what is writable and private: reserved address space is not in it.
  if (available == 0 || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  g_before = limit;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, available / 10 * 9 / ranks_on_this_machine());
  g_limited = ::setrlimit(RLIMIT_DATA, &limit) == 0;
}

void lift_memory_limit() {
  if (g_limited) (void)::setrlimit(RLIMIT_DATA, &g_before);
}

}  // namespace redflag::cli
