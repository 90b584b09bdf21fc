// Loads, stores, atomics, asynchronous copies and addresses: from instruction to MemoryOp.
#include "frontends/cuda/emulate/decoder.h"
#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/meaning/orders.h"

namespace redflag::cuda {

using ptx::Op;
using ptx::OperandKind;
using ptx::Space;

namespace {}  // namespace

Result<void> Decoder::fill_address(const Operand& address, Space space, Ref& base,
                                   std::uint8_t& bits, std::int64_t& offset) {
  offset = address.value;
  bits = 0;
  const OperandKind kind = address.kind == OperandKind::kAddress ? address.base : address.kind;
  if (kind == OperandKind::kRegister) {
    base = register_ref(address);
    bits = static_cast<std::uint8_t>(register_bits(address));
    return {};
  }
  if (kind != OperandKind::kSymbol) return {};
  const Result<Symbol> found = symbol(address);
  if (!found) return Failure(found.error());
  if (found->in_frame) {
    base = temporary(64);
    bits = 64;
    MicroOp& op = emit(&do_local_address, {base}, 1);
    op.constant = static_cast<std::uint32_t>(found->address);
    op.shift = 64;
  } else {
    offset += static_cast<std::int64_t>(found->address);
  }
  // A symbol's own space when a generic access names it.
  if (space == Space::kNone) {
    if (found->space == Space::kShared) offset += static_cast<std::int64_t>(kSharedWindow);
    if (found->space == Space::kLocal) offset += static_cast<std::int64_t>(kLocalWindow);
  }
  return {};
}

Result<MemoryOp*> Decoder::memory_op(const Instruction& from, const Operand& address) {
  auto made = std::make_unique<MemoryOp>();
  MemoryOp& how = *made;
  const ptx::Modifiers& mods = from.modifiers;
  how.instruction = &from;
  how.space = mods.space == Space::kSharedCta ? Space::kShared : mods.space;
  // A pointer to a device function's parameter: to its copy.
  if (is_param(mods.space) && !function_.is_entry) how.space = Space::kLocal;
  how.source_space = mods.source_space;
  how.type = mods.type();
  how.operation = mods.operation;
  how.element = static_cast<std::uint8_t>(ptx::bytes_of(mods.type()));
  how.vector = std::max<std::uint8_t>(mods.vector, 1);
  how.bytes = static_cast<std::uint8_t>(how.element * how.vector);
  how.align = how.bytes;
  how.sign_extend = ptx::info(mods.type()).type_class == ptx::TypeClass::kSigned;
  how.is_volatile = mods.order == ptx::Order::kVolatile;
  how.is_strong = mods.order != ptx::Order::kNone && mods.order != ptx::Order::kWeak &&
                  mods.order != ptx::Order::kVolatile;
  how.order = order_of(mods.order);
  how.scope = scope_of(mods.scope, how.is_strong ? Scope::kDevice : Scope::kSystem);
  how.is_const = mods.space == Space::kConst || is_param(mods.space);
  const Result<void> filled = fill_address(address, how.space, how.base, how.base_bits, how.offset);
  if (!filled) return Failure(filled.error());
  code_.memory.push_back(std::move(made));
  return code_.memory.back().get();
}

Result<bool> Decoder::memory(const Instruction& from) {
  Result<void> done;
  switch (from.op) {
    case Op::kLd:
    case Op::kLdu:
      done = load(from);
      break;
    case Op::kSt:
      done = store(from);
      break;
    case Op::kAtom:
    case Op::kRed:
      done = atomic(from);
      break;
    case Op::kPrefetch:
    case Op::kPrefetchu:
    case Op::kApplypriority:
    case Op::kCpAsyncBulkPrefetch:
    case Op::kCpAsyncBulkPrefetchTensor:
      emit(&do_nothing, {}, 0);
      break;
    case Op::kDiscard: {
      const Result<MemoryOp*> how = memory_op(from, from.operands()[0]);
      if (!how) return Failure(how.error());
      (*how)->bytes = (*how)->align = 128;
      emit(&do_discard, {}, 0, *how);
      break;
    }
    case Op::kCreatepolicy: {  // cache policies have no effect here
      const Result<Ref> to = destination(from.operands()[0], 64);
      if (!to) return Failure(to.error());
      emit(&do_widen, {*to, constant(0, 32)}, 1);
      break;
    }
    case Op::kCvta:
    case Op::kIsspacep:
    case Op::kMapa:
    case Op::kGetctarank:
      done = address_space(from);
      break;
    case Op::kCpAsync:
    case Op::kCpAsyncCommitGroup:
    case Op::kCpAsyncWaitGroup:
    case Op::kCpAsyncWaitAll:
    case Op::kCpAsyncMbarrierArrive:
    case Op::kCpAsyncBulk:
    case Op::kCpAsyncBulkCommitGroup:
    case Op::kCpAsyncBulkWaitGroup:
      done = async_copy(from);
      break;
    case Op::kStAsync:
    case Op::kRedAsync:
    case Op::kCpReduceAsyncBulk:
      done = async_store(from);
      break;
    case Op::kMbarrierInit:
    case Op::kMbarrierInval:
    case Op::kMbarrierExpectTx:
    case Op::kMbarrierCompleteTx:
    case Op::kMbarrierArrive:
    case Op::kMbarrierArriveDrop:
    case Op::kMbarrierTestWait:
    case Op::kMbarrierTryWait:
    case Op::kMbarrierPendingCount:
      done = mbarrier(from);
      break;
    case Op::kTex:
    case Op::kTld4:
    case Op::kTxq:
    case Op::kSuld:
    case Op::kSust:
    case Op::kSured:
    case Op::kSuq:
      done = texture(from);
      break;
    case Op::kLdmatrix:
    case Op::kStmatrix:
    case Op::kWmmaLoad:
    case Op::kWmmaStore:
      done = matrix(from);
      break;
    default:
      return false;
  }
  if (!done) return Failure(done.error());
  return true;
}

// What a device function may point to is a copy in local memory, made when it begins.
void Decoder::keep_parameters() {
  for (const auto& [variable, place] : kept_) {
    auto made = std::make_unique<MemoryOp>();
    made->offset = static_cast<std::int64_t>(variables_[variable]);
    made->number =
        static_cast<std::uint32_t>((function_.variables[variable].bytes() + 15) / 16 * 16);
    emit(&do_keep_parameter, {}, 0, made.get()).constant = place;
    code_.memory.push_back(std::move(made));
  }
}

// Parameters that are named: bytes of the kernel's block, or of each lane in the frame.
Result<void> Decoder::parameter_access(const Instruction& from, const Symbol& symbol,
                                       const Operand& address, const Operand& data, bool writes) {
  auto made = std::make_unique<MemoryOp>();
  MemoryOp& how = *made;
  how.type = from.type();
  how.element = static_cast<std::uint8_t>(ptx::bytes_of(from.type()));
  how.vector = std::max<std::uint8_t>(from.modifiers.vector, 1);
  how.sign_extend = ptx::info(from.type()).type_class == ptx::TypeClass::kSigned;
  how.offset = static_cast<std::int64_t>(symbol.address) + address.value;
  how.number = (symbol.bytes + 15) / 16 * 16;
  std::vector<Ref> refs;
  const bool is_vector = data.kind == OperandKind::kVector;
  const std::span<const Operand> parts = is_vector ? data.parts() : std::span(&data, 1);
  for (const Operand& part : parts) {
    if (part.is_register()) how.register_bits = static_cast<std::uint8_t>(register_bits(part));
    const Result<Ref> ref = writes ? source(part, how.element * 8U) : destination(part, 0);
    if (!ref) return Failure(ref.error());
    refs.push_back(*ref);
  }
  if (how.register_bits == 0 || (writes && how.register_bits == 64 && how.element < 8)) {
    how.register_bits = static_cast<std::uint8_t>(how.element * 8U);
  }
  const Handler handler = parameter_handler(how, symbol.of_kernel, writes);
  if (handler == nullptr) return unsupported("a parameter of this type is not emulated");
  const auto results = static_cast<std::uint8_t>(writes ? 0 : refs.size());
  emit(handler, std::move(refs), results, made.get());
  code_.memory.push_back(std::move(made));
  return {};
}

Result<void> Decoder::load(const Instruction& from) {
  const Operand& data = from.operands()[0];
  const Operand& address = from.operands()[1];
  if (address.base == OperandKind::kSymbol && is_param(from.modifiers.space)) {
    const Result<Symbol> found = symbol(address);
    if (!found) return Failure(found.error());
    return parameter_access(from, *found, address, data, false);
  }
  const Result<MemoryOp*> how = memory_op(from, address);
  if (!how) return Failure(how.error());
  std::vector<Ref> refs;
  const bool is_vector = data.kind == OperandKind::kVector;
  const std::span<const Operand> parts = is_vector ? data.parts() : std::span(&data, 1);
  for (const Operand& part : parts) {
    if (part.is_register()) (*how)->register_bits = static_cast<std::uint8_t>(register_bits(part));
    const Result<Ref> ref = destination(part, 0);
    if (!ref) return Failure(ref.error());
    refs.push_back(*ref);
  }
  if (from.has(ptx::Mod::kNc) || from.op == Op::kLdu) (*how)->is_strong = false;
  const Handler handler = load_handler(**how, program_.mode);
  if (handler == nullptr) return unsupported("a load of this type or state space is not emulated");
  const auto results = static_cast<std::uint8_t>(refs.size());
  emit(handler, std::move(refs), results, *how);
  return {};
}

Result<void> Decoder::store(const Instruction& from) {
  const Operand& address = from.operands()[0];
  const Operand& data = from.operands()[1];
  if (address.base == OperandKind::kSymbol && is_param(from.modifiers.space)) {
    const Result<Symbol> found = symbol(address);
    if (!found) return Failure(found.error());
    return parameter_access(from, *found, address, data, true);
  }
  const Result<MemoryOp*> how = memory_op(from, address);
  if (!how) return Failure(how.error());
  std::vector<Ref> refs;
  const bool is_vector = data.kind == OperandKind::kVector;
  const std::span<const Operand> parts = is_vector ? data.parts() : std::span(&data, 1);
  for (const Operand& part : parts) {
    const Result<Ref> ref = source(part, (*how)->element * 8U);
    if (!ref) return Failure(ref.error());
    refs.push_back(*ref);
  }
  (*how)->register_bits = static_cast<std::uint8_t>((*how)->element * 8U);
  const Handler handler = store_handler(**how, program_.mode);
  if (handler == nullptr) return unsupported("a store of this type or state space is not emulated");
  emit(handler, std::move(refs), 0, *how);
  return {};
}

// Results first; then operands, the parts of a vector each by itself.
Result<void> Decoder::atomic(const Instruction& from) {
  const bool gives = from.op == Op::kAtom;
  const std::span<const Operand> operands = from.operands();
  const Result<MemoryOp*> made = memory_op(from, operands[gives ? 1 : 0]);
  if (!made) return Failure(made.error());
  MemoryOp& how = **made;
  how.is_strong = true;
  if (how.order == Order::kPlain) how.order = Order::kRelaxed;
  if (from.modifiers.scope == ptx::Scope::kNone) how.scope = Scope::kDevice;
  how.flag = gives;
  how.taken = gives && is_taken(operands[0]);
  std::vector<Ref> refs;
  const auto add = [&](const Operand& operand, bool result) -> Result<void> {
    const bool is_vector = operand.kind == OperandKind::kVector;
    for (const Operand& part : is_vector ? operand.parts() : std::span(&operand, 1)) {
      const Result<Ref> ref = result ? destination(part, 0) : source(part, how.element * 8U);
      if (!ref) return Failure(ref.error());
      refs.push_back(*ref);
    }
    return {};
  };
  std::uint8_t results = 0;
  if (gives) {
    Result<void> done = add(operands[0], true);
    if (!done) return done;
    results = static_cast<std::uint8_t>(refs.size());
  }
  const std::size_t wanted = how.operation == ptx::Operation::kCas ? 2 : 1;
  const std::size_t first = gives ? 2 : 1;
  for (std::size_t i = first; i < std::min(operands.size(), first + wanted); ++i) {
    Result<void> done = add(operands[i], false);
    if (!done) return done;
  }
  const Handler handler = atomic_handler(how, program_.mode);
  if (handler == nullptr)
    return unsupported("an atomic with this operation or type is not emulated");
  emit(handler, std::move(refs), results, &how);
  return {};
}

Result<void> Decoder::address_space(const Instruction& from) {
  auto made = std::make_unique<MemoryOp>();
  MemoryOp& how = *made;
  how.space = from.modifiers.space;
  how.flag = from.has(ptx::Mod::kTo);
  const std::span<const Operand> operands = from.operands();
  const unsigned bits = from.op == Op::kIsspacep || from.type() == ptx::Type::kNone
                            ? 64
                            : ptx::info(from.type()).bits;
  how.register_bits = static_cast<std::uint8_t>(bits);
  const Result<Ref> to = destination(operands[0], bits);
  if (!to) return Failure(to.error());
  std::vector<Ref> refs{*to};
  for (std::size_t i = 1; i < operands.size(); ++i) {
    const Result<Ref> ref = source(operands[i], i == 1 ? bits : 32);
    if (!ref) return Failure(ref.error());
    refs.push_back(*ref);
  }
  const Handler handler = from.op == Op::kCvta       ? &do_cvta
                          : from.op == Op::kIsspacep ? &do_isspacep
                          : from.op == Op::kMapa     ? &do_mapa
                                                     : &do_getctarank;
  emit(handler, std::move(refs), 1, made.get());
  code_.memory.push_back(std::move(made));
  return {};
}

}  // namespace redflag::cuda
