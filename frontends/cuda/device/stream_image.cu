// Runtime `stream`, textures and surfaces: each texel is a record, a load or store of its memory. Part of the translation
// unit of stream.cu.
//
// A reduction on a surface is told when it ends, without a lock: nobody acquires from a surface, so that its place in the order
// of atomics decides nothing.
#include "frontends/cuda/device/image_texels.h"

namespace {

// By all who called, of whom `lanes` access.
template <typename Tell>
REDFLAG_DEVICE void tell_texel(const Call& call, std::uint32_t lanes, std::uint32_t site,
                               std::uint32_t what, std::uint32_t bytes, Tell tell_one) {
  What sized = What::of(what);
  sized.bytes = static_cast<std::uint8_t>(bytes);
  by_site(Call{call.state, call.mask, lanes}, site, sized.packed(), tell_one);
}

}  // namespace

REDFLAG_HOOK redflag_texture(std::uint64_t handle, std::uint32_t site, std::uint32_t what,
                             std::uint32_t how, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                             std::uint32_t layer) {
  Call call;
  if (!begin(call)) return;
  const std::uint32_t at[3] = {x, y, z};
  each_texel(call.mask, call.state->images, handle, how, at, layer,
             [&](std::uint32_t lanes, std::uint64_t address, std::uint32_t bytes) {
               tell_texel(call, lanes, site, what, bytes,
                          [&](const Call& part, std::uint32_t one, std::uint32_t w) {
                            tell(part, Hook::kLoad, one, w, 0,
                                 {column(part, address, bytes), {}, {}});
                          });
             });
}

REDFLAG_HOOK redflag_surface(std::uint64_t handle, std::uint32_t site, std::uint32_t what,
                             std::uint32_t how, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                             std::uint64_t value) {
  Call call;
  if (!begin(call)) return;
  const redflag::cuda::SurfacePlace at =
      find_place(call.state->images, handle, how, What::of(what).bytes, x, y, z);
  by_size(call.mask, at.address != 0, at.bytes, [&](std::uint32_t lanes, std::uint32_t bytes) {
    tell_texel(call, lanes, site, what, bytes,
               [&](const Call& part, std::uint32_t one, std::uint32_t w) {
                 const Deed deed = What::of(w).deed;
                 const Hook hook = deed == Deed::kRead    ? Hook::kLoad
                                   : deed == Deed::kWrite ? Hook::kStore
                                                          : Hook::kAtomicEnd;
                 Columns columns{column(part, at.address, bytes), {}, {}};
                 if (deed == Deed::kWrite) columns.values = column(part, value, 1);
                 tell(part, hook, one, w, hook == Hook::kAtomicEnd ? part.lanes : 0, columns);
               });
  });
}
