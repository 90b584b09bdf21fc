// Spins: atomics of a loop that need not be told of again.
//
// A thread that waits executes the same atomic at the same address again and again. Between two of its fences, barriers or
// ordered atomics nothing new is to be told of that: the first turn has published what the thread can publish there, since
// read-modify-writes continue a release sequence and no store of the module ends one (kernels.h), and the access is known
// at this time already. What later turns read matters when the thread accesses something else, or fences: in front of that the
// location is looked at once more. So a turn that is not told costs one comparison with the address that
// the instruction had when it was told last, in a register. An atomic that comes round only behind a fence or barrier is no such.
//
// A load that acquires has learnt at once what it could. It is not told of again while it reads the same value and nothing
// else is told of: the thread cannot know then that something was published there since, so that going on without it
// is an execution that could have been.
//
// Limits: eight atomics of a kernel, in versions that tell by direct cells, with addresses of global memory (a generic one is told
// each turn). A release that comes between the last turn and that look counts as seen. A race that is hidden so is one of a
// thread that went on without having waited for what it has seen; no order is lost, so that nothing is reported for it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/rewrite/calls.h"
#include "frontends/cuda/rewrite/plan.h"
#include "frontends/cuda/rewrite/prune.h"

namespace redflag::rewrite {

class Spins {
 public:
  struct Spin {
    std::uint32_t instruction = 0;
    std::string site, what;           // how it is told of
    std::uint32_t acquired_bits = 0;  // of a load that acquires: what it reads; 0: it is relaxed
    bool acquires() const { return acquired_bits != 0; }
  };

  explicit Spins(Calls& calls) : calls_(calls) {}

  // Which atomics of the kernel are such. `ends_sequences`: kernels.h
  void find(const ptx::Module& module, const ptx::Function& function,
            const std::vector<Plan>& plans, const std::vector<Verdict>& verdicts,
            bool ends_sequences);
  std::span<Spin> all() { return all_; }
  void clear() { all_.clear(); }
  // Its number as a site, which it has before its text is made, since a fence may come first; nullptr: it is not one.
  const std::string* site_of(std::uint32_t instruction) const;

  // Declares the registers, in front of the kernel's first instruction, and sets them.
  void declare(std::string& out) const;
  // Puts a branch around what is told of the instruction. `address`, `value`, `same`: registers of 64 bits, of what it
  // has read, and a predicate.
  void skip(std::uint32_t instruction, const Plan& plan, const std::string& address,
            const std::string& value, const std::string& same, std::string& before,
            std::string& after);
  // In front of what needs to know what was read, or changes the thread's time: what was not told of is.
  void before(const Plan& plan, std::string& out);

 private:
  enum class Needs : std::uint8_t { kNothing, kKnowledge, kTime };
  static Needs needs(const Plan& plan);
  void skip_acquire(std::size_t at, const std::string& address, const std::string& value,
                    const std::string& same, std::string& after);
  // What was read at an instruction and not told of, is; or at all of them.
  void look_again(std::size_t at, std::string& out);
  void look_again(std::string& out);
  std::string label() { return "$redflag_w" + std::to_string(labels_++); }

  Calls& calls_;
  std::vector<Spin> all_;
  std::uint64_t labels_ = 0;
};

}  // namespace redflag::rewrite
