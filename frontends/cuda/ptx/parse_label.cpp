// Names of code: labels and tables, and who refers to them.
#include <algorithm>

#include "frontends/cuda/ptx/parser_state.h"

namespace redflag::ptx {

// Behind "name:": a table, or whatever follows a label.
bool Parser::parse_labelled(const Token& name) {
  Table table;
  table.name = name.text;
  const auto index = static_cast<std::uint32_t>(function_->body.tables.size());
  bool good = true;
  if (accept_dot(".branchtargets")) {
    good = parse_branch_targets(table);
  } else if (accept_dot(".calltargets")) {
    good = parse_call_targets(table);
  } else if (accept_dot(".callprototype")) {
    good = parse_call_prototype(table);
  } else {
    const auto label = static_cast<std::uint32_t>(function_->body.labels.size());
    function_->body.labels.push_back(
        {name.text, static_cast<std::uint32_t>(function_->body.instructions.size())});
    add_mark(MarkKind::kLabel, label);
    return add_code_name(name, {false, label});
  }
  if (!good) return false;
  function_->body.tables.push_back(std::move(table));
  add_mark(MarkKind::kTable, index);
  return add_code_name(name, {true, index}) && expect(';', "after the table");
}

bool Parser::parse_branch_targets(Table& table) {
  table.kind = TableKind::kBranchTargets;
  do {
    CodeReference reference;
    reference.table = static_cast<std::uint32_t>(function_->body.tables.size());
    reference.position = static_cast<std::uint32_t>(table.labels.size());
    reference.scope = scope_;
    if (!expect_name("a label", reference.token)) return false;
    code_references_.push_back(reference);
    table.labels.push_back({});
  } while (accept(','));
  return true;
}

bool Parser::parse_call_targets(Table& table) {
  table.kind = TableKind::kCallTargets;
  do {
    TargetReference reference;
    reference.function = static_cast<std::uint32_t>(function_ - module_.functions.data());
    reference.table = static_cast<std::uint32_t>(function_->body.tables.size());
    reference.position = static_cast<std::uint32_t>(table.functions.size());
    if (!expect_name("the name of a function", reference.token)) return false;
    target_references_.push_back(reference);
    table.functions.push_back(0);
  } while (accept(','));
  return true;
}

// .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn
bool Parser::parse_call_prototype(Table& table) {
  table.kind = TableKind::kCallPrototype;
  if (accept('(') && !parse_parameters(table.returns)) return false;
  Token name;
  if (!expect_name("_ or a name", name)) return false;
  if (accept('(') && !parse_parameters(table.parameters)) return false;
  const char* begin = token_.begin();
  while (token_.kind == TokenKind::kDot || token_.kind == TokenKind::kNumber) {
    table.noreturn |= token_.is_dot(".noreturn");
    table.attributes = between(begin, token_.end());
    advance();
  }
  return true;
}

bool Parser::add_code_name(const Token& name, CodeName meaning) {
  auto& known = code_names_[name.text];
  if (!known.empty() && known.back().first == scope_) {
    return fault(name, "label '" + std::string(name.text) + "' is defined twice in this scope");
  }
  known.emplace_back(scope_, meaning);
  return true;
}

// A name of code is seen in the scope that defines it and in those inside it, also before its place.
bool Parser::resolve_code_names() {
  for (auto& [name, known] : code_names_) {
    std::sort(known.begin(), known.end(), [](auto& a, auto& b) { return a.first < b.first; });
  }
  for (const CodeReference& each : code_references_) {
    const auto it = code_names_.find(each.token.text);
    const CodeName* found = nullptr;
    for (std::uint32_t scope = each.scope; it != code_names_.end(); scope = scope_outer_[scope]) {
      const auto place = std::lower_bound(
          it->second.begin(), it->second.end(), scope,
          [](const auto& entry, std::uint32_t value) { return entry.first < value; });
      if (place != it->second.end() && place->first == scope) found = &place->second;
      if (found != nullptr || scope == 0) break;
    }
    if (found == nullptr) {
      return fault(each.token, "label '" + std::string(each.token.text) +
                                   "' is not defined in this function, or only in an inner scope");
    }
    if (each.operand == nullptr) {
      if (found->table) return fault(each.token, "expected a label, found the name of a table");
      function_->body.tables[each.table].labels[each.position] = static_cast<LabelId>(found->index);
    } else {
      each.operand->kind = found->table ? OperandKind::kTable : OperandKind::kLabel;
      each.operand->index = found->index;
    }
  }
  return true;
}

}  // namespace redflag::ptx
