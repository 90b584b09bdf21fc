// compact's hooks of textures and surfaces: each texel is an access like any other.
//
// Lanes of a fetch are told as one access of theirs, at one time, however many texels it reads. A reduction on a surface
// is a relaxed atomic; it publishes nothing, since nobody can acquire from a surface. Part of the translation unit of compact.cu.
#include "frontends/cuda/device/image_texels.h"

namespace redflag::device::compact {
namespace {

// By all of `doing`, of whom `lanes` access.
REDFLAG_DEVICE void check_texel(std::uint32_t lanes, std::uint64_t address, std::uint32_t bytes,
                                std::uint64_t value, const Doing& doing) {
  if ((lanes >> doing.lane & 1) != 0) {
    What what = What::of(doing.what);
    what.bytes = static_cast<std::uint8_t>(bytes);
    const Place place{address, false, true};
    const Doing part = doing_of(doing.site, what.packed(), lanes, doing.time);
    if (what.deed == Deed::kWrite) check_lanes(address, value, what, part, place);
    check(place, bytes, what.deed != Deed::kRead, what.deed == Deed::kAtomicRmw, part);
  }
  sync_warp(doing.active);
}

REDFLAG_DEVICE uint64_t images_of(uint64_t state) {
  return reinterpret_cast<const State*>(state)->images;
}

// Where the thread's own time is in registers (compact_hot.cu).
REDFLAG_DEVICE Doing hot_doing(uint32_t site, uint32_t packed, uint32_t tag, uint32_t time) {
  const uint32_t active = active_at(site);
  Doing doing = doing_of(site, packed, active, 0);
  doing.time = hot_time(doing.warp, {tag}, active, time);
  return doing;
}

REDFLAG_SLOW void check_fetch(uint64_t images, uint64_t handle, uint32_t how, uint32_t x,
                              uint32_t y, uint32_t z, uint32_t layer, uint32_t site,
                              uint32_t packed, uint32_t active, uint32_t time) {
  const Doing doing = doing_of(site, packed, active, time);
  const uint32_t at[3] = {x, y, z};
  each_texel(active, images, handle, how, at, layer,
             [&](uint32_t lanes, uint64_t address, uint32_t bytes) {
               check_texel(lanes, address, bytes, 0, doing);
             });
}
REDFLAG_SLOW void check_surface(uint64_t images, uint64_t handle, uint32_t how, uint32_t x,
                                uint32_t y, uint32_t z, uint64_t value, uint32_t site,
                                uint32_t packed, uint32_t active, uint32_t time) {
  const Doing doing = doing_of(site, packed, active, time);
  const cuda::SurfacePlace at = find_place(images, handle, how, What::of(packed).bytes, x, y, z);
  by_size(active, at.address != 0, at.bytes, [&](uint32_t lanes, uint32_t bytes) {
    check_texel(lanes, at.address, bytes, value, doing);
  });
}

}  // namespace
}  // namespace redflag::device::compact

REDFLAG_HOOK redflag_texture(uint64_t handle, uint32_t site, uint32_t packed, uint32_t how,
                             uint32_t x, uint32_t y, uint32_t z, uint32_t layer) {
  const uint64_t state = block().state;
  if (state == 0) return;
  const Doing doing = doing_now(site, packed);
  check_fetch(images_of(state), handle, how, x, y, z, layer, site, packed, doing.active,
              doing.time);
}
REDFLAG_HOOK redflag_surface(uint64_t handle, uint32_t site, uint32_t packed, uint32_t how,
                             uint32_t x, uint32_t y, uint32_t z, uint64_t value) {
  const uint64_t state = block().state;
  if (state == 0) return;
  const Doing doing = doing_now(site, packed);
  check_surface(images_of(state), handle, how, x, y, z, value, site, packed, doing.active,
                doing.time);
}

// In kernels that synchronise by barriers alone.
REDFLAG_HOOK redflag_hot_texture(uint64_t handle, uint32_t site, uint32_t packed, uint32_t how,
                                 uint32_t x, uint32_t y, uint32_t z, uint32_t layer, uint32_t tag,
                                 uint32_t, uint32_t time) {
  const uint64_t state = block().state;
  if (state == 0) return;
  const Doing doing = hot_doing(site, packed, tag, time);
  check_fetch(images_of(state), handle, how, x, y, z, layer, site, packed, doing.active,
              doing.time);
}
REDFLAG_HOOK redflag_hot_surface(uint64_t handle, uint32_t site, uint32_t packed, uint32_t how,
                                 uint32_t x, uint32_t y, uint32_t z, uint64_t value, uint32_t tag,
                                 uint32_t, uint32_t time) {
  const uint64_t state = block().state;
  if (state == 0) return;
  const Doing doing = hot_doing(site, packed, tag, time);
  check_surface(images_of(state), handle, how, x, y, z, value, site, packed, doing.active,
                doing.time);
}
