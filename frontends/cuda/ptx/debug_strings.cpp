#include "frontends/cuda/ptx/debug_strings.h"

#include "frontends/cuda/ptx/lexer.h"

namespace redflag::ptx {

DebugStrings::DebugStrings(const Module& module) {
  for (const Section& section : module.sections) {
    if (section.name != ".debug_str") continue;
    Lexer lexer(section.text);
    Token before;
    for (Token token = lexer.next(); token.kind != TokenKind::kEnd && token.kind != TokenKind::kBad;
         token = lexer.next()) {
      if (token.kind == TokenKind::kNumber) {
        bytes_ += static_cast<char>(token.value);
      } else if (token.is(':') && before.kind == TokenKind::kName) {
        labels_.emplace(before.text, bytes_.size());
      }
      before = token;
    }
  }
}

std::string_view DebugStrings::find(std::string_view label, std::uint64_t offset) const {
  const auto it = labels_.find(label);
  if (it == labels_.end() || offset >= bytes_.size() - it->second) return {};
  const std::string_view rest = std::string_view(bytes_).substr(it->second + offset);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace redflag::ptx
