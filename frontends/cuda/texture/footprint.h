// Which texels a fetch reads, and with which weights: the one truth for the emulated device, which computes with
// them, and for the hooks of rewritten kernels, which tell of them.
//
// Coordinates become at most eight texels with weights of 1/256. Texels of weight 0 are not part of it. Coordinates,
// weights and rounding are those of an H200, measured (tests/cuda/textures/confirm.cu): normalised
// coordinates have 21 bits behind the point; fractions have 8, rounded to nearest; the weight of a slice is split along
// x, then along y, each time rounded to 1/256. Left out: mipmaps, anisotropy, seamless cubes (a filter
// stays on its face). Compiles for host and device; all that is computed is exact in double precision but for the two
// divisions of a cube's direction, which are IEEE's on both.
#pragma once

#include "frontends/cuda/texture/texture.h"

namespace redflag::cuda {

struct Tap {
  std::uint64_t address = 0;  // 0: outside, the border's colour
  std::uint32_t weight = 0;   // of 256
};
struct Footprint {
  static constexpr unsigned kMost = 8;
  Tap taps[kMost];
  unsigned count = 0;
  bool filters = false;

  // Whether an earlier texel is the same one, so that it is read already.
  REDFLAG_HD constexpr bool is_repeated(unsigned index) const {
    for (unsigned before = 0; before < index; ++before) {
      if (taps[before].address == taps[index].address) return true;
    }
    return false;
  }
};

namespace footprint_detail {

inline constexpr unsigned kFractionBits = 21;  // of normalised coordinates
inline constexpr std::int64_t kOne = 256;      // of fractions and weights
inline constexpr double kFar = 0x1p24;         // larger coordinates are as good as this one

REDFLAG_HD constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}
REDFLAG_HD constexpr std::int64_t modulo(std::int64_t a, std::int64_t b) {
  return a - floor_div(a, b) * b;
}
REDFLAG_HD constexpr std::int64_t clamp(std::int64_t at, std::int64_t low, std::int64_t high) {
  return at < low ? low : at > high ? high : at;
}
REDFLAG_HD inline std::int64_t floor_of(double at) {
  return static_cast<std::int64_t>(__builtin_floor(at));
}

struct Axis {
  std::int64_t size = 1;
  AddressMode mode = AddressMode::kClamp;
};

// A coordinate in texels, in 1/256 of them, rounded to nearest for filtering.
REDFLAG_HD inline std::int64_t position(double at, const Axis& axis, bool normalized,
                                        bool filters) {
  if (at != at) at = 0;
  at = at < -kFar ? -kFar : at > kFar ? kFar : at;
  if (!normalized) {
    return floor_of(filters ? at * kOne + 0.5 : at) * (filters ? 1 : kOne);
  }
  std::int64_t fixed = floor_of(at * (std::int64_t{1} << kFractionBits));
  if (axis.mode == AddressMode::kWrap) fixed = modulo(fixed, std::int64_t{1} << kFractionBits);
  if (axis.mode == AddressMode::kMirror) fixed = modulo(fixed, std::int64_t{2} << kFractionBits);
  const std::int64_t scaled = fixed * axis.size;
  if (!filters) return (scaled >> kFractionBits) * kOne;
  constexpr unsigned kShift = kFractionBits - 8;
  return (scaled + (std::int64_t{1} << (kShift - 1))) >> kShift;
}

// The texel of an index, -1: outside.
REDFLAG_HD constexpr std::int64_t place(std::int64_t index, const Axis& axis) {
  switch (axis.mode) {
    case AddressMode::kWrap:
      return modulo(index, axis.size);
    case AddressMode::kMirror: {
      const std::int64_t at = modulo(index, 2 * axis.size);
      return at < axis.size ? at : 2 * axis.size - 1 - at;
    }
    case AddressMode::kBorder:
      return index >= 0 && index < axis.size ? index : -1;
    default:
      return clamp(index, 0, axis.size - 1);
  }
}

struct Pair {
  std::int64_t first = 0, second = 0;  // texels
  std::uint32_t fraction = 0;          // weight of the second
};

// `gathers`: the four texels count, not only those with a weight.
REDFLAG_HD inline Pair pair_of(double at, const Axis& axis, bool normalized, bool gathers) {
  std::int64_t fixed = position(at, axis, normalized, true) - kOne / 2;
  if (axis.mode == AddressMode::kClamp && !gathers) fixed = clamp(fixed, 0, (axis.size - 1) * kOne);
  const std::int64_t index = floor_div(fixed, kOne);
  return {place(index, axis), place(index + 1, axis),
          static_cast<std::uint32_t>(fixed - index * kOne)};
}

struct Located {
  Axis axis[3];
  double at[3] = {};
  std::uint64_t z = 0;  // slice where the third axis is none
};

// The face that a direction goes through, and where it does, from 0 to 1 (PTX ISA, 9.7.9.3).
REDFLAG_HD inline unsigned cube_face(const float (&direction)[3], double (&at)[2]) {
  const double x = direction[0], y = direction[1], z = direction[2];
  const double ax = __builtin_fabs(x), ay = __builtin_fabs(y), az = __builtin_fabs(z);
  unsigned face = 0;
  double s = 0, t = 0, m = 0;
  if (az >= ax && az >= ay) {
    face = z < 0 ? 5 : 4;
    m = az, s = z < 0 ? -x : x, t = -y;
  } else if (ay >= ax) {
    face = y < 0 ? 3 : 2;
    m = ay, s = x, t = y < 0 ? -z : z;
  } else {
    face = x < 0 ? 1 : 0;
    m = ax, s = x < 0 ? z : -z, t = -y;
  }
  at[0] = m == 0 ? 0.5 : (s / m + 1) / 2;
  at[1] = m == 0 ? 0.5 : (t / m + 1) / 2;
  return face;
}

REDFLAG_HD inline Located locate(const Texture& texture, const Coordinates& from) {
  const Image& image = texture.image;
  Located made;
  const std::uint64_t sizes[3] = {image.width, image.height, image.depth};
  for (unsigned i = 0; i < 3; ++i) {
    const auto size = static_cast<std::int64_t>(sizes[i]);
    made.axis[i].size = size < 1 ? 1 : size;
    made.axis[i].mode = texture.sampler.mode[i];
    made.at[i] = from.is_whole ? static_cast<double>(from.whole[i]) : from.at[i];
    const bool repeats =
        made.axis[i].mode == AddressMode::kWrap || made.axis[i].mode == AddressMode::kMirror;
    if (repeats && !texture.sampler.normalized) made.axis[i].mode = AddressMode::kClamp;
  }
  std::uint64_t layers = image.depth, layer = 0;
  if (is_cube(image.shape)) {
    double at[2] = {};
    const unsigned face = cube_face(from.at, at);
    layers /= 6;
    made.at[0] = at[0], made.at[1] = at[1];
    made.axis[0].mode = made.axis[1].mode = AddressMode::kClamp;
    made.z = face;
  }
  if (is_layered(image.shape)) layer = from.layer < layers ? from.layer : layers - 1;
  made.z += layer * (is_cube(image.shape) ? 6 : 1);
  return made;
}

REDFLAG_HD constexpr unsigned flat_axes(ImageShape shape) {
  return is_cube(shape) ? 2 : axes_of(shape);
}

REDFLAG_HD constexpr void add_tap(Footprint& to, const Image& image, std::int64_t x, std::int64_t y,
                                  std::int64_t z, std::uint32_t weight) {
  const bool outside = x < 0 || y < 0 || z < 0;
  Tap& tap = to.taps[to.count++];
  tap.address = outside ? 0
                        : image.at(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y),
                                   static_cast<std::uint64_t>(z));
  tap.weight = weight;
}

// A slice's weight to one of its four texels: x before y. Bits of `index`: the right one, the upper one.
REDFLAG_HD constexpr std::uint32_t weight_of(unsigned index, std::uint32_t whole, std::uint32_t x,
                                             std::uint32_t y) {
  const std::uint32_t right = (whole * x + 128) >> 8, left = whole - right;
  const std::uint32_t upper_right = (right * y + 128) >> 8, upper_left = (left * y + 127) >> 8;
  if ((index & 2) == 0) return (index & 1) == 0 ? left - upper_left : right - upper_right;
  return (index & 1) == 0 ? upper_left : upper_right;
}

REDFLAG_HD inline Footprint filtered(const Texture& texture, const Coordinates& coordinates) {
  const Image& image = texture.image;
  const bool normalized = texture.sampler.normalized;
  const Located at = locate(texture, coordinates);
  const unsigned axes = flat_axes(image.shape);
  const Pair x = pair_of(at.at[0], at.axis[0], normalized, false);
  Pair y, z{static_cast<std::int64_t>(at.z), -1, 0};
  if (axes > 1) {
    y = pair_of(at.at[1], at.axis[1], normalized, false);
  } else if (image.shape == ImageShape::k1d && at.axis[1].mode == AddressMode::kBorder) {
    y = {-1, 0, 128};  // a device takes it for two dimensions, at row 0: half of it is outside
  }
  if (axes > 2) z = pair_of(at.at[2], at.axis[2], normalized, false);
  Footprint made;
  made.filters = true;
  for (unsigned i = 0; i < Footprint::kMost; ++i) {
    const bool is_first = i < 4;
    const std::uint32_t weight =
        weight_of(i & 3, is_first ? 256 - z.fraction : z.fraction, x.fraction, y.fraction);
    if (weight == 0) continue;
    add_tap(made, image, (i & 1) == 0 ? x.first : x.second, (i & 2) == 0 ? y.first : y.second,
            is_first ? z.first : z.second, weight);
  }
  return made;
}

}  // namespace footprint_detail

REDFLAG_HD inline Footprint footprint(const Texture& texture, const Coordinates& coordinates) {
  using namespace footprint_detail;
  const Image& image = texture.image;
  Footprint made;
  if (image.linear) {
    const double at =
        coordinates.is_whole ? static_cast<double>(coordinates.whole[0]) : coordinates.at[0];
    const bool inside = at >= 0 && at < static_cast<double>(image.width);
    add_tap(made, image, inside ? static_cast<std::int64_t>(at) : -1, 0, 0, 256);
    return made;
  }
  if (texture.sampler.filters && !coordinates.is_whole) return filtered(texture, coordinates);
  const Located at = locate(texture, coordinates);
  const bool normalized = texture.sampler.normalized && !coordinates.is_whole;
  const unsigned axes = flat_axes(image.shape);
  std::int64_t index[3] = {0, 0, static_cast<std::int64_t>(at.z)};
  for (unsigned i = 0; i < 3; ++i) {
    if (i >= axes) continue;
    index[i] =
        place(floor_div(position(at.at[i], at.axis[i], normalized, false), kOne), at.axis[i]);
  }
  add_tap(made, image, index[0], index[1], index[2], 256);
  return made;
}

// The four texels that linear filtering would take, counter-clockwise from the lower left.
REDFLAG_HD inline Footprint gather_footprint(const Texture& texture,
                                             const Coordinates& coordinates) {
  using namespace footprint_detail;
  const bool normalized = texture.sampler.normalized;
  const Located at = locate(texture, coordinates);
  const Pair x = pair_of(at.at[0], at.axis[0], normalized, true);
  const Pair y = pair_of(at.at[1], at.axis[1], normalized, true);
  const auto z = static_cast<std::int64_t>(at.z);
  Footprint made;
  add_tap(made, texture.image, x.first, y.second, z, 256);
  add_tap(made, texture.image, x.second, y.second, z, 256);
  add_tap(made, texture.image, x.second, y.first, z, 256);
  add_tap(made, texture.image, x.first, y.first, z, 256);
  return made;
}

}  // namespace redflag::cuda
