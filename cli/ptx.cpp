// redflag ptx: the kernels in a file, their PTX, the control flow graph of one, the PTX with hooks, or what can be
// proven of it (ptx_proof.cpp).
//
// What the rest of the CUDA front end sees: the same reading of fat binaries, the same parser, the same
// rewriter.
#include "cli/ptx.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "cli/console.h"
#include "cli/run.h"
#include "core/report/words.h"
#include "core/symbolize/module.h"
#include "frontends/cuda/fatbin/binary.h"
#include "frontends/cuda/ptx/cfg.h"
#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/ptx/print.h"
#include "frontends/cuda/rewrite/rewrite.h"

namespace redflag::cli {
namespace {

std::uint64_t bytes_of_space(std::span<const ptx::Variable> variables, ptx::Space space) {
  std::uint64_t sum = 0;
  for (const ptx::Variable& each : variables) {
    if (each.space == space) sum += std::min<std::uint64_t>(each.bytes(), 1U << 30);
  }
  return sum;
}

std::string line_of(const ptx::Module& module, const ptx::Function& function) {
  const ptx::Cfg cfg(module, function);
  const ptx::Body& body = function.body;
  std::string text = function.is_entry ? "  kernel    " : "  function  ";
  text += both_names(function.name) + "\n            ";
  text += with_separators(body.instructions.size()) + " instructions, ";
  text += with_separators(cfg.blocks().size()) + " blocks, ";
  text += with_separators(body.registers.size()) + " registers, ";
  text += std::to_string(function.parameter_count) + " parameters";
  const std::uint64_t shared = bytes_of_space(function.variables, ptx::Space::kShared);
  if (shared > 0) text += ", " + with_separators(shared) + " bytes of shared memory";
  const auto unknown = std::count_if(body.instructions.begin(), body.instructions.end(),
                                     [](const auto& i) { return i.op == ptx::Op::kUnknown; });
  if (unknown > 0) text += ", " + std::to_string(unknown) + " unknown instructions";
  return text + "\n";
}

std::string list_of(const ptx::Module& module) {
  std::string text = module.path + ": PTX " + std::to_string(module.version_major) + "." +
                     std::to_string(module.version_minor) + " for";
  for (const std::string_view target : module.targets) text += " " + std::string(target);
  text += "\n";
  const std::uint64_t shared = bytes_of_space(module.variables, ptx::Space::kShared);
  if (shared > 0) {
    text += "  module    " + with_separators(shared) + " bytes of shared memory\n";
  }
  for (const bool entry : {true, false}) {
    for (const ptx::Function& each : module.functions) {
      if (each.defined && each.is_entry == entry) text += line_of(module, each);
    }
  }
  return text;
}

// Every module may have the kernel, for another GPU each; all are shown.
Status print_graph(const std::vector<ptx::Module>& modules, const std::string& wanted) {
  std::string text;
  std::string names;
  for (const ptx::Module& module : modules) {
    for (const ptx::Function& each : module.functions) {
      if (!each.defined) continue;
      if (!is_named(each.name, wanted)) {
        names += "\n  " + both_names(each.name);
        continue;
      }
      text += module.path + ": " + both_names(each.name) + "\n" +
              describe(each, ptx::Cfg(module, each));
    }
  }
  if (text.empty()) {
    return bad_input("no kernel or function is named '" + wanted + "'; there are:" + names);
  }
  return print_and_end(text);
}

Status print_rewritten(const std::vector<ptx::Module>& modules, const std::string& runtime_path) {
  std::string runtime;
  if (!runtime_path.empty()) {
    std::ifstream file(runtime_path, std::ios::binary);
    if (!file) return bad_input("cannot read the device runtime '" + runtime_path + "'");
    runtime.assign(std::istreambuf_iterator<char>(file), {});
  }
  std::string text;
  for (const ptx::Module& module : modules) {
    const Result<rewrite::Rewritten> made = rewrite::rewrite(module, {.runtime = runtime});
    if (!made) return bad_input(made.error().message);
    for (const rewrite::Kernel& each : made->kernels) {
      const std::string what = each.checked ? ": checked; " : ": not checked: ";
      if (!each.why.empty()) print_note("kernel '" + each.name + "'" + what + each.why);
    }
    const rewrite::Counts& counts = made->counts;
    print_note(module.path + ": " + with_separators(counts.accesses) + " accesses, " +
               with_separators(counts.hooks) +
               " hooks; left out: " + with_separators(counts.pruned_private) + " private, " +
               with_separators(counts.pruned_constant) + " constant, " +
               with_separators(counts.pruned_repeated) + " repeated");
    text += made->ptx;
  }
  return print_and_end(text);
}

}  // namespace

std::string both_names(std::string_view name) {
  const std::string mangled(name);
  const std::string readable = symbolize::demangled(mangled.c_str());
  return readable == mangled ? mangled : mangled + "  " + readable;
}

bool is_named(std::string_view name, const std::string& wanted) {
  return name == wanted || symbolize::demangled(std::string(name).c_str()) == wanted;
}

Status run_ptx(const Arguments& arguments) {
  for (const char* const each : {"kernel", "grid", "block", "param"}) {
    if (!arguments.is_set(each) || arguments.flag("proof")) continue;
    return bad_input(std::string("--") + each + " is an option of the proof; add --proof");
  }
  const Result<fatbin::Binary> binary = fatbin::open_binary(arguments.operands().front());
  if (!binary) return bad_input(binary.error().message);
  Result<std::vector<fatbin::PtxText>> texts = fatbin::ptx_of(*binary);
  if (!texts) return bad_input(texts.error().message);
  std::vector<ptx::Module> modules;
  for (fatbin::PtxText& each : *texts) {
    Result<ptx::Module> module = ptx::parse(each.name, std::move(each.text));
    if (!module) return bad_input(module.error().message);
    for (const std::string& warning : module->warnings) print_note(warning);
    modules.push_back(std::move(*module));
  }
  if (arguments.flag("rewrite")) return print_rewritten(modules, arguments.text("runtime"));
  if (arguments.flag("proof")) return print_proof(modules, arguments);
  if (arguments.is_set("cfg")) return print_graph(modules, arguments.text("cfg"));
  std::string text;
  for (const ptx::Module& module : modules) {
    text += arguments.flag("dump") ? ptx::print(module) : list_of(module);
  }
  if (!arguments.flag("dump")) text += describe(*binary);
  return print_and_end(text);
}

}  // namespace redflag::cli
