// What all of the parser is made of: the next token is taken if it is the expected one, and the first
// that is not makes the message, with its place and what was found instead.
#include "frontends/cuda/ptx/parser_state.h"

namespace redflag::ptx {
namespace {

constexpr std::size_t kMostWarnings = 50;

std::string shown(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the text";
  if (token.kind == TokenKind::kBad) return token.problem;
  return "'" + std::string(token.text.substr(0, 60)) + "'";
}

}  // namespace

std::string Parser::place(const Token& at) const {
  const char* begin = at.begin();
  const char* start = module_.source->data();
  const char* line = begin;
  while (line > start && line[-1] != '\n') --line;
  return module_.path + ":" + std::to_string(at.line) + ":" + std::to_string(begin - line + 1) +
         ": ";
}

bool Parser::fault(const Token& at, const std::string& message) {
  if (error_.empty()) error_ = place(at) + message;
  return false;
}

bool Parser::expected(std::string_view what) {
  std::string message = "expected " + std::string(what) + ", found " + shown(token_);
  if (token_.kind == TokenKind::kEnd) {
    message +=
        "\nthe text may be incomplete: generate it again, or extract it again from its fat binary";
  } else {
    message += "\nif ptxas accepts this text, please report it as a fault of Redflag";
  }
  return fault(token_, message);
}

void Parser::warn(const Token& at, const std::string& message) {
  if (module_.warnings.size() >= kMostWarnings) {
    ++unnamed_warnings_;
  } else {
    module_.warnings.push_back(place(at) + message);
  }
}

std::string_view Parser::between(const char* begin, const char* end) const {
  return {begin, static_cast<std::size_t>(end - begin)};
}

bool Parser::accept(char mark) {
  if (!token_.is(mark)) return false;
  advance();
  return true;
}

bool Parser::accept_dot(std::string_view word) {
  if (!token_.is_dot(word)) return false;
  advance();
  return true;
}

bool Parser::expect(char mark, std::string_view where) {
  if (accept(mark)) return true;
  return expected("'" + std::string(1, mark) + "' " + std::string(where));
}

bool Parser::expect_name(std::string_view what, Token& name) {
  if (token_.kind != TokenKind::kName) return expected(what);
  name = token_;
  advance();
  return true;
}

bool Parser::skip_statement() {
  while (!token_.is(';')) {
    if (token_.kind == TokenKind::kEnd || token_.kind == TokenKind::kBad) {
      return expected("';' at the end of the statement");
    }
    advance();
  }
  advance();
  return true;
}

}  // namespace redflag::ptx
