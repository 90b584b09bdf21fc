#include "frontends/cuda/ptx/compare.h"

#include <algorithm>

namespace redflag::ptx {
namespace {

template <typename List, typename Same>
bool all_same(const List& a, const List& b, Same same) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b), same);
}

bool same_operand(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.base == b.base && a.symbol_kind == b.symbol_kind &&
         a.number_kind == b.number_kind && a.component == b.component && a.negated == b.negated &&
         a.unified == b.unified && a.extra == b.extra && a.index == b.index && a.value == b.value &&
         all_same(a.parts(), b.parts(), same_operand);
}

bool same_instruction(const Instruction& a, const Instruction& b) {
  return a.op == b.op && a.guarded == b.guarded && a.guard == b.guard &&
         a.guard_negated == b.guard_negated && a.location == b.location &&
         a.modifiers == b.modifiers && std::ranges::equal(a.mods(), b.mods()) &&
         all_same(a.operands(), b.operands(), same_operand) &&
         (a.op != Op::kUnknown || a.text == b.text);
}

bool same_variable(const Variable& a, const Variable& b) {
  return a.name == b.name && a.space == b.space && a.type == b.type && a.vector == b.vector &&
         a.linkage == b.linkage && a.is_pointer == b.is_pointer &&
         a.pointer_space == b.pointer_space && a.align == b.align &&
         a.pointer_align == b.pointer_align && a.dimensions == b.dimensions &&
         a.attributes == b.attributes && a.reg == b.reg && a.initial == b.initial;
}

bool same_register(const Register& a, const Register& b) {
  return a.name == b.name && a.type == b.type && a.vector == b.vector;
}

bool same_label(const Label& a, const Label& b) {
  return a.name == b.name && a.target == b.target;
}

bool same_table(const Table& a, const Table& b) {
  return a.kind == b.kind && a.noreturn == b.noreturn && a.name == b.name && a.labels == b.labels &&
         a.functions == b.functions && all_same(a.returns, b.returns, same_variable) &&
         all_same(a.parameters, b.parameters, same_variable);
}

bool same_location(const Location& a, const Location& b) {
  return a.file == b.file && a.line == b.line && a.column == b.column && a.inlined == b.inlined &&
         a.function_label == b.function_label && a.function_offset == b.function_offset &&
         a.at_file == b.at_file && a.at_line == b.at_line && a.at_column == b.at_column &&
         a.caller == b.caller;
}

bool same_declaration(const RegisterDeclaration& a, const RegisterDeclaration& b) {
  return a.type == b.type && a.vector == b.vector &&
         all_same(a.names, b.names, [](const auto& x, const auto& y) {
           return x.name == y.name && x.count == y.count;
         });
}

bool same_mark(const Mark& a, const Mark& b) {
  return a.at == b.at && a.kind == b.kind && a.index == b.index && a.text == b.text;
}

bool same_directive(const Directive& a, const Directive& b) {
  return a.name == b.name && a.values == b.values && a.text == b.text;
}

// The name of the first part that differs.
std::string_view body_difference(const Body& a, const Body& b) {
  if (!all_same(a.instructions, b.instructions, same_instruction)) return "instructions";
  if (!all_same(a.registers, b.registers, same_register)) return "registers";
  if (!all_same(a.labels, b.labels, same_label)) return "labels";
  if (!all_same(a.tables, b.tables, same_table)) return "tables";
  if (!all_same(a.locations, b.locations, same_location)) return "locations";
  if (!all_same(a.register_declarations, b.register_declarations, same_declaration)) {
    return "register declarations";
  }
  if (!all_same(a.marks, b.marks, same_mark)) return "marks";
  return {};
}

std::string function_difference(const Function& a, const Function& b) {
  const std::string in = "function " + std::string(a.name) + ": ";
  if (a.name != b.name || a.is_entry != b.is_entry || a.defined != b.defined ||
      a.noreturn != b.noreturn || a.linkage != b.linkage || a.attributes != b.attributes ||
      a.return_count != b.return_count || a.parameter_count != b.parameter_count) {
    return in + "head";
  }
  if (!all_same(a.variables, b.variables, same_variable)) return in + "variables";
  if (!all_same(a.directives, b.directives, same_directive)) return in + "directives";
  const std::string_view part = body_difference(a.body, b.body);
  return part.empty() ? std::string() : in + std::string(part);
}

std::string functions_difference(const std::vector<Function>& a, const std::vector<Function>& b) {
  if (a.size() != b.size()) return "number of functions";
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::string found = function_difference(a[i], b[i]); !found.empty()) return found;
  }
  return {};
}

}  // namespace

std::string difference(const Module& a, const Module& b) {
  if (a.version_major != b.version_major || a.version_minor != b.version_minor) return "version";
  if (a.targets != b.targets) return "target";
  if (a.address_size != b.address_size || a.has_address_size != b.has_address_size) {
    return "address size";
  }
  if (!all_same(a.variables, b.variables, same_variable)) return "variables";
  if (!all_same(a.variable_declarations, b.variable_declarations, same_variable)) {
    return "declarations of variables";
  }
  for (const auto list : {&Module::functions, &Module::function_declarations}) {
    if (std::string found = functions_difference(a.*list, b.*list); !found.empty()) return found;
  }
  const auto same_file = [](const File& x, const File& y) {
    return x.number == y.number && x.name == y.name && x.rest == y.rest;
  };
  if (!all_same(a.files, b.files, same_file)) return "files";
  const auto same_section = [](const Section& x, const Section& y) {
    return x.name == y.name && x.text == y.text;
  };
  if (!all_same(a.sections, b.sections, same_section)) return "sections";
  const auto same_alias = [](const Alias& x, const Alias& y) {
    return x.name == y.name && x.target == y.target;
  };
  if (!all_same(a.aliases, b.aliases, same_alias)) return "aliases";
  const auto same_item = [](const Item& x, const Item& y) {
    return x.kind == y.kind && x.index == y.index && x.text == y.text;
  };
  return all_same(a.items, b.items, same_item) ? "" : "order of items";
}

}  // namespace redflag::ptx
