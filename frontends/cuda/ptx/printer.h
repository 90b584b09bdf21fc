// The printer's parts: appends to one string.
#pragma once

#include <string>
#include <string_view>

#include "frontends/cuda/ptx/ir.h"

namespace redflag::ptx {

class Printer {
 public:
  Printer(const Module& module, std::string& out) : module_(module), out_(out) {}

  void module();
  void function(const Function& function);
  void instruction(const Function& function, const Instruction& instruction);

 private:
  void item(const Item& item);
  void head(const Function& function);
  void variable(const Variable& variable);
  void parameters(std::span<const Variable> variables);
  void initial(const Variable& variable);
  void mark(const Function& function, const Mark& mark, int& depth);
  void table(const Function& function, const Table& table);
  void location(const Location& location);
  void registers(const RegisterDeclaration& declaration);
  void call(const Function& function, const Instruction& instruction);
  void operand(const Function& function, const Operand& operand);
  void address(const Function& function, const Operand& operand);
  void list(const Function& function, std::span<const Operand> operands);
  void symbol(const Function* function, SymbolKind kind, std::uint32_t index);
  void number(NumberKind kind, std::int64_t value);
  void signed_number(std::int64_t value);
  void unsigned_number(std::uint64_t value);
  void offset(std::int64_t value, bool always = false);
  void indent(int depth) { out_.append(static_cast<std::size_t>(depth < 20 ? depth : 20), '\t'); }

  const Module& module_;
  const Function* function_ = nullptr;  // the one that is being printed
  std::string& out_;
};

}  // namespace redflag::ptx
