// The PTX of one module, parsed and resolved: what the emulator runs and the rewriter changes.
//
//   Result<Module> module = parse("app.ptx", text);          // parser.h
//   for (const Function& f : module->functions)
//     for (const Instruction& i : f.body.instructions) ...
//
// Instructions of a function stand in one flat array; a program counter is an index into it.
// Everything else a body holds (labels, scopes, declarations, .loc, pragmas) is a Mark: a note in
// front of an instruction, so that the printer can put it back. Registers are numbered densely, in
// the order of their first use, scopes resolved: two registers of one name in different scopes have
// two numbers. Names are views into the source text, which the module owns together with the arena
// that holds operands; a Module can be moved, and views stay valid. Not thread-safe to change.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cuda/ptx/opcode.h"
#include "frontends/cuda/ptx/operand.h"

namespace redflag::ptx {

struct Instruction {
  Op op = Op::kUnknown;
  bool guarded = false;
  bool guard_negated = false;
  std::uint8_t operand_count = 0;
  std::uint8_t mod_count = 0;
  RegId guard = RegId::kNone;
  LocationId location = LocationId::kNone;  // into Function::locations
  std::uint32_t line = 0;                   // in the PTX text
  Modifiers modifiers;
  const Mod* mod_data = nullptr;
  Operand* operand_data = nullptr;
  std::string_view text;  // as written, guard and semicolon left out; what kUnknown prints

  std::span<const Mod> mods() const { return {mod_data, mod_count}; }
  std::span<const Operand> operands() const { return {operand_data, operand_count}; }
  std::span<Operand> operands() { return {operand_data, operand_count}; }
  bool has(Mod mod) const;
  // The first type of the instruction: that of its value, for loads, stores and arithmetic.
  Type type() const { return modifiers.type(); }
  // Leaves the straight line: a branch, return, exit or trap; also when guarded.
  Flow flow() const { return info(op).flow; }
  Effect effect() const { return info(op).effect; }
};
static_assert(sizeof(Instruction) <= 80);

// What operand number `at` is for, by the opcode table.
Role role_of(const Instruction& instruction, std::size_t at);

// call always has these four: (returns), callee, (arguments), prototype or targets or kNone.
inline constexpr std::size_t kCallReturns = 0;
inline constexpr std::size_t kCallTarget = 1;
inline constexpr std::size_t kCallArguments = 2;
inline constexpr std::size_t kCallTable = 3;

enum class Linkage : std::uint8_t { kNone, kVisible, kExtern, kWeak, kCommon };

// A piece of a variable's value. Nested lists are flat, with their braces: {{1, 2}, {3}} is
// open open 1 2 close open 3 close close. image.h turns it into bytes.
struct Initial {
  enum class Kind : std::uint8_t { kNumber, kSymbol, kOpen, kClose };
  Kind kind = Kind::kNumber;
  NumberKind number_kind = NumberKind::kSigned;
  SymbolKind symbol_kind = SymbolKind::kUnresolved;
  bool generic = false;     // generic(symbol): the address in generic space
  std::uint32_t index = 0;  // of the symbol
  std::int64_t value = 0;   // number, or offset from the symbol
  std::uint64_t mask = 0;   // mask(address): which byte of it; 0: all of it
  friend bool operator==(const Initial&, const Initial&) = default;
};
static_assert(sizeof(Initial) == 24);

struct Variable {
  std::string_view name;  // "_" in prototypes
  Space space = Space::kNone;
  Type type = Type::kNone;
  std::uint8_t vector = 1;
  Linkage linkage = Linkage::kNone;
  bool is_pointer = false;             // .ptr on a kernel parameter
  Space pointer_space = Space::kNone;  // what it points to; kNone: generic
  std::uint32_t align = 0;             // 0: natural
  std::uint32_t pointer_align = 0;
  std::vector<std::uint64_t> dimensions;  // empty: a scalar; a first 0: []
  std::string_view attributes;            // .attribute(...) as written
  RegId reg = RegId::kNone;               // of a parameter in .reg space
  std::uint32_t line = 0;
  std::vector<Initial> initial;  // empty: none

  bool managed() const { return attributes.find(".managed") != std::string_view::npos; }
  std::uint64_t elements() const;  // product of the dimensions, saturated
  std::uint64_t bytes() const;     // saturated
  std::uint32_t alignment() const;
};

struct Register {
  std::string_view name;
  Type type = Type::kNone;
  std::uint8_t vector = 1;
};

// `.reg .b32 %r<9>, a;` as written, for printing. count 0: one register of that name.
struct RegisterDeclaration {
  struct Name {
    std::string_view name;
    std::uint64_t count = 0;
  };
  Type type = Type::kNone;
  std::uint8_t vector = 1;
  std::vector<Name> names;
};

struct Label {
  std::string_view name;
  std::uint32_t target = 0;  // index of the instruction behind it; may be one past the last
};

enum class TableKind : std::uint8_t { kBranchTargets, kCallTargets, kCallPrototype };
struct Table {
  TableKind kind = TableKind::kBranchTargets;
  bool noreturn = false;
  std::string_view name;
  std::string_view attributes;           // .abi_preserve and the like, as written
  std::vector<LabelId> labels;           // kBranchTargets
  std::vector<std::uint32_t> functions;  // kCallTargets: into Module::functions
  std::vector<Variable> returns;         // kCallPrototype
  std::vector<Variable> parameters;
};

// .loc. An inlined line has the name of its function, as a label in .debug_str, and the line it was
// inlined at; `caller` is that line as a location, with further callers behind it.
struct Location {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool inlined = false;
  std::string_view function_label;
  std::uint64_t function_offset = 0;
  std::uint32_t at_file = 0;
  std::uint32_t at_line = 0;
  std::uint32_t at_column = 0;
  LocationId caller = LocationId::kNone;  // kNone: at_* was no .loc of its own
};

enum class MarkKind : std::uint8_t {
  kLabel,       // index: label
  kScopeBegin,  // {
  kScopeEnd,    // }
  kRegisters,   // index: Body::register_declarations
  kVariable,    // index: Function::variables
  kTable,       // index: table
  kLocation,    // index: location
  kPragma,      // text: the string with its quotes
  kVerbatim,    // text: a directive that is not known, with what ends it
};
struct Mark {
  std::uint32_t at = 0;  // stands in front of this instruction; may be one past the last
  MarkKind kind = MarkKind::kLabel;
  std::uint32_t index = 0;
  std::string_view text;
};

struct Body {
  std::vector<Instruction> instructions;
  std::vector<Register> registers;  // by RegId
  std::vector<Label> labels;        // by LabelId
  std::vector<Table> tables;        // by TableId
  std::vector<Location> locations;  // by LocationId
  std::vector<RegisterDeclaration> register_declarations;
  std::vector<Mark> marks;  // in order of `at`
};

// .maxntid 128, 1, 1 and the like, with the dot in the name.
struct Directive {
  std::string_view name;
  std::vector<std::uint64_t> values;
  std::string_view text;  // of .pragma: its string
};

inline constexpr std::uint32_t kNoFunction = 0xffffffff;

struct Function {
  std::string_view name;
  bool is_entry = false;
  bool defined = false;  // has a body
  bool noreturn = false;
  Linkage linkage = Linkage::kNone;
  std::string_view attributes;
  std::uint32_t line = 0;
  std::uint32_t return_count = 0;     // variables[0 .. return_count) are return values,
  std::uint32_t parameter_count = 0;  // the next parameter_count are parameters,
  std::vector<Variable> variables;    // the rest are declared in the body
  std::vector<Directive> directives;
  Body body;

  std::span<const Variable> returns() const { return {variables.data(), return_count}; }
  std::span<const Variable> parameters() const {
    return {variables.data() + return_count, parameter_count};
  }
  const Directive* directive(std::string_view with_dot) const;  // nullptr: not given
  std::uint32_t alias_of = kNoFunction;  // .alias: the function that is meant
};

// The module's statements in their order. Forward declarations of what is defined later are kept
// apart, so that functions and variables have one entry each.
enum class ItemKind : std::uint8_t {
  kVariable,             // Module::variables
  kFunction,             // Module::functions
  kVariableDeclaration,  // Module::variable_declarations
  kFunctionDeclaration,  // Module::function_declarations
  kFile,                 // Module::files
  kSection,              // Module::sections
  kAlias,                // Module::aliases
  kPragma,               // text
  kVerbatim,             // text
};
struct Item {
  ItemKind kind = ItemKind::kVariable;
  std::uint32_t index = 0;
  std::string_view text;
};

struct File {
  std::uint32_t number = 0;
  std::string_view name;  // without its quotes
  std::string_view rest;  // ", timestamp, size" as written; usually empty
};
struct Section {
  std::string_view name;
  std::string_view text;  // between the braces
};
struct Alias {
  std::string_view name;
  std::string_view target;
};

struct Module {
  std::string path;  // for messages
  std::unique_ptr<const std::string> source;
  std::unique_ptr<std::pmr::monotonic_buffer_resource> arena;

  std::uint32_t version_major = 0;
  std::uint32_t version_minor = 0;
  std::vector<std::string_view> targets;  // sm_90, debug, texmode_independent ...
  std::uint32_t address_size = 32;        // the default of PTX
  bool has_address_size = false;

  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<Variable> variable_declarations;
  std::vector<Function> function_declarations;
  std::vector<File> files;
  std::vector<Section> sections;
  std::vector<Alias> aliases;
  std::vector<Item> items;
  std::vector<std::string> warnings;  // "path:line:column: ..."; a newer version, unknown words

  const Function* find_function(std::string_view name) const;  // linear; follows aliases
  // The function that an operand or a table names by its index, behind an alias.
  const Function& callee(std::uint32_t index) const;
  const Variable* find_variable(std::string_view name) const;  // linear
  const File* find_file(std::uint32_t number) const;

  // Arena copies, for those who make instructions.
  std::span<Operand> keep(std::span<const Operand> operands);
  std::span<const Mod> keep(std::span<const Mod> mods);
  std::string_view keep(std::string_view text);
  // An instruction of a known opcode; modifiers are decoded.
  Instruction make(Op op, std::span<const Mod> mods, std::span<const Operand> operands);
};

}  // namespace redflag::ptx
