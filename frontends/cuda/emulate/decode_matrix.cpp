// Matrices that a warp loads and stores together: ldmatrix, stmatrix, wmma.load, wmma.store.
// (PTX ISA 9.0, section 9.7.14.)
//
// In front of every instruction that the lanes of a warp execute as one (.sync.aligned) stands an operation
// that waits until they have met: do_converge. Products are values (frontends/cuda/values/matrix.cpp).
// Not emulated, and named: elements of less than a byte, and ldmatrix of other shapes than .m8n8.
#include "frontends/cuda/emulate/decoder.h"
#include "frontends/cuda/emulate/handlers.h"

namespace redflag::cuda {

using ptx::Mod;
using ptx::Op;
using ptx::OperandKind;
using ptx::Type;

namespace {

// Elements of these types are loaded and stored; all others are named.
bool is_fragment_type(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kBf16:
    case Type::kTf32:
    case Type::kF32:
    case Type::kF64:
    case Type::kS8:
    case Type::kU8:
    case Type::kS32:
      return true;
    default:
      return false;
  }
}

ptx::Shape shape_in(const ptx::Instruction& from) {
  for (const Mod each : from.mods()) {
    const ptx::Shape shape = ptx::shape_of(each);
    if (shape.m != 0) return shape;
  }
  return {};
}

}  // namespace

void Decoder::converge() {
  emit(&do_converge, {}, 0);
}

Result<void> Decoder::matrix(const Instruction& from) {
  if (from.op == Op::kWmmaLoad || from.op == Op::kWmmaStore) return fragment(from);
  auto made = std::make_unique<MemoryOp>();
  MemoryOp& how = *made;
  const bool loads = from.op == Op::kLdmatrix;
  const ptx::Shape shape = shape_in(from);
  if (from.type() != Type::kB16 || shape.m != 8 || shape.n != 8) {
    return unsupported("only matrices of .m8n8 and .b16 are emulated");
  }
  how.space = from.modifiers.space;
  how.flag = from.has(Mod::kTrans);
  how.bytes = how.align = 16;
  const Operand& address = from.operands()[loads ? 1 : 0];
  const Operand& data = from.operands()[loads ? 0 : 1];
  Result<void> done = fill_address(address, how.space, how.base, how.base_bits, how.offset);
  if (!done) return done;
  std::vector<Ref> refs;
  const bool is_vector = data.kind == OperandKind::kVector;
  for (const Operand& part : is_vector ? data.parts() : std::span(&data, 1)) {
    const Result<Ref> ref = loads ? destination(part, 32) : source(part, 32);
    if (!ref) return Failure(ref.error());
    refs.push_back(*ref);
  }
  const auto results = static_cast<std::uint8_t>(loads ? refs.size() : 0);
  converge();
  emit(loads ? &do_ldmatrix : &do_stmatrix, std::move(refs), results, made.get());
  code_.memory.push_back(std::move(made));
  return {};
}

Result<void> Decoder::fragment(const Instruction& from) {
  const bool loads = from.op == Op::kWmmaLoad;
  const Type type = from.type();
  if (!is_fragment_type(type)) return unsupported("fragments of this type are not emulated");
  auto made = std::make_shared<FragmentOp>();
  FragmentOp& how = *made;
  const ptx::Shape shape = shape_in(from);
  const bool is_a = from.has(Mod::kLetterA), is_b = from.has(Mod::kLetterB);
  how.rows = static_cast<std::uint8_t>(is_b ? shape.k : shape.m);
  how.columns = static_cast<std::uint8_t>(is_a ? shape.k : shape.n);
  how.by_column = from.has(Mod::kCol);
  const unsigned elements = unsigned{how.rows} * how.columns;
  if (elements == 0 || elements % gpu::kWarp != 0) {
    return unsupported("a fragment of this shape is not emulated");
  }
  MemoryOp& memory = how.memory;
  memory.space = from.modifiers.space;
  memory.type = type;
  memory.element = static_cast<std::uint8_t>(ptx::bytes_of(type));
  // f16 fragments of A and B have 16 elements in each lane, whatever the shape.
  const bool twice = type == Type::kF16 && (is_a || is_b);
  how.per_lane = static_cast<std::uint8_t>(twice ? 16 : elements / gpu::kWarp);
  const unsigned bits = type == Type::kF64 ? 64 : 32;
  how.per_register = static_cast<std::uint8_t>(bits / (memory.element * 8U));
  const std::span<const Operand> operands = from.operands();
  const Operand& address = operands[loads ? 1 : 0];
  const Operand& data = operands[loads ? 0 : 1];
  Result<void> done =
      fill_address(address, memory.space, memory.base, memory.base_bits, memory.offset);
  if (!done) return done;
  std::vector<Ref> refs;
  const bool is_vector = data.kind == OperandKind::kVector;
  for (const Operand& part : is_vector ? data.parts() : std::span(&data, 1)) {
    const Result<Ref> ref = loads ? destination(part, bits) : source(part, bits);
    if (!ref) return Failure(ref.error());
    refs.push_back(*ref);
  }
  if (refs.size() * how.per_register != how.per_lane) {
    return unsupported("a fragment of this shape has " +
                       std::to_string(how.per_lane / how.per_register) + " registers, found " +
                       std::to_string(refs.size()));
  }
  if (operands.size() > 2 && operands[2].kind != OperandKind::kNone) {
    const Result<Ref> stride = source(operands[2], 32);
    if (!stride) return Failure(stride.error());
    how.stride = *stride;
  }
  const auto results = static_cast<std::uint8_t>(loads ? refs.size() : 0);
  converge();
  emit(loads ? &do_fragment_load : &do_fragment_store, std::move(refs), results, made.get());
  code_.others.push_back(std::move(made));
  return {};
}

}  // namespace redflag::cuda
