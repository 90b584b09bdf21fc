#include "frontends/cuda/rewrite/merge.h"

#include <algorithm>
#include <vector>

#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/ptx/printer.h"
#include "frontends/cuda/rewrite/splice.h"

namespace redflag::rewrite {

using device::Hook;
using ptx::Linkage;
using ptx::Operand;
using ptx::OperandKind;
using ptx::SymbolKind;

namespace {

constexpr std::string_view kPrefix = "redflag_";

// What the functions in use name, and what that names.
class Needed {
 public:
  explicit Needed(const ptx::Module& module)
      : functions(module.functions.size()), variables(module.variables.size()), module_(module) {}

  void add(SymbolKind kind, std::uint32_t index) {
    if (kind == SymbolKind::kFunction && !functions[index]) {
      functions[index] = true;
      add_body(module_.functions[index]);
    }
    if (kind == SymbolKind::kVariable && !variables[index]) {
      variables[index] = true;
      for (const ptx::Initial& each : module_.variables[index].initial) {
        if (each.kind == ptx::Initial::Kind::kSymbol) add(each.symbol_kind, each.index);
      }
    }
  }

  void add_body(const ptx::Function& function) {
    for (const ptx::Instruction& each : function.body.instructions) {
      for (const Operand& operand : each.operands()) add(operand);
    }
    for (const ptx::Table& table : function.body.tables) {
      for (const std::uint32_t each : table.functions) add(SymbolKind::kFunction, each);
    }
  }

  std::vector<bool> functions, variables;

 private:
  void add(const Operand& operand) {
    const bool names = operand.kind == OperandKind::kSymbol || operand.base == OperandKind::kSymbol;
    if (names) add(operand.symbol_kind, operand.index);
    for (const Operand& part : operand.parts()) add(part);
  }

  const ptx::Module& module_;
};

template <typename Named>
std::size_t find(const std::vector<Named>& all, std::string_view name) {
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const Named& each) { return each.name == name; });
  return static_cast<std::size_t>(at - all.begin());
}

void set_linkage(Linkage& linkage, bool linked) {
  if (linkage != Linkage::kExtern) linkage = linked ? Linkage::kWeak : Linkage::kNone;
}

void drop_locations(ptx::Body& body) {
  std::erase_if(body.marks,
                [](const ptx::Mark& each) { return each.kind == ptx::MarkKind::kLocation; });
}

}  // namespace

Result<MergedRuntime> MergedRuntime::parse(std::string_view text, bool linked) {
  Result<ptx::Module> module = ptx::parse("device runtime", std::string(text));
  if (!module) return Failure(module.error());
  MergedRuntime made(std::move(*module));
  const Result<void> good = made.check();
  if (!good) return Failure(good.error());
  made.rename(linked);
  return made;
}

Result<void> MergedRuntime::check() const {
  for (const device::HookInfo& hook : device::kHooks) {
    const std::string name(hook.symbol);
    const std::size_t at = find(module_.functions, name);
    if (at == module_.functions.size() || !module_.functions[at].defined) {
      return fail("needed: a definition of '" + name +
                  "' in the device runtime; found: none (hooks.inc has its arguments)");
    }
    const ptx::Function& function = module_.functions[at];
    std::string found;
    for (const ptx::Variable& each : function.parameters()) {
      found += each.bytes() == 8 ? 'L' : each.bytes() == 4 ? 'I' : '?';
    }
    if (found != hook.arguments || function.return_count != 0) {
      return fail("'" + name + "' of the device runtime needs arguments '" + hook.arguments +
                  "' (hooks.inc), found '" + found + "'");
    }
  }
  if (find(module_.variables, device::kStateSymbol) == module_.variables.size()) {
    return fail(std::string("needed: a .global .u64 '") + device::kStateSymbol +
                "' in the device runtime; found: none");
  }
  return {};
}

void MergedRuntime::rename(bool linked) {
  const auto change = [&](auto& named) {
    if (!named.name.starts_with(kPrefix)) {
      named.name = module_.keep(std::string(kPrefix) + std::string(named.name));
    }
    set_linkage(named.linkage, linked);
  };
  for (ptx::Function& each : module_.functions) {
    if (each.linkage != Linkage::kExtern) change(each);
    drop_locations(each.body);
    rename_labels(module_, each);
  }
  for (ptx::Function& each : module_.function_declarations) {
    if (each.linkage != Linkage::kExtern) change(each);
  }
  for (ptx::Variable& each : module_.variables) change(each);
  for (ptx::Variable& each : module_.variable_declarations) change(each);
  // The host finds it by name.
  ptx::Variable& state = module_.variables[find(module_.variables, device::kStateSymbol)];
  if (!linked) state.linkage = Linkage::kVisible;
}

std::uint32_t MergedRuntime::splice_most(std::uint32_t otherwise) const {
  const std::size_t at = find(module_.variables, device::kSpliceSymbol);
  if (at == module_.variables.size() || module_.variables[at].initial.empty()) return otherwise;
  return static_cast<std::uint32_t>(module_.variables[at].initial.front().value);
}

void MergedRuntime::print(const Calls& calls, std::string& out) const {
  Needed needed(module_);
  for (const Calls::Use& use : calls.uses()) {
    const std::size_t at = find(module_.functions, use.symbol);
    if (use.called) needed.add(SymbolKind::kFunction, static_cast<std::uint32_t>(at));
    if (use.spliced) needed.add_body(module_.functions[at]);
  }
  needed.add(SymbolKind::kVariable,
             static_cast<std::uint32_t>(find(module_.variables, device::kStateSymbol)));
  ptx::Printer printer(module_, out);
  for (const ptx::Item& item : module_.items) {
    bool wanted = false;
    switch (item.kind) {
      case ptx::ItemKind::kVariable:
        wanted = needed.variables[item.index];
        break;
      case ptx::ItemKind::kFunction:
        wanted = needed.functions[item.index];
        break;
      case ptx::ItemKind::kVariableDeclaration: {
        const std::size_t of =
            find(module_.variables, module_.variable_declarations[item.index].name);
        wanted = of < needed.variables.size() && needed.variables[of];
        break;
      }
      case ptx::ItemKind::kFunctionDeclaration: {
        const std::size_t of =
            find(module_.functions, module_.function_declarations[item.index].name);
        wanted = of < needed.functions.size() && needed.functions[of];
        break;
      }
      default:
        break;
    }
    if (wanted) printer.item(item);
  }
}

void declare_hooks(const Calls& calls, std::string& out) {
  for (std::size_t i = 0; i < device::kHookCount; ++i) {
    const auto hook = static_cast<Hook>(i);
    if (calls.is_called(hook)) out += ".extern " + prototype_of(hook) + ";\n";
  }
}

}  // namespace redflag::rewrite
