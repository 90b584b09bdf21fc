// Modules, functions and declarations as text.
#include "frontends/cuda/ptx/print.h"

#include "frontends/cuda/ptx/printer.h"

namespace redflag::ptx {
namespace {

constexpr std::string_view kLinkages[] = {"", ".visible ", ".extern ", ".weak ", ".common "};

std::string_view name_of(Linkage linkage) {
  return kLinkages[static_cast<std::size_t>(linkage)];
}

}  // namespace

std::string print(const Module& module) {
  std::string out;
  out.reserve(module.source == nullptr ? 0 : module.source->size());
  Printer(module, out).module();
  return out;
}

std::string print(const Module& module, const Function& function) {
  std::string out;
  Printer(module, out).function(function);
  return out;
}

std::string print(const Module& module, const Function& function, const Instruction& instruction) {
  std::string out;
  Printer(module, out).instruction(function, instruction);
  return out;
}

void Printer::module() {
  out_ += ".version " + std::to_string(module_.version_major) + "." +
          std::to_string(module_.version_minor) + "\n";
  for (std::size_t i = 0; i < module_.targets.size(); ++i) {
    out_ += i == 0 ? ".target " : ", ";
    out_ += module_.targets[i];
  }
  if (!module_.targets.empty()) out_ += "\n";
  if (module_.has_address_size) {
    out_ += ".address_size " + std::to_string(module_.address_size) + "\n";
  }
  for (const Item& each : module_.items) item(each);
}

void Printer::item(const Item& item) {
  switch (item.kind) {
    case ItemKind::kVariable:
      variable(module_.variables[item.index]);
      out_ += ";\n";
      break;
    case ItemKind::kVariableDeclaration:
      variable(module_.variable_declarations[item.index]);
      out_ += ";\n";
      break;
    case ItemKind::kFunction:
      function(module_.functions[item.index]);
      break;
    case ItemKind::kFunctionDeclaration:
      function(module_.function_declarations[item.index]);
      break;
    case ItemKind::kFile: {
      const File& file = module_.files[item.index];
      out_ += ".file " + std::to_string(file.number) + " \"";
      out_ += file.name;
      out_ += "\"";
      out_ += file.rest;
      out_ += "\n";
      break;
    }
    case ItemKind::kSection: {
      const Section& section = module_.sections[item.index];
      out_ += ".section ";
      out_ += section.name;
      out_ += " {";
      out_ += section.text;
      out_ += "}\n";
      break;
    }
    case ItemKind::kAlias:
      out_ += ".alias ";
      out_ += module_.aliases[item.index].name;
      out_ += ", ";
      out_ += module_.aliases[item.index].target;
      out_ += ";\n";
      break;
    case ItemKind::kPragma:
      out_ += ".pragma ";
      out_ += item.text;
      out_ += ";\n";
      break;
    case ItemKind::kVerbatim:
      out_ += item.text;
      out_ += "\n";
      break;
  }
}

void Printer::variable(const Variable& variable) {
  out_ += name_of(variable.linkage);
  if (variable.space != Space::kNone) {
    out_ += ".";
    out_ += ptx::name_of(variable.space);
    out_ += " ";
  }
  if (!variable.attributes.empty()) {
    out_ += variable.attributes;
    out_ += " ";
  }
  if (variable.align != 0) out_ += ".align " + std::to_string(variable.align) + " ";
  if (variable.vector > 1) out_ += ".v" + std::to_string(variable.vector) + " ";
  out_ += ".";
  out_ += info(variable.type).name;
  out_ += " ";
  if (variable.is_pointer) {
    out_ += ".ptr ";
    if (variable.pointer_space != Space::kNone) {
      out_ += ".";
      out_ += ptx::name_of(variable.pointer_space);
      out_ += " ";
    }
    if (variable.pointer_align != 0) {
      out_ += ".align " + std::to_string(variable.pointer_align) + " ";
    }
  }
  out_ += variable.name;
  for (std::size_t i = 0; i < variable.dimensions.size(); ++i) {
    out_ += "[";
    if (i > 0 || variable.dimensions[i] != 0) unsigned_number(variable.dimensions[i]);
    out_ += "]";
  }
  if (!variable.initial.empty()) initial(variable);
}

void Printer::initial(const Variable& variable) {
  out_ += " = ";
  bool behind_value = false;
  for (const Initial& each : variable.initial) {
    if (each.kind == Initial::Kind::kClose) {
      out_ += "}";
      behind_value = true;
      continue;
    }
    if (behind_value) out_ += ", ";
    behind_value = each.kind != Initial::Kind::kOpen;
    if (each.kind == Initial::Kind::kOpen) {
      out_ += "{";
    } else if (each.kind == Initial::Kind::kNumber) {
      number(each.number_kind, each.value);
    } else {
      if (each.mask != 0) {
        unsigned_number(each.mask);
        out_ += "(";
      }
      if (each.generic) out_ += "generic(";
      symbol(function_, each.symbol_kind, each.index);
      if (each.generic) out_ += ")";
      offset(each.value);
      if (each.mask != 0) out_ += ")";
    }
  }
}

void Printer::parameters(std::span<const Variable> variables, std::string_view last) {
  out_ += "(";
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (i > 0) out_ += ", ";
    variable(variables[i]);
  }
  if (!last.empty() && !variables.empty()) out_ += ", ";
  out_ += last;
  out_ += ")";
}

void Printer::head(const Function& function, std::string_view last_parameter) {
  out_ += name_of(function.linkage);
  out_ += function.is_entry ? ".entry " : ".func ";
  if (!function.attributes.empty()) {
    out_ += function.attributes;
    out_ += " ";
  }
  if (function.return_count > 0) {
    parameters(function.returns());
    out_ += " ";
  }
  out_ += function.name;
  // An entry without parameters may stand without parentheses, and with them.
  parameters(function.parameters(), last_parameter);
  if (function.noreturn) out_ += " .noreturn";
  for (const Directive& each : function.directives) {
    out_ += "\n";
    out_ += each.name;
    for (std::size_t i = 0; i < each.values.size(); ++i) {
      out_ += i == 0 ? " " : ", ";
      unsigned_number(each.values[i]);
    }
    if (!each.text.empty()) {
      out_ += " ";
      out_ += each.text;
      out_ += ";";
    }
  }
}

void Printer::function(const Function& function) {
  head(function);
  if (!function.defined) {
    out_ += ";\n";
    return;
  }
  out_ += "\n{\n";
  body(function, [&](std::uint32_t i) { line(function, function.body.instructions[i]); });
  out_ += "}\n";
}

void Printer::body(const Function& function, const std::function<void(std::uint32_t)>& each) {
  function_ = &function;
  depth_ = 1;
  auto next = function.body.marks.begin();
  const auto end = function.body.marks.end();
  const auto count = static_cast<std::uint32_t>(function.body.instructions.size());
  for (std::uint32_t i = 0; i <= count; ++i) {
    for (; next != end && next->at <= i; ++next) mark(function, *next);
    if (i < count) each(i);
  }
  function_ = nullptr;
}

void Printer::line(const Function& function, const Instruction& instruction) {
  indent(depth_);
  if (instruction.guarded) {
    out_ += instruction.guard_negated ? "@!" : "@";
    out_ += function.body.registers[raw(instruction.guard)].name;
    out_ += " ";
  }
  this->instruction(function, instruction);
  out_ += ";\n";
}

void Printer::mark(const Function& function, const Mark& mark) {
  const Body& body = function.body;
  if (mark.kind == MarkKind::kScopeEnd && depth_ > 1) --depth_;
  if (mark.kind != MarkKind::kLabel) indent(depth_);
  switch (mark.kind) {
    case MarkKind::kLabel:
      out_ += body.labels[mark.index].name;
      out_ += ":\n";
      return;
    case MarkKind::kScopeBegin:
      out_ += "{\n";
      ++depth_;
      return;
    case MarkKind::kScopeEnd:
      out_ += "}\n";
      return;
    case MarkKind::kRegisters:
      registers(body.register_declarations[mark.index]);
      return;
    case MarkKind::kVariable:
      variable(function.variables[mark.index]);
      out_ += ";\n";
      return;
    case MarkKind::kTable:
      table(function, body.tables[mark.index]);
      return;
    case MarkKind::kLocation:
      location(body.locations[mark.index]);
      return;
    case MarkKind::kPragma:
      out_ += ".pragma ";
      out_ += mark.text;
      out_ += ";\n";
      return;
    case MarkKind::kVerbatim:
      out_ += mark.text;
      out_ += "\n";
      return;
  }
}

void Printer::registers(const RegisterDeclaration& declaration) {
  out_ += ".reg ";
  if (declaration.vector > 1) out_ += ".v" + std::to_string(declaration.vector) + " ";
  out_ += ".";
  out_ += info(declaration.type).name;
  for (std::size_t i = 0; i < declaration.names.size(); ++i) {
    out_ += i == 0 ? " " : ", ";
    out_ += declaration.names[i].name;
    if (declaration.names[i].count == 0) continue;
    out_ += "<";
    unsigned_number(declaration.names[i].count);
    out_ += ">";
  }
  out_ += ";\n";
}

void Printer::location(const Location& location) {
  out_ += ".loc " + std::to_string(location.file) + " " + std::to_string(location.line) + " " +
          std::to_string(location.column);
  if (!location.function_label.empty()) {
    out_ += ", function_name ";
    out_ += location.function_label;
    if (location.function_offset != 0) out_ += "+" + std::to_string(location.function_offset);
  }
  if (location.inlined) {
    out_ += ", inlined_at " + std::to_string(location.at_file) + " " +
            std::to_string(location.at_line) + " " + std::to_string(location.at_column);
  }
  out_ += "\n";
}

void Printer::table(const Function& function, const Table& table) {
  out_ += table.name;
  if (table.kind == TableKind::kBranchTargets) {
    out_ += ": .branchtargets ";
    for (std::size_t i = 0; i < table.labels.size(); ++i) {
      if (i > 0) out_ += ", ";
      out_ += function.body.labels[raw(table.labels[i])].name;
    }
  } else if (table.kind == TableKind::kCallTargets) {
    out_ += ": .calltargets ";
    for (std::size_t i = 0; i < table.functions.size(); ++i) {
      if (i > 0) out_ += ", ";
      out_ += module_.functions[table.functions[i]].name;
    }
  } else {
    out_ += ": .callprototype ";
    if (!table.returns.empty()) parameters(table.returns);
    out_ += " _ ";
    parameters(table.parameters);
    if (!table.attributes.empty()) out_ += " ";
    out_ += table.attributes;
  }
  out_ += ";\n";
}

}  // namespace redflag::ptx
