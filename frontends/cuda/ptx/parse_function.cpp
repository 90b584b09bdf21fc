// Functions: heads, bodies, and what a body declares.
#include <algorithm>

#include "frontends/cuda/ptx/parser_state.h"

namespace redflag::ptx {
namespace {

constexpr std::uint64_t kMostRegisters = std::uint64_t{1} << 32;

std::uint64_t place_key(std::uint32_t file, std::uint32_t line, std::uint32_t column) {
  return (std::uint64_t{file} * 0x9e3779b97f4a7c15U + line) * 0x9e3779b97f4a7c15U + column;
}

}  // namespace

void Parser::add_mark(MarkKind kind, std::size_t index, std::string_view text) {
  function_->body.marks.push_back({static_cast<std::uint32_t>(function_->body.instructions.size()),
                                   kind, static_cast<std::uint32_t>(index), text});
}

bool Parser::parse_function(Linkage linkage, std::string_view attributes) {
  Function function;
  function.linkage = linkage;
  function.attributes = attributes;
  function.is_entry = token_.is_dot(".entry");
  advance();
  if (function.attributes.empty() && !parse_attribute(function.attributes)) return false;
  if (accept('(') && !parse_parameters(function.variables)) return false;
  function.return_count = static_cast<std::uint32_t>(function.variables.size());
  Token name;
  if (!expect_name("the name of the function", name)) return false;
  function.name = name.text;
  function.line = name.line;
  if (accept('(') && !parse_parameters(function.variables)) return false;
  function.parameter_count =
      static_cast<std::uint32_t>(function.variables.size()) - function.return_count;
  if (!parse_function_directives(function)) return false;
  if (accept(';')) return add_declaration(std::move(function));
  if (!token_.is('{')) return expected("'{' or ';' after the head of the function");
  const auto known = symbols_.find(function.name);
  if (known != symbols_.end() && (known->second.kind != SymbolKind::kFunction ||
                                  module_.functions[known->second.index].defined)) {
    return fault(name, "'" + std::string(name.text) + "' is already defined; remove one of them");
  }
  function.defined = true;
  const std::uint32_t index = place_definition(std::move(function));
  function_ = &module_.functions[index];
  const bool good = declare_parameters() && parse_body();
  function_ = nullptr;
  return good;
}

bool Parser::parse_function_directives(Function& function) {
  while (token_.kind == TokenKind::kDot) {
    Directive directive;
    directive.name = token_.text;
    if (directive.name == ".pragma") {
      if (!parse_pragma(directive.text)) return false;
      function.directives.push_back(directive);
      continue;
    }
    advance();
    if (directive.name == ".noreturn") {
      function.noreturn = true;
      continue;
    }
    if (token_.kind == TokenKind::kNumber) {
      do {
        std::uint64_t value = 0;
        if (!parse_count(value, "a number")) return false;
        directive.values.push_back(value);
      } while (accept(','));
    }
    function.directives.push_back(std::move(directive));
  }
  return true;
}

bool Parser::add_declaration(Function function) {
  const auto item = static_cast<std::uint32_t>(module_.items.size());
  const auto index = static_cast<std::uint32_t>(module_.functions.size());
  const auto [it, fresh] =
      symbols_.try_emplace(function.name, Symbol{SymbolKind::kFunction, index, item});
  if (fresh) {
    add_item(ItemKind::kFunction, index);
    module_.functions.push_back(std::move(function));
    return true;
  }
  if (it->second.kind != SymbolKind::kFunction) {
    Token at;
    at.line = function.line;
    at.text = function.name;
    return fault(at, "'" + std::string(function.name) +
                         "' is already the name of a variable; rename one of them");
  }
  add_item(ItemKind::kFunctionDeclaration, module_.function_declarations.size());
  module_.function_declarations.push_back(std::move(function));
  return true;
}

// One entry for each name: the declaration that this definition follows moves aside.
std::uint32_t Parser::place_definition(Function function) {
  const auto item = static_cast<std::uint32_t>(module_.items.size());
  const auto index = static_cast<std::uint32_t>(module_.functions.size());
  const auto [it, fresh] =
      symbols_.try_emplace(function.name, Symbol{SymbolKind::kFunction, index, item});
  Symbol& known = it->second;
  if (fresh) {
    module_.functions.push_back(std::move(function));
  } else {
    Function& old = module_.functions[known.index];
    module_.items[known.item] = {ItemKind::kFunctionDeclaration,
                                 static_cast<std::uint32_t>(module_.function_declarations.size()),
                                 {}};
    module_.function_declarations.push_back(std::move(old));
    old = std::move(function);
    known.item = item;
  }
  add_item(ItemKind::kFunction, known.index);
  return known.index;
}

bool Parser::declare_parameters() {
  names_.clear();
  for (std::size_t i = 0; i < function_->variables.size(); ++i) {
    Variable& variable = function_->variables[i];
    if (variable.name == "_") continue;
    Meaning meaning{.kind = NameKind::kVariable, .index = static_cast<std::uint32_t>(i)};
    if (variable.space == Space::kReg) {
      variable.reg = static_cast<RegId>(function_->body.registers.size());
      function_->body.registers.push_back({variable.name, variable.type, variable.vector});
      meaning = {.kind = NameKind::kRegister, .index = raw(variable.reg)};
    }
    if (!names_.declare(variable.name, meaning)) {
      Token at;
      at.line = variable.line;
      at.text = variable.name;
      return fault(at, "two parameters are named '" + std::string(variable.name) + "'");
    }
  }
  return true;
}

bool Parser::parse_body() {
  scope_ = 0;
  scope_outer_.assign(1, 0);
  code_references_.clear();
  code_names_.clear();
  places_.clear();
  location_ = LocationId::kNone;
  advance();  // the opening brace
  for (;;) {
    if (token_.is('}')) {
      advance();
      if (scope_ == 0) return resolve_code_names();
      add_mark(MarkKind::kScopeEnd, 0);
      names_.close();
      scope_ = scope_outer_[scope_];
    } else if (token_.is('{')) {
      if (names_.depth() >= kMaxNesting) {
        return fault(token_, "these scopes are nested more than 200 deep; use fewer levels");
      }
      advance();
      add_mark(MarkKind::kScopeBegin, 0);
      names_.open();
      scope_outer_.push_back(scope_);
      scope_ = static_cast<std::uint32_t>(scope_outer_.size() - 1);
    } else if (!parse_body_statement()) {
      return false;
    }
  }
}

bool Parser::parse_body_statement() {
  if (accept(';')) return true;
  if (token_.kind == TokenKind::kDot) return parse_body_directive();
  guarded_ = token_.is('@');
  if (guarded_ && !parse_guard()) return false;
  Token first;
  if (!expect_name("an instruction, a label, a directive or '}'", first)) return false;
  if (!guarded_ && token_.is(':')) {
    advance();
    return parse_labelled(first);
  }
  return parse_instruction(first);
}

bool Parser::parse_body_directive() {
  if (token_.is_dot(".loc")) return parse_location();
  if (token_.is_dot(".reg")) return parse_registers();
  if (token_.is_dot(".pragma")) {
    std::string_view text;
    if (!parse_pragma(text)) return false;
    add_mark(MarkKind::kPragma, 0, text);
    return true;
  }
  constexpr std::string_view kSpaces[] = {".local", ".shared", ".param", ".global", ".const"};
  if (std::find(std::begin(kSpaces), std::end(kSpaces), token_.text) != std::end(kSpaces)) {
    return parse_local_variables();
  }
  Linkage linkage = Linkage::kNone;
  const Token first = token_;
  if (!parse_linkage(linkage)) return false;
  if (linkage != Linkage::kNone) {  // .extern .shared inside a function: hand-written PTX
    token_ = first;
    lexer_.jump(first.end(), first.line);
    return parse_local_variables();
  }
  warn(first, "unknown directive '" + std::string(first.text) + "', kept as it is");
  std::string_view text;
  if (!parse_unknown_directive(text)) return false;
  add_mark(MarkKind::kVerbatim, 0, text);
  return true;
}

bool Parser::parse_registers() {
  advance();
  Variable head;
  if (!parse_variable_head(head)) return false;
  RegisterDeclaration declaration{head.type, head.vector, {}};
  do {
    Token name;
    if (!expect_name("the name of a register", name)) return false;
    std::uint64_t count = 0;
    Meaning meaning{.kind = NameKind::kRegister,
                    .index = static_cast<std::uint32_t>(function_->body.registers.size())};
    if (accept('<')) {
      const Token at = token_;
      if (token_.kind != TokenKind::kNumber) return expected("the number of registers");
      count = static_cast<std::uint64_t>(token_.value);
      advance();
      if (count == 0 || count > kMostRegisters) {
        return fault(at, "expected a number of registers from 1 to 4294967296");
      }
      if (!expect('>', "after the number of registers")) return false;
      meaning = {
          .kind = NameKind::kRange, .vector = head.vector, .type = head.type, .count = count};
    } else {
      function_->body.registers.push_back({name.text, head.type, head.vector});
    }
    if (!names_.declare(name.text, meaning)) {
      return fault(name, "'" + std::string(name.text) + "' is declared twice in this scope");
    }
    declaration.names.push_back({name.text, count});
  } while (accept(','));
  add_mark(MarkKind::kRegisters, function_->body.register_declarations.size());
  function_->body.register_declarations.push_back(std::move(declaration));
  return expect(';', "after the registers");
}

bool Parser::parse_local_variables() {
  Variable head;
  const Token at = token_;
  if (!parse_linkage(head.linkage) || !parse_variable_head(head)) return false;
  if (head.space == Space::kReg) return fault(at, "expected .reg before all other words");
  do {
    Variable variable = head;
    Token name;
    if (!expect_name("the name of a variable", name)) return false;
    variable.name = name.text;
    variable.line = name.line;
    if (!parse_dimensions(variable)) return false;
    if (accept('=') && !parse_initial(variable)) return false;
    const auto index = static_cast<std::uint32_t>(function_->variables.size());
    if (!names_.declare(name.text, {.kind = NameKind::kVariable, .index = index})) {
      return fault(name, "'" + std::string(name.text) + "' is declared twice in this scope");
    }
    function_->variables.push_back(std::move(variable));
    add_mark(MarkKind::kVariable, index);
  } while (accept(','));
  return expect(';', "after the declaration");
}

// .loc 1 10 5, function_name $L__info_string0 [+ 7], inlined_at 1 20 3
bool Parser::parse_location() {
  advance();
  const auto number = [this](std::uint32_t& out) {
    if (token_.kind != TokenKind::kNumber) return expected("file, line and column as numbers");
    out = static_cast<std::uint32_t>(token_.value);
    advance();
    return true;
  };
  Location made;
  if (!number(made.file) || !number(made.line)) return false;
  if (token_.kind == TokenKind::kNumber && !number(made.column)) return false;
  while (accept(',')) {
    Token word;
    if (!expect_name("function_name or inlined_at", word)) return false;
    if (word.text == "function_name") {
      Token label;
      if (!expect_name("a label of .debug_str", label)) return false;
      made.function_label = label.text;
      if (accept('+') && !parse_count(made.function_offset, "an offset")) return false;
    } else if (word.text == "inlined_at") {
      made.inlined = true;
      if (!number(made.at_file) || !number(made.at_line) || !number(made.at_column)) return false;
      const auto caller = places_.find(place_key(made.at_file, made.at_line, made.at_column));
      if (caller != places_.end()) made.caller = caller->second;
    } else {
      return fault(word,
                   "expected function_name or inlined_at, found '" + std::string(word.text) + "'");
    }
  }
  location_ = static_cast<LocationId>(function_->body.locations.size());
  places_[place_key(made.file, made.line, made.column)] = location_;
  function_->body.locations.push_back(made);
  add_mark(MarkKind::kLocation, raw(location_));
  return true;
}

}  // namespace redflag::ptx
