// Variables, parameters and their attributes.
#include <limits>

#include "frontends/cuda/ptx/parser_state.h"

namespace redflag::ptx {

bool Parser::parse_linkage(Linkage& linkage) {
  struct Row {
    std::string_view word;
    Linkage linkage;
  };
  constexpr Row kRows[] = {{".visible", Linkage::kVisible},
                           {".extern", Linkage::kExtern},
                           {".weak", Linkage::kWeak},
                           {".common", Linkage::kCommon}};
  for (const Row& row : kRows) {
    if (!token_.is_dot(row.word)) continue;
    linkage = row.linkage;
    advance();
    break;
  }
  return true;
}

bool Parser::parse_attribute(std::string_view& attributes) {
  if (!token_.is_dot(".attribute")) return true;
  const char* begin = token_.begin();
  advance();
  if (!token_.is('(')) return expected("'(' after .attribute");
  int depth = 0;
  do {
    if (token_.kind == TokenKind::kEnd || token_.kind == TokenKind::kBad) {
      return expected("')' of .attribute");
    }
    depth += token_.is('(') ? 1 : token_.is(')') ? -1 : 0;
    attributes = between(begin, token_.end());
    advance();
  } while (depth > 0);
  return true;
}

// State space, alignment, attributes, vector width, type, in any order, up to the name.
bool Parser::parse_variable_head(Variable& variable) {
  variable.line = token_.line;
  while (token_.kind == TokenKind::kDot) {
    const Token word = token_;
    if (word.text == ".attribute") {
      if (!parse_attribute(variable.attributes)) return false;
      continue;
    }
    advance();
    if (word.text == ".align") {
      const Token at = token_;
      std::uint64_t align = 0;
      if (!parse_count(align, "an alignment")) return false;
      if (align == 0 || (align & (align - 1)) != 0 || align > (1U << 30)) {
        return fault(at, "expected an alignment that is a power of two");
      }
      (variable.is_pointer ? variable.pointer_align : variable.align) =
          static_cast<std::uint32_t>(align);
      continue;
    }
    if (word.text == ".ptr") {
      variable.is_pointer = true;
      continue;
    }
    const std::optional<Mod> found = find_mod(word.text.substr(1));
    const ModClass mod_class = found ? class_of(*found) : ModClass::kShape;
    if (mod_class == ModClass::kType) {
      variable.type = static_cast<Type>(*found);
    } else if (mod_class == ModClass::kSpace) {
      Space& space = variable.is_pointer ? variable.pointer_space : variable.space;
      if (space != Space::kNone) return fault(word, "a second state space; remove one of them");
      space = static_cast<Space>(static_cast<std::uint16_t>(*found) - kFirstSpaceMod);
    } else if (mod_class == ModClass::kVector) {
      variable.vector = *found == Mod::kV2 ? 2 : *found == Mod::kV4 ? 4 : 8;
    } else {
      token_ = word;
      lexer_.jump(word.end(), word.line);
      return expected("a state space, a type, .align, .ptr or .attribute");
    }
  }
  if (variable.type == Type::kNone) return expected("a type such as .b32");
  return true;
}

bool Parser::parse_dimensions(Variable& variable) {
  while (accept('[')) {
    std::uint64_t size = 0;
    if (!token_.is(']') && !parse_count(size, "the size of the array")) return false;
    variable.dimensions.push_back(size);
    if (!expect(']', "after the size of the array")) return false;
  }
  return true;
}

bool Parser::parse_module_variables(Linkage linkage) {
  Variable head;
  head.linkage = linkage;
  if (!parse_variable_head(head)) return false;
  do {
    Variable variable = head;
    Token name;
    if (!expect_name("the name of the variable", name)) return false;
    variable.name = name.text;
    variable.line = name.line;
    if (!parse_dimensions(variable)) return false;
    if (accept('=') && !parse_initial(variable)) return false;
    if (!add_variable(std::move(variable))) return false;
  } while (accept(','));
  return expect(';', "after the declaration");
}

// One entry for each name: a declaration that a definition follows moves aside.
bool Parser::add_variable(Variable variable) {
  const auto index = static_cast<std::uint32_t>(module_.variables.size());
  const auto item = static_cast<std::uint32_t>(module_.items.size());
  const auto [it, fresh] =
      symbols_.try_emplace(variable.name, Symbol{SymbolKind::kVariable, index, item});
  if (fresh) {
    add_item(ItemKind::kVariable, index);
    module_.variables.push_back(std::move(variable));
    return true;
  }
  Symbol& known = it->second;
  Token at;
  at.line = variable.line;
  at.text = variable.name;
  const std::string quoted = "'" + std::string(variable.name) + "'";
  if (known.kind != SymbolKind::kVariable) {
    return fault(at, quoted + " is already the name of a function; rename one of them");
  }
  Variable& old = module_.variables[known.index];
  if (!old.initial.empty() && !variable.initial.empty()) {
    return fault(at, quoted + " already has an initial value; remove one of them");
  }
  const auto aside = static_cast<std::uint32_t>(module_.variable_declarations.size());
  if (variable.linkage == Linkage::kExtern || !old.initial.empty()) {
    add_item(ItemKind::kVariableDeclaration, aside);
    module_.variable_declarations.push_back(std::move(variable));
    return true;
  }
  // What its initial value refers to was noted under the number of a new variable.
  for (auto each = initial_references_.rbegin();
       each != initial_references_.rend() && each->function == kNoFunction &&
       each->variable == index;
       ++each) {
    each->variable = known.index;
  }
  module_.items[known.item] = {ItemKind::kVariableDeclaration, aside, {}};
  module_.variable_declarations.push_back(std::move(old));
  old = std::move(variable);
  known.item = item;
  add_item(ItemKind::kVariable, known.index);
  return true;
}

// "( .param .b32 a, .param .align 8 .b8 b[16] )", the opening parenthesis being read already.
bool Parser::parse_parameters(std::vector<Variable>& into) {
  if (accept(')')) return true;
  do {
    Variable variable;
    if (!parse_variable_head(variable)) return false;
    Token name;
    if (!expect_name("the name of the parameter, or _", name)) return false;
    variable.name = name.text;
    variable.line = name.line;
    if (!parse_dimensions(variable)) return false;
    into.push_back(std::move(variable));
  } while (accept(','));
  return expect(')', "after the parameters");
}

}  // namespace redflag::ptx
