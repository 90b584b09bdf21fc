// Instructions of textures and surfaces, as far as both the emulator and the rewriter read them.
#pragma once

#include <optional>

#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/texture/texture.h"

namespace redflag::cuda {

// The geometry that the instruction names; nullopt: another than those that are known.
std::optional<ImageShape> image_shape(const ptx::Instruction& instruction);
Boundary image_boundary(const ptx::Instruction& instruction);

// Operands of a fetch besides result and address: a level, or gradients.
std::size_t extra_operands(const ptx::Instruction& instruction);

}  // namespace redflag::cuda
