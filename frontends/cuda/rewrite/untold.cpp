// What of PTX has no hook, by name.
#include <algorithm>
#include <array>
#include <optional>

#include "frontends/cuda/meaning/image_ops.h"
#include "frontends/cuda/rewrite/plan.h"

namespace redflag::rewrite {

using ptx::Mod;
using ptx::Op;
using ptx::Type;

namespace {

bool is_plain_matrix(const ptx::Instruction& from) {
  const auto mods = from.mods();
  return from.type() == Type::kB16 && std::any_of(mods.begin(), mods.end(), [](Mod each) {
           const ptx::Shape shape = ptx::shape_of(each);
           return shape.m == 8 && shape.n == 8;
         });
}

bool is_plain_fragment(const ptx::Instruction& from) {
  const bool has_shape = std::any_of(from.mods().begin(), from.mods().end(),
                                     [](Mod each) { return ptx::shape_of(each).m != 0; });
  return has_shape && ptx::info(from.type()).bits % 8 == 0;
}

// Why the memory behind a texture or surface is not known; empty: it is that of an object in a register.
std::string_view untold_image(const ptx::Instruction& from) {
  const bool writes = from.op == Op::kSust || from.op == Op::kSured;
  const bool fetches = from.op == Op::kTex || from.op == Op::kTld4;
  const auto operands = from.operands();
  const std::size_t at = writes ? 0 : 1;
  if (at >= operands.size()) return "textures and surfaces of an unknown kind";
  const ptx::Operand& address = operands[at];
  if (!address.has_base_register() || address.value != 0) {
    return "texture and surface references";
  }
  if (address.parts().size() != 1) return "textures with separate samplers";
  const std::optional<cuda::ImageShape> shape = cuda::image_shape(from);
  if (!shape) return "multisampled textures";
  const ptx::Operand& list = address.parts()[0];
  const std::size_t given = list.kind == ptx::OperandKind::kVector ? list.parts().size() : 1;
  if (given < cuda::axes_of(*shape) + (cuda::is_layered(*shape) ? 1 : 0)) {
    return "textures and surfaces of an unknown kind";
  }
  if (fetches && operands.size() != 2 + cuda::extra_operands(from)) {
    return "textures with offsets or depth comparisons";
  }
  return {};
}

}  // namespace

std::string_view untold(const ptx::Instruction& instruction) {
  switch (instruction.op) {
    case Op::kTex:
    case Op::kTld4:
    case Op::kSuld:
    case Op::kSust:
    case Op::kSured:
      return untold_image(instruction);
    case Op::kCpAsyncBulkTensor:
    case Op::kCpReduceAsyncBulkTensor:
    case Op::kTensormapReplace:
    case Op::kTensormapCpFenceproxy:
      return "tensor-map copies";
    case Op::kCpReduceAsyncBulk:
      return "bulk reductions";
    case Op::kCpAsyncBulk:
      if (instruction.has(Mod::kMulticast)) return "multicast copies";
      if (instruction.has(Mod::kCpMask)) return "copies with a byte mask";
      return {};
    case Op::kStAsync:
    case Op::kRedAsync: {
      const auto operands = instruction.operands();
      const bool counted = operands.size() > 2 && operands[2].kind == ptx::OperandKind::kAddress;
      return counted ? "" : "asynchronous stores without an mbarrier";
    }
    case Op::kStBulk:
      return "bulk fills of shared memory (st.bulk)";
    case Op::kMultimemLdReduce:
    case Op::kMultimemSt:
    case Op::kMultimemRed:
    case Op::kMultimemCpAsyncBulk:
    case Op::kMultimemCpReduceAsyncBulk:
      return "accesses to memory of several devices (multimem)";
    case Op::kLdmatrix:
    case Op::kStmatrix:
      return is_plain_matrix(instruction) ? ""
                                          : "ldmatrix and stmatrix of other shapes than .m8n8.b16";
    case Op::kWmmaLoad:
    case Op::kWmmaStore:
      return is_plain_fragment(instruction) ? "" : "matrix fragments with elements below a byte";
    case Op::kWgmmaMmaAsync:
      return "wgmma operands in shared memory";
    case Op::kTcgen05Cp:
    case Op::kTcgen05Mma:
    case Op::kTcgen05MmaWs:
      return "tcgen05 operands";
    default:
      return {};
  }
}

bool is_unknown_order(const ptx::Instruction& instruction) {
  if (instruction.op != Op::kUnknown) return false;
  static constexpr std::array kRoots = {
      std::string_view("ld"),      std::string_view("st"),    std::string_view("atom"),
      std::string_view("red"),     std::string_view("bar"),   std::string_view("barrier"),
      std::string_view("membar"),  std::string_view("fence"), std::string_view("mbarrier"),
      std::string_view("cp"),      std::string_view("wgmma"), std::string_view("tcgen05"),
      std::string_view("call"),    std::string_view("exit"),  std::string_view("ret"),
      std::string_view("multimem")};
  const std::size_t end = instruction.text.find_first_of(". \t\n");
  const std::string_view root = instruction.text.substr(0, end);
  return std::find(kRoots.begin(), kRoots.end(), root) != kRoots.end();
}

}  // namespace redflag::rewrite
