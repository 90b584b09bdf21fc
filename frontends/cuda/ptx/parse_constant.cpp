// Constant expressions, and the initial values of variables.
//
// Integers are 64 bits, signed unless a part is unsigned, as in C; only sums and the like of
// integers are computed, floats stand alone. (PTX ISA, section 4.5.)
#include <bit>

#include "frontends/cuda/ptx/parser_state.h"

namespace redflag::ptx {
namespace {

struct Operator {
  std::string_view text;
  int level;  // binds tighter when higher
};
constexpr Operator kOperators[] = {
    {"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
    {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
    {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10},
};

const Operator* find_operator(const Token& token) {
  if (token.kind != TokenKind::kMark) return nullptr;
  for (const Operator& each : kOperators) {
    if (each.text == token.text) return &each;
  }
  return nullptr;
}

// Signed arithmetic wraps; false: a division by zero.
bool compute(std::string_view op, bool is_unsigned, std::int64_t left, std::int64_t right,
             std::int64_t& out) {
  const auto a = static_cast<std::uint64_t>(left);
  const auto b = static_cast<std::uint64_t>(right);
  const auto flag = [&out](bool value) { out = value ? 1 : 0; };
  const bool less = is_unsigned ? a < b : left < right;
  if (op == "+") out = static_cast<std::int64_t>(a + b);
  if (op == "-") out = static_cast<std::int64_t>(a - b);
  if (op == "*") out = static_cast<std::int64_t>(a * b);
  if (op == "&") out = left & right;
  if (op == "|") out = left | right;
  if (op == "^") out = left ^ right;
  if (op == "<<") out = b < 64 ? static_cast<std::int64_t>(a << b) : 0;
  if (op == ">>") {
    const std::uint64_t by = b < 64 ? b : 63;
    out = is_unsigned ? static_cast<std::int64_t>(b < 64 ? a >> b : 0) : left >> by;
  }
  if (op == "==") flag(a == b);
  if (op == "!=") flag(a != b);
  if (op == "<") flag(less);
  if (op == ">=") flag(!less);
  if (op == ">") flag(!less && a != b);
  if (op == "<=") flag(less || a == b);
  if (op == "&&") flag(a != 0 && b != 0);
  if (op == "||") flag(a != 0 || b != 0);
  if (op == "/" || op == "%") {
    if (b == 0) return false;
    if (is_unsigned) {
      out = static_cast<std::int64_t>(op == "/" ? a / b : a % b);
    } else if (right == -1) {  // the least integer has no negative
      out = op == "/" ? static_cast<std::int64_t>(-a) : 0;
    } else {
      out = op == "/" ? left / right : left % right;
    }
  }
  return true;
}

}  // namespace

bool Parser::parse_unary(Constant& constant, int depth) {
  if (depth > kMaxNesting) {
    return fault(token_, "this expression is nested more than 200 deep; simplify it");
  }
  if (token_.kind == TokenKind::kNumber) {
    constant = {token_.number_kind, token_.value};
    advance();
    return true;
  }
  if (token_.kind == TokenKind::kName && token_.text == "WARP_SZ") {
    constant = {NumberKind::kSigned, 32};
    advance();
    return true;
  }
  if (accept('(')) {
    if (token_.is_dot(".s64") || token_.is_dot(".u64")) {  // a cast
      const bool is_signed = token_.is_dot(".s64");
      advance();
      if (!expect(')', "after the type") || !parse_unary(constant, depth + 1)) return false;
      constant.kind = is_signed ? NumberKind::kSigned : NumberKind::kUnsigned;
      return true;
    }
    return parse_constant(constant, depth + 1) && expect(')', "that closes the expression");
  }
  if (token_.is('-') || token_.is('+') || token_.is('~') || token_.is('!')) {
    const Token op = token_;
    advance();
    if (!parse_unary(constant, depth + 1)) return false;
    if (constant.kind == NumberKind::kFloat64 && op.is('-')) {
      constant.value ^= std::bit_cast<std::int64_t>(std::uint64_t{1} << 63);
      return true;
    }
    if (constant.kind == NumberKind::kFloat32 && op.is('-')) {
      constant.value ^= std::int64_t{1} << 31;
      return true;
    }
    if (!constant.is_integer()) return op.is('+') || fault(op, "expected an integer after this");
    const auto bits = static_cast<std::uint64_t>(constant.value);
    if (op.is('-')) constant.value = static_cast<std::int64_t>(-bits);
    if (op.is('~')) constant.value = static_cast<std::int64_t>(~bits);
    if (op.is('!')) constant.value = bits == 0 ? 1 : 0;
    return true;
  }
  return expected("a number");
}

bool Parser::parse_constant(Constant& constant, int depth, int least) {
  if (!parse_unary(constant, depth)) return false;
  for (const Operator* op = find_operator(token_); op != nullptr && op->level > least;
       op = find_operator(token_)) {
    const Token at = token_;
    advance();
    Constant right;
    if (!parse_constant(right, depth + 1, op->level)) return false;
    if (!constant.is_integer() || !right.is_integer()) {
      return fault(
          at, "expected integers on both sides; floating-point expressions are not supported here");
    }
    const bool is_unsigned =
        constant.kind == NumberKind::kUnsigned || right.kind == NumberKind::kUnsigned;
    if (!compute(op->text, is_unsigned, constant.value, right.value, constant.value)) {
      return fault(at, "a division by zero");
    }
    constant.kind = is_unsigned ? NumberKind::kUnsigned : NumberKind::kSigned;
  }
  if (least == 0 && token_.is('?')) {
    advance();
    Constant yes;
    Constant no;
    if (!parse_constant(yes, depth + 1) || !expect(':', "of the conditional expression") ||
        !parse_constant(no, depth + 1)) {
      return false;
    }
    constant = constant.value != 0 ? yes : no;
  }
  return true;
}

bool Parser::parse_count(std::uint64_t& count, std::string_view what) {
  const Token at = token_;
  Constant constant;
  if (token_.kind != TokenKind::kNumber && !token_.is('(')) return expected(what);
  if (!parse_constant(constant)) return false;
  if (!constant.is_integer() || constant.value < 0) {
    return fault(at, "expected " + std::string(what) + ": a non-negative integer");
  }
  count = static_cast<std::uint64_t>(constant.value);
  return true;
}

// symbol, symbol + 4, generic(symbol), generic(symbol) + 4
bool Parser::parse_initial_address(Initial& leaf, Token& name) {
  leaf.kind = Initial::Kind::kSymbol;
  if (!expect_name("the name of a variable or function", name)) return false;
  if (name.text == "generic" && accept('(')) {
    leaf.generic = true;
    if (!expect_name("the name of a variable or function", name) || !parse_offset(leaf.value) ||
        !expect(')', "after generic")) {
      return false;
    }
  }
  return parse_offset(leaf.value);
}

bool Parser::parse_initial_leaf(Variable& variable) {
  Initial leaf;
  Token name;
  if (token_.kind == TokenKind::kName && token_.text != "WARP_SZ") {
    if (!parse_initial_address(leaf, name)) return false;
  } else {
    Constant constant;
    if (!parse_constant(constant)) return false;
    if (token_.is('(') && constant.is_integer()) {  // mask(address)
      advance();
      leaf.mask = static_cast<std::uint64_t>(constant.value);
      if (!parse_initial_address(leaf, name) || !expect(')', "after the masked address")) {
        return false;
      }
    } else {
      leaf.number_kind = constant.kind;
      leaf.value = constant.value;
    }
  }
  if (leaf.kind == Initial::Kind::kSymbol) {
    const Meaning* local = function_ == nullptr ? nullptr : names_.find(name.text);
    if (local != nullptr && local->kind == NameKind::kVariable) {
      leaf.symbol_kind = SymbolKind::kLocal;
      leaf.index = local->index;
    } else {
      InitialReference reference;
      reference.position = static_cast<std::uint32_t>(variable.initial.size());
      reference.token = name;
      if (function_ != nullptr) {
        reference.function = static_cast<std::uint32_t>(function_ - module_.functions.data());
      }
      reference.variable = static_cast<std::uint32_t>(
          function_ == nullptr ? module_.variables.size() : function_->variables.size());
      initial_references_.push_back(reference);
    }
  }
  variable.initial.push_back(leaf);
  return true;
}

bool Parser::parse_initial(Variable& variable) {
  int depth = 0;
  do {
    while (token_.is('{')) {
      if (++depth > kMaxNesting) {
        return fault(token_, "these braces are nested more than 200 deep; simplify them");
      }
      variable.initial.push_back({.kind = Initial::Kind::kOpen});
      advance();
    }
    if (!token_.is('}') && !parse_initial_leaf(variable)) return false;
    while (depth > 0 && token_.is('}')) {
      --depth;
      variable.initial.push_back({.kind = Initial::Kind::kClose});
      advance();
    }
  } while (depth > 0 && accept(','));
  return depth == 0 || expected("',' or '}' in the initial value");
}

}  // namespace redflag::ptx
