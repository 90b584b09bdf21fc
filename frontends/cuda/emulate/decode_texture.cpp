// Textures and surfaces: from instruction to TextureOp.
//
// The object is in a register, as CUDA's texture and surface objects are; texture references, samplers of
// their own, offsets, depth comparisons and multisampled images are refused. Levels and gradients are
// taken and have no effect: an image has one level.
#include "frontends/cuda/emulate/decoder.h"
#include "frontends/cuda/emulate/texture_op.h"
#include "frontends/cuda/meaning/image_ops.h"

namespace redflag::cuda {

using ptx::Mod;
using ptx::Op;
using ptx::OperandKind;

namespace {

constexpr Mod kQueries[] = {Mod::kQWidth,     Mod::kQHeight,  Mod::kQDepth,
                            Mod::kQArraySize, Mod::kQMipmaps, Mod::kQNormalized};

bool is_word(ptx::Type type) {
  return type == ptx::Type::kF32 || type == ptx::Type::kS32 || type == ptx::Type::kU32 ||
         type == ptx::Type::kB32;
}

bool is_reduction(ptx::Operation operation) {
  return operation == ptx::Operation::kAdd || operation == ptx::Operation::kMin ||
         operation == ptx::Operation::kMax || operation == ptx::Operation::kAnd ||
         operation == ptx::Operation::kOr;
}

}  // namespace

// The object and, but for queries, the coordinates.
Result<void> Decoder::texture_address(const Instruction& from, const Operand& address,
                                      TextureOp& how) {
  if (!address.has_base_register() || address.value != 0) {
    return unsupported("texture and surface references are not emulated, only objects are");
  }
  Operand object = address;
  object.kind = OperandKind::kRegister;
  object.part_count = 0;
  const Result<Ref> handle = source(object, 64);
  if (!handle) return Failure(handle.error());
  how.object = *handle;
  if (from.op == Op::kTxq || from.op == Op::kSuq) {
    return address.parts().empty() ? Result<void>()
                                   : unsupported("a query of a mipmap level is not emulated");
  }
  if (address.parts().size() != 1) return unsupported("a separate sampler is not emulated");
  const Operand& list = address.parts()[0];
  const bool is_vector = list.kind == OperandKind::kVector;
  const std::span<const Operand> parts = is_vector ? list.parts() : std::span(&list, 1);
  const std::size_t layers = is_layered(how.shape) ? 1 : 0;
  if (parts.size() < layers + axes_of(how.shape)) {
    return unsupported("too few coordinates");
  }
  for (std::size_t i = 0; i < layers + axes_of(how.shape); ++i) {
    const Result<Ref> ref = source(parts[i], 32);
    if (!ref) return Failure(ref.error());
    (i < layers ? how.layer : how.coordinates[i - layers]) = *ref;
  }
  return {};
}

// Registers of the result or of what is stored; `d|p` says whether the texel was there.
Result<void> Decoder::texture_data(const Operand& operand, bool writes, unsigned bits,
                                   TextureOp& how) {
  const Operand* data = &operand;
  if (operand.kind == OperandKind::kPair) {
    data = &operand.parts()[0];
    const Result<Ref> resident = destination(operand.parts()[1], 1);
    if (!resident) return Failure(resident.error());
    how.resident = *resident;
  }
  const bool is_vector = data->kind == OperandKind::kVector;
  const std::span<const Operand> parts = is_vector ? data->parts() : std::span(data, 1);
  if (parts.size() > 4) return unsupported("more operands than the emulated GPU supports");
  how.vector = static_cast<std::uint8_t>(parts.size());
  how.register_bits = static_cast<std::uint8_t>(bits);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!writes && parts[i].is_register()) {
      how.register_bits = static_cast<std::uint8_t>(register_bits(parts[i]));
    }
    const Result<Ref> ref = writes ? source(parts[i], bits) : destination(parts[i], bits);
    if (!ref) return Failure(ref.error());
    how.data[i] = *ref;
  }
  return {};
}

Result<void> Decoder::texture(const Instruction& from) {
  auto made = std::make_shared<TextureOp>();
  TextureOp& how = *made;
  const ptx::Modifiers& mods = from.modifiers;
  const bool is_query = from.op == Op::kTxq || from.op == Op::kSuq;
  const bool is_fetch = from.op == Op::kTex || from.op == Op::kTld4;
  const bool writes = from.op == Op::kSust || from.op == Op::kSured;
  how.op = from.op;
  how.type = mods.type();
  how.operation = mods.operation;
  how.formatted = from.has(Mod::kLetterP);
  how.boundary = image_boundary(from);
  if (const std::optional<ImageShape> shape = image_shape(from)) {
    how.shape = *shape;
  } else if (!is_query) {
    return unsupported("a texture or surface of this geometry is not emulated");
  }
  if (is_query) {
    for (const Mod each : kQueries) {
      if (from.has(each)) how.query = each;
    }
    if (how.query == Mod::kBeforeWords || from.has(Mod::kLevel)) {
      return unsupported("this query of a texture or surface is not emulated");
    }
  }
  if (is_fetch) {
    const bool half = how.type == ptx::Type::kF16 || how.type == ptx::Type::kF16x2;
    const ptx::Type coordinate = mods.types[1];
    how.whole = coordinate == ptx::Type::kS32;
    if (!(is_word(how.type) || half) ||
        (coordinate != ptx::Type::kS32 && coordinate != ptx::Type::kF32)) {
      return unsupported("a texture of this type is not emulated");
    }
    if (how.whole && is_cube(how.shape))
      return unsupported("integer coordinates of a cube map are not emulated");
  }
  if (from.op == Op::kTld4) {
    how.gathers = from.has(Mod::kLetterR)   ? 0
                  : from.has(Mod::kLetterG) ? 1
                  : from.has(Mod::kLetterB) ? 2
                                            : 3;
    if (how.shape != ImageShape::k2d && how.shape != ImageShape::k2dLayered) {
      return unsupported("a gather of this geometry is not emulated");
    }
  }
  const unsigned bits = ptx::info(how.type).bits;
  if (!is_query && (bits < 8 || bits > 64)) {
    return unsupported("a texture or surface of this type is not emulated");
  }
  if (from.op == Op::kSured && (!is_reduction(how.operation) || (bits != 32 && bits != 64))) {
    return unsupported("a reduction with this operation or type is not emulated");
  }
  if (how.formatted && from.op == Op::kSust && !is_word(how.type)) {
    return unsupported("a formatted store of this type is not emulated");
  }
  if (how.formatted && from.op == Op::kSuld) {
    return unsupported("a formatted load is not emulated");
  }
  const std::span<const Operand> operands = from.operands();
  if (is_fetch && operands.size() != 2 + extra_operands(from)) {
    return unsupported("offsets and depth comparisons are not emulated");
  }
  Result<void> done = texture_address(from, operands[writes ? 0 : 1], how);
  if (done) done = texture_data(operands[writes ? 1 : 0], writes, bits, how);
  if (!done) return done;
  const Handler handler = is_fetch               ? &do_texture
                          : is_query             ? &do_texture_query
                          : from.op == Op::kSuld ? &do_surface_load
                          : from.op == Op::kSust ? &do_surface_store
                                                 : &do_surface_reduction;
  emit(handler, {}, 0, made.get());
  code_.others.push_back(std::move(made));
  return {};
}

}  // namespace redflag::cuda
