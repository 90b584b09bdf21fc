// Module: one executable or library, opened for its names. Used by symbolizer.cpp.
//
// Addresses here are those of the file (its virtual addresses), not of a process. Three tables are
// made when they are first needed: symbols, which units of the debug information cover which
// addresses, and variables with their declarations; functions of a unit when an address of it is
// asked for. libdw's own search for an address reads its tables from the beginning each time and
// needs .debug_aranges, which clang does not write; hence tables of our own, sorted.
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/model/finding.h"
#include "core/symbolize/symbolizer.h"

namespace redflag::symbolize {

struct Symbol {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  const char* name = nullptr;  // in the file's string table; mangled
  int rank = 0;                // of several names for one address, the highest is shown
};

class Module {
 public:
  // nullptr: not an ELF file that can be read.
  static std::unique_ptr<Module> open(const std::string& path);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const std::string& build_id() const { return build_id_; }

  // Where the loader's first mapping of the file begins in it, and at which of its addresses: all
  // others have the same distance between process and file.
  std::uint64_t first_offset() const { return first_offset_; }
  std::uint64_t first_address() const { return first_address_; }
  bool has(std::uint64_t address) const;  // loaded, zero-filled memory included

  // The function and those it was inlined into, innermost first; module and offset are left to the
  // caller. Empty: nothing known.
  const Stack& frames(std::uint64_t address);
  const Symbol* function(std::uint64_t address);
  const Symbol* object(std::uint64_t address);  // variable
  Frame declaration(std::uint64_t variable_address);
  // Which part of a variable this byte of it is: ".accounts[3].balance"; empty: all of it, or
  // unknown.
  std::string member(std::uint64_t variable_address, std::uint64_t offset);
  // Whether its code was compiled to be checked: it refers to the functions that instrumented code
  // calls.
  bool is_instrumented();
  // Where the table of lines has this file, line and column (0: any).
  std::vector<CodeRange> code_of(const Frame& place);

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::size_t what = 0;  // index in units_, or in a unit's functions
  };
  struct Unit {
    Dwarf_Die die{};    // the one with the functions; of split debug information, in the other file
    Dwarf_Die lines{};  // the one with the table of lines
    bool read = false;
    std::vector<Dwarf_Die> functions;
    std::vector<Range> ranges;  // of the functions
  };

  Module() = default;
  void read_symbols();
  void read_units();
  void read_functions(Unit& unit, Dwarf_Die die, int depth);
  void read_variables();
  void read_variables(Unit& unit, Dwarf_Die die, int depth);
  Unit* unit_at(std::uint64_t address);
  Stack look_up(std::uint64_t address);
  void why_no_line(Stack& frames) const;

  Dwfl* dwfl_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  Dwarf* dwarf_ = nullptr;
  std::uint64_t elf_bias_ = 0;    // what libdwfl adds to the file's addresses
  std::uint64_t dwarf_bias_ = 0;  // the same for those of the debug information
  std::string build_id_;
  struct Segment {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  std::vector<Segment> segments_;
  std::uint64_t first_offset_ = 0;
  std::uint64_t first_address_ = 0;
  bool symbols_read_ = false;
  bool is_instrumented_ = false;
  bool is_stripped_ = true;
  std::vector<Symbol> functions_;
  std::vector<Symbol> objects_;
  bool units_read_ = false;
  std::vector<Unit> units_;
  std::vector<Range> unit_ranges_;
  bool variables_read_ = false;
  struct DebugVariable {
    Frame declared;
    Dwarf_Die die{};
  };
  std::map<std::uint64_t, DebugVariable> variables_;
  std::unordered_map<std::uint64_t, Stack> known_;  // answers of frames()
};

// C++ names as people write them; others as they are.
std::string demangled(const char* name);

}  // namespace redflag::symbolize
