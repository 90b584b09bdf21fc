#include "frontends/cuda/rewrite/rewrite.h"

#include <algorithm>
#include <optional>

#include "frontends/cuda/ptx/printer.h"
#include "frontends/cuda/rewrite/kernels.h"
#include "frontends/cuda/rewrite/merge.h"
#include "frontends/cuda/rewrite/weave.h"

namespace redflag::rewrite {
namespace {

// The number in sm_90a.
std::uint32_t number_of(std::string_view target) {
  std::uint32_t number = 0;
  for (const char c : target) {
    if (c >= '0' && c <= '9') number = number * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return number;
}
std::string_view target_of(const ptx::Module& module) {
  const auto at = std::find_if(module.targets.begin(), module.targets.end(),
                               [](std::string_view each) { return each.starts_with("sm_"); });
  return at == module.targets.end() ? std::string_view("sm_0") : *at;
}

// Before Volta warps were in lockstep, and instructions of a warp had no mask: they are gone from later
// targets.
const ptx::Instruction* find_lockstep(const ptx::Module& module) {
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& each : function.body.instructions) {
      const bool of_warp = each.op == ptx::Op::kShfl || each.op == ptx::Op::kVote;
      if (of_warp && !each.has(ptx::Mod::kSync)) return &each;
    }
  }
  return nullptr;
}

// The later version and the newer target of the two.
Result<std::string> header(const ptx::Module& module, const ptx::Module* runtime) {
  std::uint32_t major = module.version_major, minor = module.version_minor;
  std::string_view target = target_of(module);
  if (runtime != nullptr) {
    const bool later = runtime->version_major > major ||
                       (runtime->version_major == major && runtime->version_minor > minor);
    if (later) {
      major = runtime->version_major;
      minor = runtime->version_minor;
    }
    const std::string_view other = target_of(*runtime);
    if (number_of(other) > number_of(target)) {
      const ptx::Instruction* const old = find_lockstep(module);
      if (old != nullptr && number_of(other) >= 70) {
        return fail(module.path + ":" + std::to_string(old->line) + ": '" + std::string(old->text) +
                    "' is for GPUs before sm_70, and the device runtime needs " +
                    std::string(other) + "; compile the program for that GPU or a newer one");
      }
      target = other;
    }
  }
  std::string text =
      ".version " + std::to_string(major) + "." + std::to_string(minor) + "\n.target ";
  text += target;
  for (const std::string_view each : module.targets) {
    if (!each.starts_with("sm_")) (text += ", ") += each;
  }
  return text + "\n.address_size 64\n";
}

}  // namespace

Result<Rewritten> rewrite(const ptx::Module& module, const Options& options) {
  const Kernels kernels(module);
  if (const Result<void> good = kernels.check(); !good) return Failure(good.error());
  std::optional<MergedRuntime> runtime;
  if (!options.runtime.empty()) {
    Result<MergedRuntime> merged =
        MergedRuntime::parse(options.runtime, options.linked || kernels.is_linked());
    if (!merged) return Failure(merged.error());
    runtime.emplace(std::move(*merged));
  }
  Result<std::string> text = header(module, runtime ? &runtime->module() : nullptr);
  if (!text) return Failure(text.error());

  Rewritten made;
  made.sites.resize(std::size_t{options.sites_before} + 1);
  made.kernels = kernels.all();
  Calls calls(runtime ? &runtime->module() : nullptr,
              runtime ? runtime->splice_most(options.splice_most) : 0);
  Weaver weaver(module, options, options.linked || kernels.ends_sequences(), calls, made);
  std::string body;
  ptx::Printer printer(module, body);
  for (const ptx::Item& item : module.items) {
    const bool defines = item.kind == ptx::ItemKind::kFunction;
    const bool declares = item.kind == ptx::ItemKind::kFunctionDeclaration;
    if (defines && kernels.has_hooks(item.index)) {
      const ptx::Function& function = module.functions[item.index];
      const bool is_hot = calls.has_hot() && kernels.is_hot(item.index);
      weaver.function(function, is_hot, body);
      const auto kernel =
          std::find_if(made.kernels.begin(), made.kernels.end(),
                       [&](const Kernel& each) { return each.name == function.name; });
      const bool is_alone = !options.linked && !kernels.is_linked();
      if (options.versions && is_alone && function.is_entry && kernel != made.kernels.end()) {
        weaver.versions(function, is_hot, *kernel, body);
      }
    } else if (declares && kernels.has_hooks(module.function_declarations[item.index].name)) {
      weaver.function(module.function_declarations[item.index], false, body);
    } else {
      printer.item(item);
    }
  }
  made.counts.hooks = calls.made();
  if (runtime) {
    runtime->print(calls, *text);
  } else {
    declare_hooks(calls, *text);
  }
  made.ptx = std::move(*text) + body;
  return made;
}

}  // namespace redflag::rewrite
