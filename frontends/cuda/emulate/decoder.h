// Decoder: one function's instructions to micro-operations. Shared by the decode_*.cpp files, each of
// which knows one family of instructions; decode.cpp has operands, registers and values.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontends/cuda/emulate/code.h"
#include "frontends/cuda/emulate/program.h"
#include "frontends/cuda/ptx/cfg.h"

namespace redflag::cuda {

struct TextureOp;

inline constexpr std::uint32_t kScratch = 64;  // of each frame: where discarded results go
inline constexpr std::uint32_t kFirstRegister = kScratch + 512;

class Decoder {
 public:
  Decoder(const Linker& linker, Program& program, FunctionKey key, Code& code);
  Result<void> run();

 private:
  using Instruction = ptx::Instruction;
  using Operand = ptx::Operand;

  // decode.cpp
  void lay_out();
  bool takes_address(std::uint32_t variable) const;
  void count_mentions();
  Result<void> instruction(const Instruction& from);
  Result<void> value(const Instruction& from);
  Result<void> finish();
  MicroOp& emit(Handler handler, std::vector<Ref> refs, std::uint8_t results,
                const void* extra = nullptr);
  Failure unsupported(const std::string& what) const;
  Result<Ref> source(const Operand& operand, unsigned bits);
  Result<Ref> destination(const Operand& operand, unsigned bits);
  Result<Ref> special(const Operand& operand, unsigned bits);
  Result<Ref> address_of(const Operand& operand, unsigned bits);
  Ref register_ref(const Operand& operand) const;
  bool is_taken(const Operand& result) const;  // somebody reads the result
  unsigned register_bits(const Operand& operand) const;
  Ref constant(std::uint64_t value, unsigned bits);
  Ref temporary(unsigned bits);
  // The constant part of a symbol's address; a local variable's is relative to its frame.
  struct Symbol {
    ptx::Space space = ptx::Space::kNone;
    std::uint64_t address = 0;
    bool in_frame = false;   // .local: add the frame's base
    bool parameter = false;  // .param: `address` is in the frame, or in the kernel's block
    bool of_kernel = false;
    std::uint32_t bytes = 0;
  };
  Result<Symbol> symbol(const Operand& operand);

  // decode_memory.cpp
  Result<bool> memory(const Instruction& from);
  Result<MemoryOp*> memory_op(const Instruction& from, const Operand& address);
  Result<void> fill_address(const Operand& address, ptx::Space space, Ref& base, std::uint8_t& bits,
                            std::int64_t& offset);
  Result<void> load(const Instruction& from);
  Result<void> store(const Instruction& from);
  Result<void> atomic(const Instruction& from);
  Result<void> async_copy(const Instruction& from);
  Result<void> async_store(const Instruction& from);
  Result<void> mbarrier(const Instruction& from);
  Result<void> address_space(const Instruction& from);
  void keep_parameters();
  Result<void> parameter_access(const Instruction& from, const Symbol& symbol,
                                const Operand& address, const Operand& data, bool writes);

  // decode_matrix.cpp
  void converge();  // the next operation is executed by all lanes of the warp as one
  Result<void> matrix(const Instruction& from);
  Result<void> fragment(const Instruction& from);

  // decode_texture.cpp
  Result<void> texture(const Instruction& from);
  Result<void> texture_address(const Instruction& from, const Operand& address, TextureOp& how);
  Result<void> texture_data(const Operand& operand, bool writes, unsigned bits, TextureOp& how);

  // decode_control.cpp
  Result<bool> control(const Instruction& from);
  Result<void> call(const Instruction& from);
  Result<void> barrier(const Instruction& from);
  Result<void> collective(const Instruction& from);
  Result<Slot> actual(const Operand& operand);

  const Linker& linker_;
  Program& program_;
  FunctionKey key_;
  Code& code_;
  const LoadedModule& module_;
  const ptx::Function& function_;
  ptx::Cfg cfg_;
  std::set<std::uint32_t> joins_;         // instructions where lanes meet
  std::vector<std::uint32_t> op_of_;      // first operation of an instruction
  std::vector<std::uint32_t> registers_;  // offsets
  std::vector<std::uint32_t> mentions_;   // of registers, anywhere in the function
  std::vector<std::uint32_t> variables_;  // of Function::variables: offset in frame, local memory
  // A device function's parameters whose address it takes, and where in local memory their copies
  // are.
  std::map<std::uint32_t, std::uint32_t> kept_;
  std::vector<std::byte> pool_;
  std::map<std::pair<std::uint64_t, unsigned>, Ref> constants_;
  struct Fixup {
    std::uint32_t op;
    std::uint32_t target;      // instructions
    std::uint32_t reconverge;  // kNone: not
  };
  std::vector<Fixup> fixups_;
  std::uint32_t at_ = 0;  // the instruction being decoded
  std::uint32_t temporaries_ = 0, temporary_ = 0, most_temporaries_ = 0;
};

// Bytes of a register of so many bits, for all lanes.
constexpr std::uint32_t words_of(unsigned bits) {
  return bits == 1 ? 4 : bits <= 32 ? 128 : bits <= 64 ? 256 : 512;
}

}  // namespace redflag::cuda
