// main() of a program on a GPU calls run_script() of common.h, which is here. Linked with a program by build.py --gpu.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "tests/cuda/host/common.h"
#include "tests/cuda/host/gpu.h"

namespace {

class Entries : public redflag::script::Names {
 public:
  Entries(const Entry* entries, int count) : entries_(entries), count_(count) {}
  const void* kernel(const std::string& name) const override {
    for (int i = 0; i < count_; ++i)
      if (name == entries_[i].name) return entries_[i].address;
    return nullptr;
  }
  void* variable(const std::string& name) const override {
    const void* entry = kernel(name);
    void* address = nullptr;
    return entry && cudaGetSymbolAddress(&address, entry) == cudaSuccess ? address : nullptr;
  }

 private:
  const Entry* entries_;
  int count_;
};

}  // namespace

int run_script(const char* script, const Entry* entries, int count, int argc, char** argv) {
  std::map<std::string, double> values;
  for (int i = 1; i < argc; ++i)
    if (const char* sign = std::strchr(argv[i], '='))
      values[std::string(argv[i], sign - argv[i])] = std::strtod(sign + 1, nullptr);
  const Entries names(entries, count);
  redflag::script::Gpu gpu(names);
  const std::string fault = redflag::script::run({script, 1}, values, gpu);
  if (!fault.empty()) std::fprintf(stderr, "host script, line %s\n", fault.c_str());
  return fault.empty() ? 0 : 1;
}
