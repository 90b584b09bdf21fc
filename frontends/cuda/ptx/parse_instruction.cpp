// Instructions: guard, opcode with its modifiers, operands against the table's forms.
#include <algorithm>

#include "frontends/cuda/ptx/match.h"
#include "frontends/cuda/ptx/parser_state.h"

namespace redflag::ptx {

// @p or @!p
bool Parser::parse_guard() {
  advance();
  guard_negated_ = accept('!');
  Token name;
  if (!expect_name("a predicate after '@'", name)) return false;
  if (!find_register(name.text, guard_)) {
    return fault(name, "predicate '" + std::string(name.text) +
                           "' is not declared; declare it with .reg .pred before its use");
  }
  return true;
}

// Takes the words that belong to the opcode's name, then its modifiers. What the table does not know
// is the answer: empty when all is known.
std::string Parser::parse_opcode(const Token& first, Instruction& made) {
  mods_.clear();
  const char* begin = first.begin();
  OpPrefix known = find_op_prefix(first.text);
  Op op = known.op;
  const char* end = first.end();
  while (known.longer && token_.kind == TokenKind::kDot && token_.begin() == end) {
    const OpPrefix next = find_op_prefix(between(begin, token_.end()));
    if (next.op == Op::kUnknown && !next.longer) break;
    known = next;
    op = next.op;  // none for bar.warp, which must go on to bar.warp.sync
    end = token_.end();
    advance();
  }
  if (op == Op::kUnknown) return "instruction '" + std::string(between(begin, end)) + "'";
  const OpInfo& row = info(op);
  for (; token_.kind == TokenKind::kDot; advance()) {
    const std::optional<Mod> word = find_mod(token_.text.substr(1));
    if (!word || (row.modifiers & bit(class_of(*word))) == 0) {
      return "modifier '" + std::string(token_.text) + "' of " + std::string(row.name);
    }
    mods_.push_back(*word);
  }
  if (mods_.size() > 255) return "list of 256 modifiers";
  made.op = op;
  return {};
}

bool Parser::keep_verbatim(const Token& first, Instruction& made, const std::string& why) {
  const char* end = first.end();
  while (!token_.is(';')) {
    if (token_.kind == TokenKind::kEnd || token_.kind == TokenKind::kBad) {
      return expected("';' after the instruction");
    }
    end = token_.end();
    advance();
  }
  warn(first, "unknown " + why + ", the instruction is kept as it is");
  made.op = Op::kUnknown;
  made.text = between(first.begin(), end);
  return true;
}

bool Parser::parse_tuple(Operand& operand) {
  operand.kind = OperandKind::kTuple;
  return parse_list(')', operand, 0);
}

// call (returns), callee, (arguments), table; all but the callee optional.
bool Parser::parse_call() {
  Operand parts[4];
  parts[kCallReturns].kind = OperandKind::kTuple;
  parts[kCallArguments].kind = OperandKind::kTuple;
  if (accept('(')) {
    if (!parse_tuple(parts[kCallReturns]) || !expect(',', "after the returned values")) {
      return false;
    }
  }
  Token name;
  if (!expect_name("a function, or a register with its address", name) ||
      !parse_named(name, parts[kCallTarget])) {
    return false;
  }
  bool more = accept(',');
  if (more && accept('(')) {
    if (!parse_tuple(parts[kCallArguments])) return false;
    more = accept(',');
  }
  if (more && !parse_code_reference(parts[kCallTable])) return false;
  operands_.assign(std::begin(parts), std::end(parts));
  return true;
}

bool Parser::parse_operands(Op op) {
  if (op == Op::kCall) return parse_call();
  if (token_.is(';')) return true;
  const Flow flow = info(op).flow;
  do {
    Operand operand;
    // The target is the last operand of a branch, a name that no symbol has.
    const bool target = flow == Flow::kBranch || (flow == Flow::kBranchTable && !operands_.empty());
    if (target ? !parse_code_reference(operand) : !parse_operand(operand, 0)) return false;
    operands_.push_back(operand);
  } while (accept(','));
  return true;
}

bool Parser::parse_instruction(const Token& first) {
  Instruction made;
  made.guarded = guarded_;
  made.guard = guarded_ ? guard_ : RegId::kNone;
  made.guard_negated = guarded_ && guard_negated_;
  made.line = first.line;
  made.location = location_;
  operands_.clear();
  later_.clear();
  odd_operand_ = false;
  const std::string unknown = parse_opcode(first, made);
  if (!unknown.empty()) {
    if (!keep_verbatim(first, made, unknown)) return false;
  } else {
    if (!parse_operands(made.op)) return false;
    if (!token_.is(';')) return expected("',' or ';' after an operand");
    made.text = between(first.begin(), token_.begin());
    while (!made.text.empty() && static_cast<unsigned char>(made.text.back()) <= ' ') {
      made.text.remove_suffix(1);
    }
    if (operands_.size() > 255 || odd_operand_ || !matches(info(made.op).operands, operands_)) {
      warn(first, "unknown form of " + std::string(info(made.op).name) +
                      ", the instruction is kept as it is");
      made.op = Op::kUnknown;
    } else {
      const std::span<const Mod> mods = module_.keep(std::span<const Mod>(mods_));
      const std::span<Operand> kept = module_.keep(std::span<const Operand>(operands_));
      made.mod_data = mods.data();
      made.mod_count = static_cast<std::uint8_t>(mods.size());
      made.operand_data = kept.data();
      made.operand_count = static_cast<std::uint8_t>(kept.size());
      made.modifiers = decode(mods, compares(made.op));
      if (!later_.empty()) note_later(kept);
    }
  }
  function_->body.instructions.push_back(made);
  return expect(';', "after the instruction");
}

}  // namespace redflag::ptx
