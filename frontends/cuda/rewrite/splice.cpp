#include "frontends/cuda/rewrite/splice.h"

#include <algorithm>

#include "frontends/cuda/ptx/printer.h"

namespace redflag::rewrite {

using ptx::Instruction;
using ptx::Op;
using ptx::OperandKind;
using ptx::Space;

namespace {

// The number of the parameter that is read; -1: it is not that.
int parameter_read(const ptx::Function& hook, const Instruction& from) {
  if (from.op != Op::kLd || !is_param(from.modifiers.space)) return -1;
  const ptx::Operand& address = from.operands()[1];
  if (address.base != OperandKind::kSymbol || address.symbol_kind != ptx::SymbolKind::kLocal ||
      address.index >= hook.parameter_count) {
    return -1;
  }
  return static_cast<int>(address.index);
}

bool reads_whole(const ptx::Function& hook, const Instruction& from, int parameter) {
  const ptx::Operand& to = from.operands()[0];
  const std::uint64_t bytes = hook.parameters()[static_cast<std::size_t>(parameter)].bytes();
  return from.operands()[1].value == 0 && to.is_register() &&
         ptx::info(hook.body.registers[to.index].type).bits == bytes * 8 &&
         ptx::bytes_of(from.type()) == bytes;
}

bool names_parameter(const ptx::Function& hook, const ptx::Operand& operand) {
  const bool names = operand.kind == OperandKind::kSymbol || operand.base == OperandKind::kSymbol;
  const auto parts = operand.parts();
  return (names && operand.symbol_kind == ptx::SymbolKind::kLocal &&
          operand.index < hook.parameter_count) ||
         std::any_of(parts.begin(), parts.end(),
                     [&](const ptx::Operand& part) { return names_parameter(hook, part); });
}

}  // namespace

bool can_splice(const ptx::Function& hook, std::uint32_t most) {
  const ptx::Body& body = hook.body;
  if (!hook.defined || hook.return_count != 0 || body.instructions.size() > most) return false;
  if (!body.tables.empty()) return false;
  unsigned depots = 0;
  for (std::size_t i = hook.parameter_count; i < hook.variables.size(); ++i) {
    const Space space = hook.variables[i].space;
    if (!is_param(space) && space != Space::kLocal) return false;  // .param is of calls
    depots += space == Space::kLocal ? 1 : 0;
  }
  if (depots > 1) return false;
  for (const Instruction& each : body.instructions) {
    if (each.op == Op::kUnknown) return false;
    const int parameter = parameter_read(hook, each);
    if (parameter >= 0) {
      if (!reads_whole(hook, each, parameter)) return false;
      continue;
    }
    for (const ptx::Operand& operand : each.operands()) {
      if (names_parameter(hook, operand)) return false;
    }
  }
  return true;
}

void rename_labels(ptx::Module& module, ptx::Function& hook) {
  for (std::size_t i = 0; i < hook.body.labels.size(); ++i) {
    hook.body.labels[i].name = module.keep("$" + std::string(hook.name) + "_" + std::to_string(i));
  }
}

Spliced prepare(const ptx::Module& module, const ptx::Function& hook) {
  constexpr std::string_view kEnd = "$redflag_end";
  Spliced made;
  for (const ptx::Variable& each : hook.parameters()) {
    made.bits.push_back(static_cast<std::uint32_t>(each.bytes() * 8));
  }
  std::string text;
  ptx::Printer printer(module, text);
  const ptx::Body& body = hook.body;
  printer.body(hook, [&](std::uint32_t i) {
    const Instruction& from = body.instructions[i];
    const int parameter = parameter_read(hook, from);
    const bool returns = from.op == Op::kRet;
    if (parameter < 0 && !returns) return printer.line(hook, from);
    if (returns && !from.guarded && i + 1 == body.instructions.size()) return;
    if (from.guarded) {
      text += from.guard_negated ? "@!" : "@";
      (text += body.registers[ptx::raw(from.guard)].name) += " ";
    }
    if (returns) {
      ((text += "bra ") += kEnd) += ";\n";
      return;
    }
    const auto at = static_cast<std::size_t>(parameter);
    text += "mov.b" + std::to_string(made.bits[at]) + " ";
    printer.operand(hook, from.operands()[0]);
    text += ", %redflag_a" + std::to_string(at) + ";\n";
  });
  for (std::size_t i = hook.parameter_count; i < hook.variables.size(); ++i) {
    const ptx::Variable& local = hook.variables[i];
    if (local.space != Space::kLocal) continue;
    made.local_bytes = local.bytes();
    const std::size_t declared = text.find(".local ");
    text.erase(declared, text.find(';', declared) + 1 - declared);
    for (std::size_t at = 0; (at = text.find(local.name, at)) != std::string::npos;) {
      text.replace(at, local.name.size(), kDepot);
      at += sizeof(kDepot) - 1;
    }
  }
  std::size_t begin = 0;
  for (std::size_t at = 0; (at = text.find(kEnd, begin)) != std::string::npos;) {
    made.pieces.push_back(text.substr(begin, at - begin));
    begin = at + kEnd.size();
  }
  made.pieces.push_back(text.substr(begin));
  return made;
}

void splice(const Spliced& hook, std::span<const std::string> arguments, const std::string& end,
            std::string& out) {
  out += "{\n";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string type = ".b" + std::to_string(hook.bits[i]);
    const std::string name = "%redflag_a" + std::to_string(i);
    out += ".reg " + type + " " + name + ";\nmov" + type + " " + name + ", " + arguments[i] + ";\n";
  }
  out += "{\n" + hook.pieces.front();
  for (std::size_t i = 1; i < hook.pieces.size(); ++i) out += end + hook.pieces[i];
  out += "}\n";
  if (hook.pieces.size() > 1) out += end + ":\n";
  out += "}\n";
}

}  // namespace redflag::rewrite
