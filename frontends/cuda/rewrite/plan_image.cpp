// What textures and surfaces tell: which object, where in it, and how (device/abi.h, ImageHow).
#include "frontends/cuda/meaning/image_ops.h"
#include "frontends/cuda/rewrite/plan.h"

namespace redflag::rewrite {

using device::Deed;
using device::Memory;
using device::What;
using ptx::Instruction;
using ptx::Mod;
using ptx::Op;
using ptx::OperandKind;

Plan plan_image(const Instruction& from) {
  Plan made;
  if (!untold(from).empty()) return made;
  const auto operands = from.operands();
  const bool fetches = from.op == Op::kTex || from.op == Op::kTld4;
  const bool writes = from.op == Op::kSust || from.op == Op::kSured;
  made.action = fetches ? Action::kTexture : Action::kSurface;
  made.address = &operands[writes ? 0 : 1];
  made.data = &operands[writes ? 1 : 0];
  made.how.shape = *cuda::image_shape(from);
  made.how.is_whole = from.modifiers.types[1] == ptx::Type::kS32;
  made.how.gathers = from.op == Op::kTld4;
  What& what = made.what;
  what.memory = Memory::kGlobal;
  what.deed = Deed::kRead;
  if (fetches) return made;
  made.how.is_whole = true;
  made.how.is_formatted = from.has(Mod::kLetterP);
  made.how.boundary = cuda::image_boundary(from);
  const bool is_vector = made.data->kind == OperandKind::kVector;
  const std::size_t count = is_vector ? made.data->parts().size() : 1;
  const bool is_element = made.how.is_formatted && from.op != Op::kSured;
  what.bytes =
      is_element ? 0 : static_cast<std::uint8_t>(count * ptx::bytes_of(from.modifiers.type()));
  if (from.op == Op::kSust) what.deed = Deed::kWrite;
  if (from.op != Op::kSured) return made;
  what.deed = Deed::kAtomicRmw;
  what.order = Order::kRelaxed;
  what.scope = Scope::kDevice;
  return made;
}

}  // namespace redflag::rewrite
