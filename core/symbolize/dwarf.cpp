// Module's part that reads debug information: units, functions with what was inlined, variables.
#include <cxxabi.h>
#include <dwarf.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/symbolize/module.h"

namespace redflag::symbolize {
namespace {

// Debug information nests as deep as the source; a damaged file must not overflow the stack.
constexpr int kMostDepth = 100;
// Reading every variable takes about a second for each 100 MB of debug information.
constexpr std::uint64_t kMostVariableBytes = std::uint64_t{256} << 20;

const char* linkage_name(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  for (const unsigned what : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    if (dwarf_attr_integrate(&die, what, &attribute) == nullptr) continue;
    if (const char* name = dwarf_formstring(&attribute)) return name;
  }
  return nullptr;
}

// May hold functions or static variables somewhere inside.
bool is_scope(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
      return true;
    default:
      return false;
  }
}

// gcc calls a lambda's class "<lambda(int)>"; the demangler's brackets tell it from a template.
std::string scope_name(Dwarf_Die& die) {
  const char* name = dwarf_diename(&die);
  if (name == nullptr) {
    return dwarf_tag(&die) == DW_TAG_namespace ? "(anonymous namespace)" : std::string();
  }
  std::string text = name;
  if (text.starts_with("<lambda") && text.ends_with('>')) {
    text.front() = '{';
    text.back() = '}';
  }
  return text;
}

template <typename Visit>
void for_each_child(Dwarf_Die& die, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(&die, &child) != 0) return;
  do {
    if (!visit(child)) return;
  } while (dwarf_siblingof(&child, &child) == 0);
}

// The how-manieth class without a name in the function this is; counts on from `number`.
bool number_of_nameless(Dwarf_Die& function, Dwarf_Off wanted, int& number, int depth) {
  bool found = false;
  for_each_child(function, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if ((tag == DW_TAG_structure_type || tag == DW_TAG_class_type) &&
        dwarf_diename(&child) == nullptr) {
      ++number;
      found = dwarf_dieoffset(&child) == wanted;
    } else if (tag == DW_TAG_lexical_block && depth < kMostDepth) {
      found = number_of_nameless(child, wanted, number, depth + 1);
    }
    return !found;
  });
  return found;
}

// The class of a lambda, which gcc gives no name, by its number in its function.
std::string lambda_name(Dwarf_Die& type, Dwarf_Die* outer, int count) {
  for (int i = 0; i < count; ++i) {
    if (dwarf_tag(&outer[i]) == DW_TAG_lexical_block) continue;
    int number = 0;
    if (dwarf_tag(&outer[i]) != DW_TAG_subprogram ||
        !number_of_nameless(outer[i], dwarf_dieoffset(&type), number, 0)) {
      break;
    }
    return "{lambda#" + std::to_string(number) + "}";
  }
  return {};
}

// Names of what a function is declared in: gcc gives no mangled name to lambdas and to what no other
// file can see, and "operator()" alone would be any of them.
std::string with_scopes(Dwarf_Die die, std::string name) {
  for (const unsigned link : {DW_AT_abstract_origin, DW_AT_specification}) {
    Dwarf_Attribute attribute;
    Dwarf_Die other;
    if (dwarf_attr(&die, link, &attribute) == nullptr) continue;
    if (dwarf_formref_die(&attribute, &other) != nullptr) die = other;
  }
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&die, &scopes);
  for (int i = 1; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    if (!is_scope(tag) || tag == DW_TAG_lexical_block) continue;
    std::string scope = scope_name(scopes[i]);
    const bool is_class = tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    if (scope.empty() && is_class) {
      scope = lambda_name(scopes[i], scopes + i + 1, count - i - 1);
    }
    if (!scope.empty()) name = scope + "::" + name;
  }
  std::free(scopes);
  return name;
}

std::string function_name(Dwarf_Die& die) {
  if (const char* linkage = linkage_name(die)) return demangled(linkage);
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&die, DW_AT_name, &attribute) == nullptr) return {};
  const char* name = dwarf_formstring(&attribute);
  if (name == nullptr) return {};
  Dwarf_Die unit;
  if (dwarf_diecu(&die, &unit, nullptr, nullptr) == nullptr) return name;
  const int language = dwarf_srclang(&unit);
  const bool has_scopes = language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_11 ||
                          language == DW_LANG_C_plus_plus_14;
  return has_scopes ? with_scopes(die, name) : std::string(name);
}

// The calls that were inlined around `pc`, outermost first.
void inlined_at(Dwarf_Die& die, Dwarf_Addr pc, std::vector<Dwarf_Die>& chain, int depth) {
  if (depth > kMostDepth) return;
  const std::size_t before = chain.size();
  for_each_child(die, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_inlined_subroutine) {
      if (dwarf_haspc(&child, pc) != 1) return true;
      chain.push_back(child);
      inlined_at(child, pc, chain, depth + 1);
      return false;
    }
    if (tag == DW_TAG_lexical_block) {
      // A block without addresses of its own says nothing about what is in it.
      const bool bounded =
          dwarf_hasattr(&child, DW_AT_low_pc) || dwarf_hasattr(&child, DW_AT_ranges);
      if (!bounded || dwarf_haspc(&child, pc) == 1) inlined_at(child, pc, chain, depth + 1);
    }
    return chain.size() == before;
  });
}

std::uint32_t number(Dwarf_Die& die, unsigned what) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(&die, what, &attribute) == nullptr) return 0;
  return dwarf_formudata(&attribute, &value) == 0 ? static_cast<std::uint32_t>(value) : 0;
}

// The whole path: relative ones are relative to where the compiler ran. "/a/./b.c" is what some
// build systems leave behind.
std::string whole_path(Dwarf_Die& unit, const char* path) {
  std::string text = path == nullptr ? "" : path;
  Dwarf_Attribute attribute;
  if (!text.empty() && text[0] != '/' && dwarf_attr(&unit, DW_AT_comp_dir, &attribute) != nullptr) {
    if (const char* folder = dwarf_formstring(&attribute)) text = std::string(folder) + "/" + text;
  }
  for (std::size_t at = text.find("/./"); at != std::string::npos; at = text.find("/./", at)) {
    text.erase(at, 2);
  }
  return text;
}

// A file by its number in the unit's table. Split debug information may use the other part's.
std::string file_name(Dwarf_Die& unit, Dwarf_Die& lines, std::uint32_t index) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  for (Dwarf_Die* die : {&unit, &lines}) {
    if (dwarf_getsrcfiles(die, &files, &count) == 0 && index < count) {
      return whole_path(lines, dwarf_filesrc(files, index, nullptr, nullptr));
    }
  }
  return {};
}

// Code that the compiler made or moved has line 0. The nearest row before it in the function that
// has a line; nullptr: there is none.
Dwarf_Line* nearest_line(Dwarf_Die& unit, Dwarf_Addr begin, Dwarf_Addr pc) {
  Dwarf_Lines* rows = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrclines(&unit, &rows, &count) != 0) return nullptr;
  Dwarf_Line* best = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    Dwarf_Line* row = dwarf_onesrcline(rows, i);
    Dwarf_Addr address = 0;
    int line = 0;
    bool is_end = false;
    if (dwarf_lineaddr(row, &address) != 0 || address < begin || address > pc) continue;
    if (dwarf_lineno(row, &line) != 0 || line == 0) continue;
    if (dwarf_lineendsequence(row, &is_end) == 0 && !is_end) best = row;
  }
  return best;
}

// `begin`: of the function.
void place_of_line(Dwarf_Die& unit, Dwarf_Addr begin, Dwarf_Addr pc, CodeFrame& frame) {
  Dwarf_Line* line = dwarf_getsrc_die(&unit, pc);
  int value = 0;
  if (line != nullptr && dwarf_lineno(line, &value) == 0 && value == 0) {
    Dwarf_Line* nearest = nearest_line(unit, begin, pc);
    if (nearest != nullptr) frame.line_state = LineState::kNearest;
    if (nearest != nullptr) line = nearest;
  }
  if (line == nullptr) return;
  frame.file = whole_path(unit, dwarf_linesrc(line, nullptr, nullptr));
  if (dwarf_lineno(line, &value) == 0) frame.line = static_cast<std::uint32_t>(value);
  if (dwarf_linecol(line, &value) == 0) frame.column = static_cast<std::uint32_t>(value);
}

bool static_address(Dwarf_Die& die, Dwarf_Addr& address) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operation = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(&die, DW_AT_location, &attribute) == nullptr) return false;
  if (dwarf_getlocation(&attribute, &operation, &count) != 0 || count != 1) return false;
  if (operation->atom == DW_OP_addr) {
    address = operation->number;
    return true;
  }
  if (operation->atom != DW_OP_addrx && operation->atom != DW_OP_GNU_addr_index) return false;
  Dwarf_Attribute indirect;
  return dwarf_getlocation_attr(&attribute, operation, &indirect) == 0 &&
         dwarf_formaddr(&indirect, &address) == 0;
}

}  // namespace

std::string demangled(const char* name) {
  if (name[0] != '_' || name[1] != 'Z') return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : std::string(name);
}

void Module::read_units() {
  units_read_ = true;
  Dwarf_Addr bias = 0;
  dwarf_ = dwfl_module_getdwarf(module_, &bias);
  if (dwarf_ == nullptr) return;
  dwarf_bias_ = bias - elf_bias_;
  Dwarf_CU* unit = nullptr;
  Dwarf_Half version = 0;
  std::uint8_t type = 0;
  Dwarf_Die die;
  Dwarf_Die split;
  while (dwarf_get_units(dwarf_, unit, &unit, &version, &type, &die, &split) == 0) {
    if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
    Unit one;
    one.lines = die;
    one.die = type == DW_UT_skeleton && dwarf_tag(&split) > 0 ? split : die;
    const std::size_t index = units_.size();
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;) {
      if (begin < end) unit_ranges_.push_back({begin, end, index});
    }
    units_.push_back(std::move(one));
  }
  std::sort(unit_ranges_.begin(), unit_ranges_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
}

void Module::read_functions(Unit& unit, Dwarf_Die die, int depth) {
  if (depth > kMostDepth) return;
  for_each_child(die, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram) {
      const std::size_t index = unit.functions.size();
      Dwarf_Addr base = 0;
      Dwarf_Addr begin = 0;
      Dwarf_Addr end = 0;
      bool has_code = false;
      for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&child, at, &base, &begin, &end)) > 0;) {
        if (begin >= end) continue;
        unit.ranges.push_back({begin, end, index});
        has_code = true;
      }
      if (has_code) unit.functions.push_back(child);
    }
    // What is inlined has no functions of its own; the rest may (lambdas, local classes).
    if (is_scope(tag) && tag != DW_TAG_inlined_subroutine) read_functions(unit, child, depth + 1);
    return true;
  });
}

Module::Unit* Module::unit_at(std::uint64_t address) {
  if (!units_read_) read_units();
  auto after = std::upper_bound(unit_ranges_.begin(), unit_ranges_.end(), address,
                                [](std::uint64_t a, const Range& r) { return a < r.begin; });
  if (after == unit_ranges_.begin()) return nullptr;
  --after;
  if (address >= after->end) return nullptr;
  Unit& unit = units_[after->what];
  if (!unit.read) {
    unit.read = true;
    read_functions(unit, unit.die, 0);
    std::sort(unit.ranges.begin(), unit.ranges.end(),
              [](const Range& a, const Range& b) { return a.begin < b.begin; });
  }
  return &unit;
}

// Of all frames of a module only the innermost can have no line; the others are where they call.
void Module::why_no_line(Stack& frames) const {
  for (CodeFrame& frame : frames) {
    if (!frame.file.empty()) continue;
    const bool stripped = is_stripped_ && frame.function.empty();
    frame.line_state = stripped ? LineState::kStripped : LineState::kNoDebugInfo;
  }
}

Stack Module::look_up(std::uint64_t address) {
  Stack frames;
  const Symbol* symbol = function(address);
  if (!units_read_) read_units();
  const Dwarf_Addr pc = address - dwarf_bias_;
  Unit* unit = unit_at(pc);
  CodeFrame outermost;
  if (symbol != nullptr) outermost.function = demangled(symbol->name);
  if (unit == nullptr) {
    frames.push_back(std::move(outermost));
    why_no_line(frames);
    return frames;
  }
  // Of ranges that begin before the address, the nearest that still has it is the innermost.
  auto at = std::upper_bound(unit->ranges.begin(), unit->ranges.end(), pc,
                             [](std::uint64_t a, const Range& r) { return a < r.begin; });
  while (at != unit->ranges.begin()) {
    --at;
    if (at->end > pc) break;
  }
  std::vector<Dwarf_Die> chain;
  Dwarf_Addr begin = pc;
  if (at != unit->ranges.end() && at->begin <= pc && pc < at->end) {
    Dwarf_Die& die = unit->functions[at->what];
    begin = at->begin;
    // Without a mangled name (gcc, for functions no other file can see) the symbol says more.
    if (symbol == nullptr || linkage_name(die) != nullptr) outermost.function = function_name(die);
    inlined_at(die, pc, chain, 0);
  }
  // Each is at the place where the next inner one was called; the innermost where the line table
  // says.
  Stack outer_first{std::move(outermost)};
  for (Dwarf_Die& inlined : chain) {
    CodeFrame& caller = outer_first.back();
    caller.file = file_name(unit->die, unit->lines, number(inlined, DW_AT_call_file));
    caller.line = number(inlined, DW_AT_call_line);
    caller.column = number(inlined, DW_AT_call_column);
    outer_first.emplace_back(function_name(inlined), "", 0U, 0U);
  }
  place_of_line(unit->lines, begin, pc, outer_first.back());
  frames.assign(outer_first.rbegin(), outer_first.rend());
  why_no_line(frames);
  return frames;
}

std::vector<CodeRange> Module::code_of(const Frame& place) {
  if (!units_read_) read_units();
  std::vector<CodeRange> ranges;
  for (Unit& unit : units_) {
    Dwarf_Lines* rows = nullptr;
    std::size_t count = 0;
    if (dwarf_getsrclines(&unit.lines, &rows, &count) != 0) continue;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      Dwarf_Line* row = dwarf_onesrcline(rows, i);
      int line = 0;
      int column = 0;
      bool is_end = false;
      Dwarf_Addr begin = 0;
      Dwarf_Addr end = 0;
      if (dwarf_lineno(row, &line) != 0 || static_cast<std::uint32_t>(line) != place.line) continue;
      dwarf_linecol(row, &column);
      if (place.column != 0 && static_cast<std::uint32_t>(column) != place.column) continue;
      if (dwarf_lineendsequence(row, &is_end) != 0 || is_end) continue;
      if (whole_path(unit.lines, dwarf_linesrc(row, nullptr, nullptr)) != place.file) continue;
      if (dwarf_lineaddr(row, &begin) != 0) continue;
      if (dwarf_lineaddr(dwarf_onesrcline(rows, i + 1), &end) != 0 || begin >= end) continue;
      ranges.push_back({begin + dwarf_bias_, end + dwarf_bias_});
    }
  }
  return ranges;
}

void Module::read_variables(Unit& unit, Dwarf_Die die, int depth) {
  if (depth > kMostDepth) return;
  for_each_child(die, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    Dwarf_Addr address = 0;
    if (tag == DW_TAG_variable && static_address(child, address)) {
      Frame frame;
      frame.file = file_name(unit.die, unit.lines, number(child, DW_AT_decl_file));
      frame.line = number(child, DW_AT_decl_line);
      frame.column = number(child, DW_AT_decl_column);
      if (!frame.file.empty()) {
        variables_.try_emplace(address + dwarf_bias_, DebugVariable{std::move(frame), child});
      }
    } else if (is_scope(tag)) {
      read_variables(unit, child, depth + 1);
    }
    return true;
  });
}

void Module::read_variables() {
  variables_read_ = true;
  if (!units_read_) read_units();
  std::uint64_t bytes = 0;
  for (Unit& unit : units_) {
    Dwarf_Off next = 0;
    std::size_t header = 0;
    const Dwarf_Off begin = dwarf_dieoffset(&unit.lines) - dwarf_cuoffset(&unit.lines);
    if (dwarf_nextcu(dwarf_, begin, &next, &header, nullptr, nullptr, nullptr) == 0) {
      bytes += next - begin;
    }
    if (bytes > kMostVariableBytes) return;
    read_variables(unit, unit.die, 0);
  }
}

Frame Module::declaration(std::uint64_t variable_address) {
  if (!variables_read_) read_variables();
  const auto at = variables_.find(variable_address);
  return at == variables_.end() ? Frame{} : at->second.declared;
}

}  // namespace redflag::symbolize
