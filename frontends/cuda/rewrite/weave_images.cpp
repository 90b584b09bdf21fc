// Weaver: textures and surfaces, by handle and coordinates as the instruction has them. Which memory that is the runtime
// finds out (device/image_texels.h).
#include "frontends/cuda/rewrite/weave.h"

namespace redflag::rewrite {

using device::Hook;
using ptx::Operand;
using ptx::OperandKind;

void Weaver::image(const ptx::Instruction& from, const Plan& plan, Around& around) {
  Lines& lines = around.lines;
  const Operand& list = plan.address->parts()[0];
  const bool is_vector = list.kind == OperandKind::kVector;
  const std::span<const Operand> parts = is_vector ? list.parts() : std::span(&list, 1);
  const cuda::ImageShape shape = plan.how.shape;
  const std::size_t layers = cuda::is_layered(shape) ? 1 : 0;
  std::string words[3] = {"0", "0", "0"}, layer = "0";
  if (layers != 0) layer = lines.word(parts[0]);
  for (std::size_t i = 0; i < cuda::axes_of(shape); ++i) words[i] = lines.word(parts[layers + i]);
  const std::string handle = lines.address(*plan.address);
  const std::string how = std::to_string(plan.how.packed());
  const std::string what = packed(plan.what);
  if (plan.action == Action::kTexture) {
    if (is_hot_) {
      return hot_.call(device::kHotTexture,
                       {handle, around.site, what, how, words[0], words[1], words[2], layer},
                       around.before);
    }
    calls_.call(around.before, Hook::kTexture,
                {handle, around.site, what, how, words[0], words[1], words[2], layer});
    return;
  }
  if (layers != 0) words[2] = layer;
  // What becomes of a formatted value the image's format says: of two lanes that store it is not known whether they store
  // the same.
  const bool has_value = plan.what.deed == device::Deed::kWrite && !plan.how.is_formatted;
  const std::string value =
      has_value ? lines.value(*plan.data, ptx::bytes_of(from.modifiers.type())) : "0";
  if (is_hot_) {
    return hot_.call(device::kHotSurface,
                     {handle, around.site, what, how, words[0], words[1], words[2], value},
                     around.before);
  }
  calls_.call(around.before, Hook::kSurface,
              {handle, around.site, what, how, words[0], words[1], words[2], value});
}

}  // namespace redflag::rewrite
