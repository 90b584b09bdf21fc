// Kernels: what each of them may reach, and which can be checked.
//
// A function has either hooks or none, whoever calls it. So a kernel that cannot be rewritten takes the
// functions it reaches with it, and the other kernels that reach those: rare, and all are named.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/rewrite/rewrite.h"

namespace redflag::rewrite {

class Kernels {
 public:
  explicit Kernels(const ptx::Module& module);

  // Whether it can be rewritten: of 64 bits, not rewritten already, with room for one more parameter of each kernel.
  Result<void> check() const;
  // In the order of the module; without what is known after rewriting.
  std::vector<Kernel> all() const;
  bool has_hooks(std::uint32_t function) const { return !plain_[function]; }
  bool has_hooks(std::string_view function) const;
  // Kernels that synchronise by barriers alone, and tell of nothing but plain accesses, atomics, textures and surfaces.
  bool is_hot(std::uint32_t function) const { return hot_[function]; }
  // Functions or variables that other modules may define or use: linked with them.
  bool is_linked() const { return linked_; }
  // Whether a store may end a release sequence: one that is volatile or has an order, or is not seen.
  bool ends_sequences() const { return ends_sequences_ || linked_; }

 private:
  struct Function {
    std::vector<std::uint32_t> reached;  // by name: calls, and addresses
    bool indirect = false;               // calls through a register
    bool outside = false;                // calls what this module does not define
    bool tells = false;                  // has hooks
    bool tells_more = false;             // than a hot kernel may have (hot.h)
    gpu::SyncOps sync;
    std::string unknown;              // the first instruction that cannot be understood
    std::vector<std::string> untold;  // each once
  };
  struct Reach {
    std::vector<std::uint32_t> functions;
    gpu::SyncOps sync;
    std::string why;     // not checked
    std::string untold;  // checked without
  };

  void look_at(std::uint32_t index);
  void look_at_hooks(std::uint32_t index);
  void look_at_linkage();
  bool can_be_hot(std::uint32_t kernel) const;
  Reach reach(std::uint32_t kernel) const;
  std::uint32_t meant(std::uint32_t function) const;

  const ptx::Module& module_;
  std::vector<Function> functions_;
  std::vector<std::uint32_t> taken_;  // functions whose address is in a register or in memory
  std::vector<bool> plain_, hot_;
  std::vector<Reach> reach_;  // of kernels
  bool linked_ = false;
  bool ends_sequences_ = false;
};

}  // namespace redflag::rewrite
