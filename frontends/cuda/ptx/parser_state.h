// The parser's state and its parts, each in the file of its name: parse_module.cpp (module level),
// parse_declaration.cpp (variables, prototypes), parse_function.cpp (bodies, directives), parse_label.cpp,
// parse_instruction.cpp, parse_operand.cpp, parse_constant.cpp (expressions, initial values).
//
// One token of lookahead. A member function that returns bool returns false after it has put the
// error into error_, and its callers return false at once. Names of labels, tables, and of module
// symbols that are declared later are kept as references and resolved at the end of the function or
// of the module; operands are in the arena and do not move.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontends/cuda/ptx/lexer.h"
#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/ptx/scope.h"

namespace redflag::ptx {

class Parser {
 public:
  Parser(std::string path, std::string text);
  Result<Module> run();

 private:
  struct Symbol {
    SymbolKind kind = SymbolKind::kUnresolved;
    std::uint32_t index = 0;
    std::uint32_t item = 0;  // in Module::items
  };
  // A name to find at the end of the function, from scope `scope` outwards.
  struct CodeReference {
    Operand* operand = nullptr;  // nullptr: entry `position` of table `table`
    std::uint32_t table = 0;
    std::uint32_t position = 0;
    std::uint32_t scope = 0;
    Token token;
  };
  struct SymbolReference {
    Operand* operand = nullptr;
    Token token;
  };
  // An initial value or a call target that names a symbol: found again by its place.
  struct InitialReference {
    std::uint32_t function = kNoFunction;  // of a variable in a function
    std::uint32_t variable = 0;
    std::uint32_t position = 0;
    Token token;
  };
  struct TargetReference {
    std::uint32_t function = 0;
    std::uint32_t table = 0;
    std::uint32_t position = 0;
    Token token;
  };
  struct Constant {
    NumberKind kind = NumberKind::kSigned;
    std::int64_t value = 0;
    bool is_integer() const { return kind == NumberKind::kSigned || kind == NumberKind::kUnsigned; }
  };
  struct CodeName {
    bool table = false;
    std::uint32_t index = 0;
  };

  // Tokens and messages.
  void advance() { token_ = lexer_.next(); }
  bool accept(char mark);
  bool accept_dot(std::string_view word);
  bool expect(char mark, std::string_view where);
  bool expect_name(std::string_view what, Token& name);
  bool expected(std::string_view what);  // always false
  bool fault(const Token& at, const std::string& message);
  void warn(const Token& at, const std::string& message);
  std::string place(const Token& at) const;
  std::string_view between(const char* begin, const char* end) const;
  bool skip_statement();  // to the token behind the next semicolon

  // Module level.
  bool parse_module();
  bool parse_header_directive();
  bool parse_statement();
  bool parse_version();
  bool parse_target();
  bool parse_file();
  bool parse_section();
  bool parse_alias();
  bool parse_pragma(std::string_view& text);
  bool parse_unknown_directive(std::string_view& text);
  bool finish_module();
  void add_item(ItemKind kind, std::size_t index, std::string_view text = {});

  // Declarations.
  bool parse_linkage(Linkage& linkage);
  bool parse_variable_head(Variable& variable);
  bool parse_attribute(std::string_view& attributes);
  bool parse_dimensions(Variable& variable);
  bool parse_module_variables(Linkage linkage);
  bool parse_parameters(std::vector<Variable>& into);
  bool add_variable(Variable variable);

  // Functions.
  bool parse_function(Linkage linkage, std::string_view attributes);
  bool parse_function_directives(Function& function);
  bool add_declaration(Function function);
  std::uint32_t place_definition(Function function);
  bool declare_parameters();
  bool parse_body();
  bool parse_body_statement();
  bool parse_body_directive();
  bool parse_registers();
  bool parse_local_variables();
  bool parse_location();
  bool parse_labelled(const Token& name);
  bool parse_branch_targets(Table& table);
  bool parse_call_targets(Table& table);
  bool parse_call_prototype(Table& table);
  bool add_code_name(const Token& name, CodeName meaning);
  bool resolve_code_names();
  void add_mark(MarkKind kind, std::size_t index, std::string_view text = {});

  // Instructions.
  bool parse_instruction(const Token& first);
  bool parse_guard();
  std::string parse_opcode(const Token& first, Instruction& made);
  bool parse_operands(Op op);
  bool parse_call();
  bool parse_tuple(Operand& operand);
  bool keep_verbatim(const Token& first, Instruction& made, const std::string& why);

  // Operands.
  bool parse_operand(Operand& operand, int depth);
  bool parse_simple(Operand& operand);
  bool parse_negated(const Token& name, bool predicate, Operand& operand);
  bool parse_named(const Token& name, Operand& operand);
  bool parse_address(Operand& operand);
  bool parse_offset(std::int64_t& offset);
  bool parse_list(char close, Operand& operand, int depth);
  bool parse_code_reference(Operand& operand);
  void note_later(std::span<Operand> operands);
  void parse_component(Operand& operand);
  bool find_register(std::string_view name, RegId& reg);

  // Constants.
  bool parse_constant(Constant& constant, int depth = 0, int least = 0);
  bool parse_unary(Constant& constant, int depth);
  bool parse_count(std::uint64_t& count, std::string_view what);
  bool parse_initial(Variable& variable);
  bool parse_initial_leaf(Variable& variable);
  bool parse_initial_address(Initial& leaf, Token& name);

  Module module_;
  Lexer lexer_;
  Token token_;
  std::string error_;
  std::unordered_map<std::string_view, Symbol> symbols_;
  std::vector<SymbolReference> symbol_references_;
  std::vector<InitialReference> initial_references_;
  std::vector<TargetReference> target_references_;
  std::size_t unnamed_warnings_ = 0;

  // Of the function being parsed.
  Function* function_ = nullptr;
  Names names_;
  std::uint32_t scope_ = 0;                 // number of the scope, not its depth
  std::vector<std::uint32_t> scope_outer_;  // by scope number
  std::vector<CodeReference> code_references_;
  std::unordered_map<std::string_view, std::vector<std::pair<std::uint32_t, CodeName>>> code_names_;
  std::unordered_map<std::uint64_t, LocationId> places_;  // file, line, column to the last .loc
  LocationId location_ = LocationId::kNone;
  bool guarded_ = false;
  bool guard_negated_ = false;
  RegId guard_ = RegId::kNone;
  // Of the instruction being parsed.
  bool in_address_ = false;
  bool odd_operand_ = false;       // it has one that the IR cannot say
  std::vector<Token> later_;       // names to resolve later; operands hold their index here
  std::vector<Mod> mods_;          // scratch
  std::vector<Operand> operands_;  // scratch, used as a stack
};

}  // namespace redflag::ptx
