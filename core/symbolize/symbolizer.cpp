#include "core/symbolize/symbolizer.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "core/symbolize/module.h"

namespace redflag::symbolize {
namespace {

bool take_hex(std::string_view& text, std::uint64_t& value, char end) {
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  const std::size_t used = static_cast<std::size_t>(at - text.data());
  if (error != std::errc() || used >= text.size() || text[used] != end) return false;
  text.remove_prefix(used + 1);
  return true;
}

bool skip_field(std::string_view& text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return false;
  text.remove_prefix(space + 1);
  return true;
}

// "begin-end rwxp offset major:minor inode      path"
std::optional<Mapping> parse_line(std::string_view line) {
  Mapping mapping;
  if (!take_hex(line, mapping.begin, '-') || !take_hex(line, mapping.end, ' ')) return {};
  if (mapping.begin >= mapping.end || !skip_field(line)) return {};
  if (!take_hex(line, mapping.offset, ' ') || !skip_field(line)) return {};
  const std::size_t slash = line.find('/');
  if (slash == std::string_view::npos) return {};
  mapping.path = line.substr(slash);
  return mapping;
}

// Folders of the system's packages. /usr/local and /opt are the user's.
bool is_system_library(std::string_view path) {
  for (const std::string_view folder : {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"}) {
    if (path.starts_with(folder)) return true;
  }
  return false;
}

}  // namespace

ProcessMap parse_maps(std::string_view text) {
  ProcessMap map;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (std::optional<Mapping> one = parse_line(text.substr(0, end))) {
      map.mappings.push_back(std::move(*one));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::sort(map.mappings.begin(), map.mappings.end(),
            [](const Mapping& a, const Mapping& b) { return a.begin < b.begin; });
  return map;
}

ProcessMap read_maps(std::uint32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/maps");
  std::ostringstream text;
  text << file.rdbuf();
  return parse_maps(text.view());
}

const Mapping* ProcessMap::find(std::uint64_t address) const {
  const auto after =
      std::upper_bound(mappings.begin(), mappings.end(), address,
                       [](std::uint64_t a, const Mapping& m) { return a < m.begin; });
  if (after == mappings.begin()) return nullptr;
  return &*(after - 1);
}

Symbolizer::Symbolizer() = default;
Symbolizer::~Symbolizer() = default;
Symbolizer::Symbolizer(Symbolizer&&) noexcept = default;
Symbolizer& Symbolizer::operator=(Symbolizer&&) noexcept = default;

Module* Symbolizer::module(const std::string& path) {
  const auto [at, is_new] = modules_.try_emplace(path);
  if (is_new) at->second = Module::open(path);
  return at->second.get();
}

Symbolizer::Place Symbolizer::locate(const ProcessMap& map, std::uint64_t address) {
  const Mapping* mapping = map.find(address);
  if (mapping == nullptr) return {};
  Module* found = module(mapping->path);
  if (found == nullptr) {
    if (address >= mapping->end) return {};
    return {nullptr, &mapping->path, address - mapping->begin + mapping->offset};
  }
  // Two segments may share a page of the file, so that its offset alone does not tell them apart;
  // the first mapping of the file does not have this doubt.
  const Mapping* first = mapping;
  while (first != map.mappings.data() && first->offset != found->first_offset() &&
         (first - 1)->path == mapping->path) {
    --first;
  }
  if (first->offset != found->first_offset()) return {};
  const std::uint64_t in_file = address - first->begin + found->first_address();
  // Zero-filled memory after a module has a mapping without a file.
  if (address >= mapping->end && !found->has(in_file)) return {};
  return {found, &mapping->path, in_file};
}

std::vector<CodeFrame> Symbolizer::frames(const ProcessMap& map, std::uint64_t pc) {
  const Place place = locate(map, pc);
  Stack stack;
  if (place.module != nullptr) {
    stack = place.module->frames(place.address);
  }
  if (stack.empty()) stack.emplace_back();
  for (CodeFrame& frame : stack) {
    if (place.path != nullptr) frame.module = *place.path;
    frame.offset = place.path != nullptr ? place.address : pc;
    if (frame.file.empty() && is_system_library(frame.module)) {
      frame.line_state = LineState::kSystemLibrary;
    }
  }
  return stack;
}

CodeFrame Symbolizer::function(const ProcessMap& map, std::uint64_t pc) {
  const Place place = locate(map, pc);
  CodeFrame frame;
  frame.line_state = LineState::kCalled;
  frame.offset = place.path != nullptr ? place.address : pc;
  if (place.path != nullptr) frame.module = *place.path;
  if (place.module == nullptr) return frame;
  if (const Symbol* symbol = place.module->function(place.address)) {
    frame.function = demangled(symbol->name);
  }
  return frame;
}

std::optional<Variable> Symbolizer::variable(const ProcessMap& map, std::uint64_t address) {
  const Place place = locate(map, address);
  if (place.module == nullptr) return std::nullopt;
  const Symbol* symbol = place.module->object(place.address);
  if (symbol == nullptr) return std::nullopt;
  return Variable{.name = demangled(symbol->name),
                  .address = address - (place.address - symbol->address),
                  .size = symbol->size,
                  .declared = place.module->declaration(symbol->address),
                  .module = *place.path,
                  .offset = symbol->address,
                  .member = place.module->member(symbol->address, place.address - symbol->address)};
}

bool Symbolizer::is_instrumented(const std::string& module_path) {
  Module* found = module(module_path);
  return found == nullptr || found->is_instrumented();
}

std::string Symbolizer::build_id(const std::string& module_path) {
  Module* found = module(module_path);
  return found == nullptr ? std::string() : found->build_id();
}

std::vector<CodeRange> Symbolizer::code_of(const std::string& module_path, const Frame& place) {
  Module* found = module(module_path);
  return found == nullptr ? std::vector<CodeRange>{} : found->code_of(place);
}

std::optional<FirstMapping> Symbolizer::first_mapping(const std::string& module_path) {
  const Module* found = module(module_path);
  if (found == nullptr) return std::nullopt;
  return FirstMapping{found->first_offset(), found->first_address()};
}

}  // namespace redflag::symbolize
