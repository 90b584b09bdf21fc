// Modules of the program as the driver has them, and the kernels that their handles stand for.
//
// A module whose PTX was rewritten has its rewritten kernels; any other says why it was not. Handles are
// the driver's: of modules and libraries, of functions and kernels. Sites and names stay known after a
// module is unloaded, since findings may ask for them. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/model/finding.h"
#include "frontends/cuda/inject/driver.h"
#include "frontends/cuda/inject/packed.h"
#include "frontends/cuda/inject/versions.h"

namespace redflag::inject {

struct Module {
  std::shared_ptr<const Code> code;  // nullptr: loaded as it was
  std::string why;                   // it was not rewritten
  bool has_ptx = true;
  std::string image;  // what the driver was given; it may not copy
  bool is_library = false;
  void* handle = nullptr;
  std::set<CUcontext> ready;             // its state is stored there
  std::vector<std::uint64_t> variables;  // addresses that were told as allocated

  const rewrite::Kernel* kernel(std::string_view name) const;
  const void* bytes() const { return image.c_str(); }  // with a zero byte behind them
};

struct Kernel {
  std::shared_ptr<Module> module;  // nullptr: of no module that was seen
  std::string name;
  std::string readable;                   // as people read it
  const rewrite::Kernel* code = nullptr;  // nullptr: it is not checked
  bool of_library = false;                // the handle is a CUkernel
  int dynamic_limit =
      -1;  // dynamic shared memory that the program has allowed it; -1: ask the driver
  std::shared_ptr<Versions> versions;  // of this handle; nullptr: it is not kept

  bool checked() const { return code != nullptr && code->checked; }
  std::string why() const;  // not checked
  // Which kind of kernel it is in the report's line "not looked at", where it is not checked.
  redflag::Unchecked::Kind kind() const;
};

class Modules {
 public:
  void add(void* handle, std::shared_ptr<Module> module);
  std::shared_ptr<Module> find(const void* handle) const;  // nullptr: not seen
  void remove(const void* handle);                         // and the handles of its kernels
  // What was set up in the context is no more: libraries outlive it.
  void forget(CUcontext context);

  void add_kernel(const void* handle, const std::shared_ptr<Module>& module, std::string name,
                  bool of_library);
  // A handle that is known for this kernel keeps what is known of it.
  void add_kernel(const void* handle, Kernel kernel);
  const Kernel* find_kernel(const void* handle) const;
  void set_dynamic_limit(const void* handle, int bytes);

 private:
  std::unordered_map<const void*, std::shared_ptr<Module>> modules_;
  std::unordered_map<const void*, Kernel> kernels_;
};

// Kernels that were launched and not checked, with the reason of each, for the end.
class Unchecked {
 public:
  void add(const Kernel& kernel) { add(kernel, kernel.why()); }
  void add(const Kernel& kernel, const std::string& why);
  bool empty() const { return why_.empty(); }
  // For people: a line for each reason, with its kernels.
  std::string text() const;

 private:
  std::map<std::string, std::set<std::string>> why_;  // names, by reason
};

}  // namespace redflag::inject
