// Flat: what stands in place of a hook in kernels that only store where threads may meet.
//
// Such a kernel synchronises by barriers alone; of its accesses only stores of words to global memory are told of
// (versions.h), each by one exchange of a cell (core/detect/gpu/compact/flat.h): about 20 instructions and no
// shared memory. What comes back is of an earlier launch nearly always; else the lanes ask the runtime.
//
// Registers of ours: where the table of cells is (0: nothing is checked), and the thread's cell in two
// halves, of which the lower one has barriers and phase. All lanes of a warp have the same phase.
#pragma once

#include <cstdint>
#include <string>

#include "frontends/cuda/rewrite/calls.h"
#include "frontends/cuda/rewrite/plan.h"

namespace redflag::rewrite {

class Flat {
 public:
  explicit Flat(Calls& calls) : calls_(calls) {}

  // Whether a store can be told so.
  static bool can_tell(const Plan& plan);

  // Declares the registers, in front of the kernel's first instruction, and sets them. `launch`: a register.
  void declare(std::string& out) const;
  void enter(const std::string& launch, std::string& out);
  // The number of the kernel's first site.
  void set_first_site(std::uint32_t site) { first_site_ = site; }
  // A store, before it happens; registers of 64 bits.
  void store(const Plan& plan, std::uint32_t site, const std::string& address,
             const std::string& value, std::string& out);
  // Behind a barrier of the block.
  void pass(std::string& out);
  // Lanes access something that is not told of: they have met if they are all here.
  void count(std::string& out);
  // All lanes have met.
  void met(std::string& out);

 private:
  // `%redflag_fm` has the lanes that are here.
  void met_if_full(std::string& out);
  std::string label() { return "$redflag_f" + std::to_string(labels_++); }

  Calls& calls_;
  std::uint32_t first_site_ = 0;
  std::uint64_t labels_ = 0;
};

}  // namespace redflag::rewrite
