// What the programs of tests/cuda/programs and bench/cuda have in common: a main() that runs their script.
//
// Included by every one of them, so no other header is. MAIN names the kernels and __device__ variables that
// the script uses. What is "script" is described in script.h.
#pragma once

struct Entry {
  const char* name;
  const void* address;
};
int run_script(const char* script, const Entry* entries, int count, int argc, char** argv);

#define KERNEL(name) {#name, reinterpret_cast<const void*>(&name)}
#define SYMBOL(name) {#name, reinterpret_cast<const void*>(&name)}
#define MAIN(...)                                                                            \
  int main(int argc, char** argv) {                                                          \
    const Entry entries[] = {__VA_ARGS__};                                                   \
    return run_script(script, entries, int(sizeof entries / sizeof entries[0]), argc, argv); \
  }
