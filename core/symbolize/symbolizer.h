// Symbolizer: from addresses in a running (or past) process to functions, lines and variables.
//
// A process is known by the text of its /proc/PID/maps: which file lies where. The files are read
// with elfutils' libdw, each once, however many processes have it mapped: symbols at the first
// question, debug information (DWARF 4 and 5, in the file, split, or in a separate file found by
// build id on this machine) function by function as it is asked for. Nothing is ever fetched from a
// network. Where there is no debug information the answer is the symbol's name, and where there is
// no symbol it is the file and the offset in it: never nothing. A frame says why it has no line,
// and whether its line is only the nearest one (LineState).
//
//   symbolize::Symbolizer symbolizer;
//   symbolize::ProcessMap map = symbolize::parse_maps(text);
//   for (const CodeFrame& frame : symbolizer.frames(map, pc)) ...
//
// Files are opened under the names in the map: a program in another root folder has no names. A
// file that changed since it was mapped gives wrong answers; one that was deleted gives none.
// One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/finding.h"

namespace redflag::symbolize {

// One line of /proc/PID/maps that has a file.
struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;  // in the file
  std::string path;

  friend bool operator==(const Mapping&, const Mapping&) = default;
};

// By ascending address.
struct ProcessMap {
  std::vector<Mapping> mappings;

  // The last that begins at or before the address, which may lie behind its end; nullptr: none.
  const Mapping* find(std::uint64_t address) const;

  friend bool operator==(const ProcessMap&, const ProcessMap&) = default;
};

// Lines that do not have the form of a mapping are left out.
ProcessMap parse_maps(std::string_view text);

// /proc/PID/maps; empty when it cannot be read.
ProcessMap read_maps(std::uint32_t pid);

struct Variable {
  std::string name;  // demangled
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  Frame declared;  // file and line; empty without debug information
  std::string module;
  std::uint64_t offset = 0;  // of the variable in the module
  std::string member{};      // which part of it was asked for: ".accounts[3].balance"; may be empty
};

// [begin, end) in a module.
struct CodeRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  friend bool operator==(const CodeRange&, const CodeRange&) = default;
};

// Where a module is loaded: its first mapping begins at `offset` of the file, which is `address` of
// the module; all others have the same distance between process and file.
struct FirstMapping {
  std::uint64_t offset = 0;
  std::uint64_t address = 0;
};

class Module;  // module.h

class Symbolizer {
 public:
  Symbolizer();
  ~Symbolizer();
  Symbolizer(Symbolizer&&) noexcept;
  Symbolizer& operator=(Symbolizer&&) noexcept;

  // The function at an address and those it was inlined into, innermost first; never empty. `pc` is
  // an address within the instruction: for a return address, give one less.
  std::vector<CodeFrame> frames(const ProcessMap& map, std::uint64_t pc);

  // Only the function's name from the table of symbols, and its module: for the entry of a library
  // function, whose source says nothing to the user.
  CodeFrame function(const ProcessMap& map, std::uint64_t pc);

  // The global or static variable that has this byte.
  std::optional<Variable> variable(const ProcessMap& map, std::uint64_t address);

  // Whether the file's code was compiled to be checked; also for one that cannot be read, of which
  // nothing can be said.
  bool is_instrumented(const std::string& module_path);

  // Hexadecimal; empty: it has none, or the file cannot be read.
  std::string build_id(const std::string& module_path);

  // The other way round: code of a place in the source, innermost of what is inlined; column 0:
  // any. Empty: the module has no debug information, or none of this place.
  std::vector<CodeRange> code_of(const std::string& module_path, const Frame& place);
  std::optional<FirstMapping> first_mapping(const std::string& module_path);

 private:
  struct Place {
    Module* module = nullptr;           // nullptr: no file that can be read
    const std::string* path = nullptr;  // nullptr: in no file
    std::uint64_t address = 0;          // in the file
  };
  Module* module(const std::string& path);  // nullptr: cannot be read
  Place locate(const ProcessMap& map, std::uint64_t address);

  std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace redflag::symbolize
