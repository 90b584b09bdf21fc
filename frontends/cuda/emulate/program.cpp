#include "frontends/cuda/emulate/program.h"

#include <algorithm>
#include <deque>
#include <set>

#include "frontends/cuda/ptx/parameters.h"

namespace redflag::cuda {

using ptx::OperandKind;
using ptx::Space;
using ptx::SymbolKind;

namespace {

// Collects what a kernel reaches: functions by calls and addresses, shared variables by name.
class Reach {
 public:
  Reach(const Linker& linker, FunctionKey kernel) : linker_(linker) {
    add(kernel);
    while (!todo_.empty()) {
      const FunctionKey key = todo_.front();
      todo_.pop_front();
      visit(key);
      if (indirect && !took_all_) {
        took_all_ = true;
        add_all_taken();
      }
    }
  }

  std::set<FunctionKey> functions;
  std::vector<VariableKey> shared;  // in the order of their first use
  bool indirect = false;

 private:
  void add(FunctionKey key) {
    if (!linker_.find_function(key)) return;
    if (functions.insert(key).second) todo_.push_back(key);
  }
  void add_shared(const VariableKey& key) {
    if (std::find(shared.begin(), shared.end(), key) == shared.end()) shared.push_back(key);
  }
  void visit(FunctionKey key) {
    const ptx::Function& function = linker_.module(key.module).ptx.functions[key.function];
    for (const ptx::Instruction& each : function.body.instructions) {
      for (const ptx::Operand& operand : each.operands()) visit(key, operand);
      if (each.op == ptx::Op::kCall &&
          each.operands()[ptx::kCallTarget].kind == OperandKind::kRegister) {
        indirect = true;
      }
    }
  }
  void visit(FunctionKey in, const ptx::Operand& operand) {
    const bool names =
        operand.kind == OperandKind::kSymbol ||
        (operand.kind == OperandKind::kAddress && operand.base == OperandKind::kSymbol);
    const ptx::Module& module = linker_.module(in.module).ptx;
    if (names && operand.symbol_kind == SymbolKind::kFunction) add({in.module, operand.index});
    if (names && operand.symbol_kind == SymbolKind::kVariable &&
        is_shared(module.variables[operand.index].space)) {
      add_shared({in.module, ptx::kNoFunction, operand.index});
    }
    if (names && operand.symbol_kind == SymbolKind::kLocal &&
        is_shared(module.functions[in.function].variables[operand.index].space)) {
      add_shared({in.module, in.function, operand.index});
    }
    for (const ptx::Operand& part : operand.parts()) visit(in, part);
  }
  // Whoever calls through a pointer may call every function whose address is in memory or in a register.
  void add_all_taken() {
    for (std::uint32_t m = 0; m < linker_.module_count(); ++m) {
      const LoadedModule& module = linker_.module(m);
      if (module.unloaded) continue;
      for (const ptx::Variable& variable : module.ptx.variables) {
        for (const ptx::Initial& each : variable.initial) {
          if (each.kind == ptx::Initial::Kind::kSymbol &&
              each.symbol_kind == SymbolKind::kFunction) {
            add({m, each.index});
          }
        }
      }
      for (const ptx::Function& function : module.ptx.functions) {
        for (const ptx::Instruction& each : function.body.instructions) {
          if (each.op != ptx::Op::kMov || each.operand_count < 2) continue;
          const ptx::Operand& from = each.operands()[1];
          if (from.kind == OperandKind::kSymbol && from.symbol_kind == SymbolKind::kFunction) {
            add({m, from.index});
          }
        }
      }
    }
  }

  const Linker& linker_;
  std::deque<FunctionKey> todo_;
  bool took_all_ = false;
};

const ptx::Variable& variable_of(const Linker& linker, const VariableKey& key) {
  const ptx::Module& module = linker.module(key.module).ptx;
  return key.function == ptx::kNoFunction ? module.variables[key.variable]
                                          : module.functions[key.function].variables[key.variable];
}

// Static variables one after the other; extern arrays without a size all begin behind them.
void lay_out_shared(const Linker& linker, const Reach& reach, Program& program) {
  std::uint64_t at = 0;
  std::uint32_t dynamic_align = 16;
  std::vector<VariableKey> dynamic;
  for (const VariableKey& key : reach.shared) {
    const ptx::Variable& variable = variable_of(linker, key);
    const std::uint32_t align = std::max<std::uint32_t>(variable.alignment(), 1);
    const bool open = !variable.dimensions.empty() && variable.dimensions.front() == 0;
    if (open || variable.linkage == ptx::Linkage::kExtern) {
      dynamic.push_back(key);
      dynamic_align = std::max(dynamic_align, align);
      continue;
    }
    at = (at + align - 1) / align * align;
    program.shared[key] = static_cast<std::uint32_t>(at);
    at += variable.bytes();
  }
  if (!dynamic.empty()) at = (at + dynamic_align - 1) / dynamic_align * dynamic_align;
  for (const VariableKey& key : dynamic) program.shared[key] = static_cast<std::uint32_t>(at);
  program.static_shared = at;
}

}  // namespace

const Code* Program::find(std::uint64_t function_address) const {
  if (function_address < kFunctionWindow) return nullptr;
  const std::uint64_t number = (function_address - kFunctionWindow) >> 4;
  const auto at = codes.find(
      {static_cast<std::uint32_t>(number >> 20), static_cast<std::uint32_t>(number & 0xfffff)});
  return at == codes.end() ? nullptr : at->second.get();
}

Result<std::unique_ptr<Program>> build_program(const Linker& linker, FunctionKey kernel,
                                               Mode mode) {
  auto program = std::make_unique<Program>();
  program->kernel = kernel;
  program->mode = mode;
  const Reach reach(linker, kernel);
  program->uses_indirect = reach.indirect;
  lay_out_shared(linker, reach, *program);
  for (const FunctionKey& key : reach.functions) {
    auto code = std::make_unique<Code>();
    code->index = static_cast<std::uint32_t>(program->by_index.size());
    program->by_index.push_back(code.get());
    program->codes[key] = std::move(code);
  }
  for (const FunctionKey& key : reach.functions) {
    Code& code = *program->codes[key];
    const Result<void> decoded = decode_function(linker, *program, key, code);
    if (!decoded) return Failure(decoded.error());
    program->local_bytes = std::max<std::uint64_t>(program->local_bytes, code.local_bytes);
  }
  program->sync.known = true;
  return program;
}

ParameterLayout lay_out_parameters(const ptx::Function& function) {
  ParameterLayout layout;
  for (const ptx::Place& each : ptx::parameter_places(function)) {
    layout.offsets.push_back(each.offset);
    layout.sizes.push_back(each.bytes);
    layout.bytes = each.end();
  }
  return layout;
}

Builtin find_builtin(std::string_view name) {
  return name == "vprintf"        ? Builtin::kPrintf
         : name == "malloc"       ? Builtin::kMalloc
         : name == "free"         ? Builtin::kFree
         : name == "__assertfail" ? Builtin::kAssert
                                  : Builtin::kNone;
}

}  // namespace redflag::cuda
