// Module level: header, files, sections, aliases; and the end, where names find their symbols.
#include <algorithm>

#include "frontends/cuda/ptx/parser_state.h"

namespace redflag::ptx {

Result<Module> parse(std::string path, std::string text) {
  if (text.size() >= std::uint64_t{1} << 32) {
    return fail(path + ": the PTX text is larger than 4 GiB, the largest size that is supported");
  }
  Parser parser(std::move(path), std::move(text));
  return parser.run();
}

Parser::Parser(std::string path, std::string text) : lexer_({}) {
  // A fat binary's PTX ends with zero bytes.
  while (!text.empty() && text.back() == '\0') text.pop_back();
  module_.path = std::move(path);
  module_.source = std::make_unique<const std::string>(std::move(text));
  module_.arena = std::make_unique<std::pmr::monotonic_buffer_resource>();
  lexer_ = Lexer(*module_.source);
}

Result<Module> Parser::run() {
  if (!parse_module() || !finish_module()) return fail(std::move(error_));
  if (unnamed_warnings_ > 0) {
    module_.warnings.push_back(module_.path + ": and " + std::to_string(unnamed_warnings_) +
                               " more warnings");
  }
  return std::move(module_);
}

void Parser::add_item(ItemKind kind, std::size_t index, std::string_view text) {
  module_.items.push_back({kind, static_cast<std::uint32_t>(index), text});
}

bool Parser::parse_module() {
  advance();
  if (!token_.is_dot(".version")) {
    return expected("'.version' at the beginning of the PTX text");
  }
  while (token_.kind != TokenKind::kEnd) {
    if (!parse_header_directive()) return false;
  }
  return true;
}

bool Parser::parse_header_directive() {
  if (accept_dot(".version")) return parse_version();
  if (accept_dot(".target")) return parse_target();
  if (accept_dot(".address_size")) {
    std::uint64_t size = 0;
    const Token at = token_;
    if (!parse_count(size, "32 or 64")) return false;
    if (size != 32 && size != 64) return fault(at, "expected an address size of 32 or 64");
    module_.address_size = static_cast<std::uint32_t>(size);
    module_.has_address_size = true;
    return true;
  }
  return parse_statement();
}

bool Parser::parse_statement() {
  if (accept(';')) return true;
  if (token_.kind != TokenKind::kDot) {
    return expected("a directive such as .global, .func or .entry");
  }
  if (token_.is_dot(".file")) return parse_file();
  if (token_.is_dot(".section")) return parse_section();
  if (token_.is_dot(".alias")) return parse_alias();
  std::string_view text;
  if (token_.is_dot(".pragma")) {
    if (!parse_pragma(text)) return false;
    add_item(ItemKind::kPragma, 0, text);
    return true;
  }
  // Only debuggers look at a .loc outside functions.
  if (token_.is_dot(".loc")) return parse_unknown_directive(text);
  Linkage linkage = Linkage::kNone;
  std::string_view attributes;
  const Token first = token_;
  if (!parse_linkage(linkage) || !parse_attribute(attributes)) return false;
  if (token_.is_dot(".entry") || token_.is_dot(".func")) return parse_function(linkage, attributes);
  if (!attributes.empty()) return expected(".entry or .func after .attribute");
  constexpr std::string_view kSpaces[] = {".global", ".const", ".shared", ".tex",
                                          ".local",  ".param", ".reg",    ".sreg"};
  if (std::find(std::begin(kSpaces), std::end(kSpaces), token_.text) != std::end(kSpaces)) {
    return parse_module_variables(linkage);
  }
  if (linkage != Linkage::kNone) return expected(".entry, .func or a state space");
  warn(first, "unknown directive '" + std::string(first.text) + "', kept as it is");
  if (!parse_unknown_directive(text)) return false;
  add_item(ItemKind::kVerbatim, 0, text);
  return true;
}

bool Parser::parse_version() {
  // 9.0 is read as a number with a fraction: take its text apart.
  const Token at = token_;
  const std::size_t dot = at.text.find('.');
  if (at.kind != TokenKind::kNumber || dot == std::string_view::npos) {
    return expected("a version such as 9.0");
  }
  std::uint32_t parts[2] = {};
  const std::string_view texts[2] = {at.text.substr(0, dot), at.text.substr(dot + 1)};
  for (int i = 0; i < 2; ++i) {
    if (texts[i].empty() || texts[i].size() > 4) return expected("a version such as 9.0");
    for (const char c : texts[i]) {
      if (c < '0' || c > '9') return expected("a version such as 9.0");
      parts[i] = parts[i] * 10 + static_cast<std::uint32_t>(c - '0');
    }
  }
  module_.version_major = parts[0];
  module_.version_minor = parts[1];
  if (parts[0] > kNewestMajor || (parts[0] == kNewestMajor && parts[1] > kNewestMinor)) {
    // Its instructions may mean what nobody here knows of; what is not understood cannot be checked.
    const std::string newest = std::to_string(kNewestMajor) + "." + std::to_string(kNewestMinor);
    return fault(
        at, "PTX version " + std::string(at.text) + " is newer than " + newest +
                ", the newest version that this Redflag supports\nto mend it: compile with a CUDA "
                "toolkit whose nvcc writes PTX " +
                newest + " or older (CUDA 13.0), or use a newer Redflag");
  }
  advance();
  return true;
}

bool Parser::parse_target() {
  module_.targets.clear();
  do {
    Token name;
    if (!expect_name("a target such as sm_90", name)) return false;
    module_.targets.push_back(name.text);
  } while (accept(','));
  return true;
}

bool Parser::parse_file() {
  advance();
  std::uint64_t number = 0;
  if (!parse_count(number, "the number of a file")) return false;
  if (token_.kind != TokenKind::kString) return expected("the name of a file in quotes");
  File file;
  file.number = static_cast<std::uint32_t>(number);
  file.name = token_.text.substr(1, token_.text.size() - 2);
  const char* begin = token_.end();
  const char* end = begin;
  advance();
  while (token_.is(',')) {  // time stamp, size
    advance();
    end = token_.end();
    std::uint64_t value = 0;
    if (!parse_count(value, "a number")) return false;
  }
  file.rest = between(begin, end);
  add_item(ItemKind::kFile, module_.files.size());
  module_.files.push_back(file);
  return true;
}

bool Parser::parse_section() {
  advance();
  Section section;
  if (token_.kind != TokenKind::kDot && token_.kind != TokenKind::kName) {
    return expected("the name of a section");
  }
  section.name = token_.text;
  advance();
  if (!token_.is('{')) return expected("'{' of the section");
  // Debug sections are most of a debug build's text, and nobody reads them here: only the brace that
  // ends them matters. They hold labels, numbers and sums of them.
  const char* begin = token_.end();
  const std::string_view rest = between(begin, lexer_.text_end());
  const std::size_t close = rest.find('}');
  if (close == std::string_view::npos) {
    return fault(token_, "this section has no '}'; the text may be incomplete: generate it again");
  }
  section.text = rest.substr(0, close);
  const auto lines = std::count(section.text.begin(), section.text.end(), '\n');
  lexer_.jump(begin + close + 1, token_.line + static_cast<std::uint32_t>(lines));
  advance();
  add_item(ItemKind::kSection, module_.sections.size());
  module_.sections.push_back(section);
  return true;
}

bool Parser::parse_alias() {
  advance();
  Token name;
  Token target;
  if (!expect_name("a name for the alias", name) || !expect(',', "after the alias") ||
      !expect_name("the function that the alias stands for", target) ||
      !expect(';', "after the alias")) {
    return false;
  }
  add_item(ItemKind::kAlias, module_.aliases.size());
  module_.aliases.push_back({name.text, target.text});
  return true;
}

bool Parser::parse_pragma(std::string_view& text) {
  advance();
  const char* begin = token_.begin();
  const char* end = begin;
  do {
    if (token_.kind != TokenKind::kString) return expected("a pragma in quotes");
    end = token_.end();
    advance();
  } while (accept(','));
  text = between(begin, end);
  return expect(';', "after the pragma");
}

// Up to its semicolon, its block, or, for those without either, the end of its line.
bool Parser::parse_unknown_directive(std::string_view& text) {
  const char* begin = token_.begin();
  const std::uint32_t line = token_.line;
  int depth = 0;
  const char* end = begin;
  do {
    if (token_.kind == TokenKind::kEnd || token_.kind == TokenKind::kBad) {
      if (depth == 0) break;
      return expected("'}' of the directive");
    }
    if (depth == 0 && token_.line != line && !token_.is('{') && !token_.is(';')) break;
    if (depth == 0 && token_.is('}')) break;
    depth += token_.is('{') ? 1 : token_.is('}') ? -1 : 0;
    const bool last = depth == 0 && (token_.is('}') || token_.is(';'));
    end = token_.end();
    advance();
    if (last) break;
  } while (true);
  text = between(begin, end);
  return true;
}

bool Parser::finish_module() {
  for (const Alias& alias : module_.aliases) {
    const auto name = symbols_.find(alias.name);
    const auto target = symbols_.find(alias.target);
    const bool good = name != symbols_.end() && target != symbols_.end() &&
                      name->second.kind == SymbolKind::kFunction &&
                      target->second.kind == SymbolKind::kFunction;
    if (good) module_.functions[name->second.index].alias_of = target->second.index;
  }
  const auto find = [this](const Token& name, Symbol& symbol) {
    const auto it = symbols_.find(name.text);
    if (it != symbols_.end()) {
      symbol = it->second;
      return true;
    }
    return fault(name,
                 "'" + std::string(name.text) +
                     "' is not declared; declare it (.reg, .global, .func ...) before its use");
  };
  Symbol symbol;
  for (const SymbolReference& each : symbol_references_) {
    if (!find(each.token, symbol)) return false;
    each.operand->symbol_kind = symbol.kind;
    each.operand->index = symbol.index;
  }
  for (const InitialReference& each : initial_references_) {
    if (!find(each.token, symbol)) return false;
    std::vector<Variable>& variables = each.function == kNoFunction
                                           ? module_.variables
                                           : module_.functions[each.function].variables;
    Initial& leaf = variables[each.variable].initial[each.position];
    leaf.symbol_kind = symbol.kind;
    leaf.index = symbol.index;
  }
  for (const TargetReference& each : target_references_) {
    if (!find(each.token, symbol)) return false;
    if (symbol.kind != SymbolKind::kFunction) return fault(each.token, "expected a function");
    module_.functions[each.function].body.tables[each.table].functions[each.position] =
        symbol.index;
  }
  return true;
}

}  // namespace redflag::ptx
