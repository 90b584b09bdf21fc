// The printer's parts: appends to one string. Whoever prints with changes (frontends/cuda/rewrite) calls
// them one by one.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "frontends/cuda/ptx/ir.h"

namespace redflag::ptx {

class Printer {
 public:
  Printer(const Module& module, std::string& out) : module_(module), out_(out) {}

  void module();
  void item(const Item& item);
  void function(const Function& function);
  // Up to the body; `last_parameter` is put behind the function's own.
  void head(const Function& function, std::string_view last_parameter = {});
  // What is between the braces; `each` prints, or leaves out, the instruction of that number.
  void body(const Function& function, const std::function<void(std::uint32_t)>& each);
  void line(const Function& function, const Instruction& instruction);  // guard and semicolon too
  void instruction(const Function& function, const Instruction& instruction);
  void operand(const Function& function, const Operand& operand);

 private:
  void variable(const Variable& variable);
  void parameters(std::span<const Variable> variables, std::string_view last = {});
  void initial(const Variable& variable);
  void mark(const Function& function, const Mark& mark);
  void table(const Function& function, const Table& table);
  void location(const Location& location);
  void registers(const RegisterDeclaration& declaration);
  void call(const Function& function, const Instruction& instruction);
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
  int depth_ = 1;                       // of braces
  std::string& out_;
};

}  // namespace redflag::ptx
