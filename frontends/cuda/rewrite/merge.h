// The device runtime as a part of the program's module.
//
// Of the runtime's PTX goes in what the hooks in use reach, under names that begin with redflag_. Functions
// are the module's own (so that ptxas may inline them), or weak where the module may be linked with
// others, so that all of them have one. Its .loc and debug sections stay out: files are numbered by the
// program's.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/rewrite/calls.h"

namespace redflag::rewrite {

class MergedRuntime {
 public:
  // Fails on PTX that does not define every hook as hooks.inc has it.
  static Result<MergedRuntime> parse(std::string_view text, bool linked);

  const ptx::Module& module() const { return module_; }
  // What the runtime says of splicing, or `otherwise`.
  std::uint32_t splice_most(std::uint32_t otherwise) const;
  // Appends what the hooks in use need.
  void print(const Calls& calls, std::string& out) const;

 private:
  explicit MergedRuntime(ptx::Module module) : module_(std::move(module)) {}
  Result<void> check() const;
  void rename(bool linked);

  ptx::Module module_;
};

// Declarations of the hooks in use, for a runtime that is linked to the module later.
void declare_hooks(const Calls& calls, std::string& out);

}  // namespace redflag::rewrite
