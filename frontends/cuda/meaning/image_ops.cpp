#include "frontends/cuda/meaning/image_ops.h"

namespace redflag::cuda {
namespace {

using ptx::Mod;

struct ShapeRow {
  Mod mod;
  ImageShape shape;
};
constexpr ShapeRow kShapes[] = {
    {Mod::kDim1, ImageShape::k1d},
    {Mod::kDim2, ImageShape::k2d},
    {Mod::kDim3, ImageShape::k3d},
    {Mod::kArray1, ImageShape::k1dLayered},
    {Mod::kArray2, ImageShape::k2dLayered},
    {Mod::kCube, ImageShape::kCube},
    {Mod::kArrayCube, ImageShape::kCubeLayered},
};

}  // namespace

std::optional<ImageShape> image_shape(const ptx::Instruction& instruction) {
  std::optional<ImageShape> found;
  for (const ShapeRow& row : kShapes) {
    if (instruction.has(row.mod)) found = row.shape;
  }
  return found;
}

Boundary image_boundary(const ptx::Instruction& instruction) {
  return instruction.has(Mod::kClamp)  ? Boundary::kClamp
         : instruction.has(Mod::kZero) ? Boundary::kZero
                                       : Boundary::kTrap;
}

std::size_t extra_operands(const ptx::Instruction& instruction) {
  return instruction.has(Mod::kLevel) ? 1 : instruction.has(Mod::kGrad) ? 2 : 0;
}

}  // namespace redflag::cuda
