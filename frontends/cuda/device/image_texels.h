// Texels that lanes access through textures and surfaces, one after the other. Device code.
//
// Speed is not what matters here: a fetch that filters reads up to eight texels, each told like a load of its own.
#pragma once

#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/device/image_table.h"
#include "frontends/cuda/device/intrinsics.h"
#include "frontends/cuda/texture/footprint.h"
#include "frontends/cuda/texture/surface.h"

namespace redflag::device {

// nullptr: nothing is known of it, as of a mipmapped array.
REDFLAG_DEVICE const cuda::Texture* find_image(std::uint64_t table, std::uint64_t handle,
                                               bool is_surface) {
  if (table == 0 || handle == 0) return nullptr;
  const auto* const head = reinterpret_cast<const ImageTableHead*>(table);
  const auto* const entries = reinterpret_cast<const ImageEntry*>(head + 1);
  for (std::uint64_t slot = image_slot(handle);; ++slot) {
    const ImageEntry& entry = entries[slot & head->mask];
    if (is_image(entry, handle, is_surface)) return &entry.object;
    if (entry.handle == 0) return nullptr;
  }
}

// told(lanes, size) by all of the mask together, for lanes that have `bytes` of one size each.
template <typename Told>
REDFLAG_DEVICE void by_size(std::uint32_t mask, bool has, std::uint32_t bytes, Told told) {
#pragma unroll 1
  for (std::uint32_t rest = ballot(mask, has); rest != 0;) {
    const std::uint32_t one = shuffle(mask, bytes, first(rest));
    const std::uint32_t lanes = rest & ballot(mask, bytes == one);
    told(lanes, one);
    rest &= ~lanes;
  }
}

REDFLAG_SLOW std::uint32_t find_texels(std::uint64_t table, std::uint64_t handle, std::uint32_t how,
                                       const cuda::Coordinates& at, cuda::Footprint& to) {
  const cuda::Texture* const object = find_image(table, handle, false);
  if (object == nullptr) return 0;
  to = ImageHow::of(how).gathers ? cuda::gather_footprint(*object, at)
                                 : cuda::footprint(*object, at);
  return object->image.element();
}

// told(lanes, address, size) by all of the mask together, texel by texel.
template <typename Told>
REDFLAG_DEVICE void each_texel(std::uint32_t mask, std::uint64_t table, std::uint64_t handle,
                               std::uint32_t how, const std::uint32_t (&words)[3],
                               std::uint32_t layer, Told told) {
  cuda::Coordinates at;
  at.is_whole = ImageHow::of(how).is_whole;
  at.layer = layer;
  for (unsigned i = 0; i < 3; ++i) {
    at.at[i] = __builtin_bit_cast(float, words[i]);
    at.whole[i] = static_cast<std::int32_t>(words[i]);
  }
  cuda::Footprint footprint;
  const std::uint32_t bytes = find_texels(table, handle, how, at, footprint);
#pragma unroll 1
  for (unsigned i = 0; any(mask, i < footprint.count); ++i) {
    const std::uint64_t address = i < footprint.count ? footprint.taps[i].address : 0;
    const bool has = address != 0 && !footprint.is_repeated(i);
    by_size(mask, has, bytes,
            [&](std::uint32_t lanes, std::uint32_t size) { told(lanes, address, size); });
  }
}

// Where a surface is accessed; address 0: nowhere that is known.
REDFLAG_SLOW cuda::SurfacePlace find_place(std::uint64_t table, std::uint64_t handle,
                                           std::uint32_t how, std::uint32_t bytes, std::uint32_t x,
                                           std::uint32_t y, std::uint32_t z) {
  const cuda::Texture* const object = find_image(table, handle, true);
  if (object == nullptr) return {};
  const ImageHow is = ImageHow::of(how);
  return cuda::surface_place(object->image, is.is_formatted, is.boundary, bytes,
                             static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                             static_cast<std::int32_t>(z));
}

}  // namespace redflag::device
