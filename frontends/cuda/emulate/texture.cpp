#include "frontends/cuda/emulate/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "frontends/cuda/emulate/half_bits.h"

namespace redflag::cuda {
namespace {

constexpr unsigned kFractionBits = 21;  // of normalised coordinates
constexpr std::int64_t kOne = 256;      // of fractions and weights
constexpr double kFar = 0x1p24;         // larger coordinates are as good as this one

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}
constexpr std::int64_t modulo(std::int64_t a, std::int64_t b) {
  return a - floor_div(a, b) * b;
}

struct Axis {
  std::int64_t size = 1;
  AddressMode mode = AddressMode::kClamp;
};

// A coordinate in texels, in 1/256 of them, rounded to nearest for filtering.
std::int64_t position(double at, const Axis& axis, const Sampler& sampler, bool filters) {
  if (std::isnan(at)) at = 0;
  at = std::clamp(at, -kFar, kFar);
  if (!sampler.normalized) {
    return static_cast<std::int64_t>(std::floor(filters ? at * kOne + 0.5 : at)) *
           (filters ? 1 : kOne);
  }
  auto fixed = static_cast<std::int64_t>(std::floor(at * (std::int64_t{1} << kFractionBits)));
  if (axis.mode == AddressMode::kWrap) fixed = modulo(fixed, std::int64_t{1} << kFractionBits);
  if (axis.mode == AddressMode::kMirror) fixed = modulo(fixed, std::int64_t{2} << kFractionBits);
  const std::int64_t scaled = fixed * axis.size;
  if (!filters) return (scaled >> kFractionBits) * kOne;
  constexpr unsigned kShift = kFractionBits - 8;
  return (scaled + (std::int64_t{1} << (kShift - 1))) >> kShift;
}

// The texel of an index, -1: outside.
std::int64_t place(std::int64_t index, const Axis& axis) {
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
      return std::clamp<std::int64_t>(index, 0, axis.size - 1);
  }
}

struct Pair {
  std::int64_t first = 0, second = 0;  // texels
  std::uint32_t fraction = 0;          // weight of the second
};

// `gathers`: the four texels count, not only those with a weight.
Pair pair_of(double at, const Axis& axis, const Sampler& sampler, bool gathers) {
  std::int64_t fixed = position(at, axis, sampler, true) - kOne / 2;
  if (axis.mode == AddressMode::kClamp && !gathers) {
    fixed = std::clamp<std::int64_t>(fixed, 0, (axis.size - 1) * kOne);
  }
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
unsigned cube_face(const std::array<float, 3>& direction, double (&at)[2]) {
  const double x = direction[0], y = direction[1], z = direction[2];
  const double ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
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

Located locate(const Texture& texture, const Coordinates& from) {
  const Image& image = texture.image;
  Located made;
  const std::uint64_t sizes[3] = {image.width, image.height, image.depth};
  for (unsigned i = 0; i < 3; ++i) {
    made.axis[i].size = std::max<std::int64_t>(static_cast<std::int64_t>(sizes[i]), 1);
    made.axis[i].mode = texture.sampler.mode[i];
    made.at[i] = from.is_whole ? from.whole[i] : from.at[i];
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
  if (is_layered(image.shape)) layer = std::min<std::uint64_t>(from.layer, layers - 1);
  made.z += layer * (is_cube(image.shape) ? 6 : 1);
  return made;
}

unsigned flat_axes(ImageShape shape) {
  return is_cube(shape) ? 2 : axes_of(shape);
}

void add_tap(Footprint& to, const Image& image, std::int64_t x, std::int64_t y, std::int64_t z,
             std::uint32_t weight) {
  const bool outside = x < 0 || y < 0 || z < 0;
  to.taps[to.count++] = {
      outside ? 0
              : image.at(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y),
                         static_cast<std::uint64_t>(z)),
      weight};
}

// A slice's weight to its four texels: x before y.
std::array<std::uint32_t, 4> split(std::uint32_t whole, std::uint32_t x, std::uint32_t y) {
  const std::uint32_t right = (whole * x + 128) >> 8, left = whole - right;
  const std::uint32_t upper_right = (right * y + 128) >> 8, upper_left = (left * y + 127) >> 8;
  return {left - upper_left, right - upper_right, upper_left, upper_right};
}

Footprint filtered(const Texture& texture, const Coordinates& coordinates) {
  const Image& image = texture.image;
  const Located at = locate(texture, coordinates);
  const unsigned axes = flat_axes(image.shape);
  const Pair x = pair_of(at.at[0], at.axis[0], texture.sampler, false);
  Pair y, z{static_cast<std::int64_t>(at.z), -1, 0};
  if (axes > 1) {
    y = pair_of(at.at[1], at.axis[1], texture.sampler, false);
  } else if (image.shape == ImageShape::k1d && at.axis[1].mode == AddressMode::kBorder) {
    y = {-1, 0, 128};  // a device takes it for two dimensions, at row 0: half of it is outside
  }
  if (axes > 2) z = pair_of(at.at[2], at.axis[2], texture.sampler, false);
  Footprint made;
  made.filters = true;
  for (unsigned slice = 0; slice < 2; ++slice) {
    const auto weights = split(slice == 0 ? 256 - z.fraction : z.fraction, x.fraction, y.fraction);
    for (unsigned i = 0; i < 4; ++i) {
      if (weights[i] == 0) continue;
      add_tap(made, image, (i & 1) == 0 ? x.first : x.second, (i & 2) == 0 ? y.first : y.second,
              slice == 0 ? z.first : z.second, weights[i]);
    }
  }
  return made;
}

double half_away(double value) {
  return std::copysign(std::floor(std::fabs(value) + 0.5), value);
}

// Ten bits behind the leading one; ties away from zero.
float to_half_precision(double value) {
  if (value == 0 || std::fabs(value) > 65504) return static_cast<float>(value);
  const double place = std::ldexp(1.0, std::max(std::ilogb(value), -14) - 10);
  return static_cast<float>(half_away(value / place) * place);
}

double value_of(const Image& image, std::uint32_t word) {
  if (image.kind == ChannelKind::kFloat) {
    return image.bits == 16 ? half_to_float(static_cast<std::uint16_t>(word))
                            : std::bit_cast<float>(word);
  }
  const unsigned unused = 32U - image.bits;
  if (image.kind == ChannelKind::kUnsigned) return word << unused >> unused;
  return static_cast<std::int32_t>(word << unused) >> unused;
}

// What 1.0 is as an integer of the image.
double full_scale(const Image& image) {
  return std::ldexp(1.0, image.kind == ChannelKind::kSigned ? image.bits - 1 : image.bits) - 1;
}

// A channel of a texel, or of the border's colour, which is brought to the image's format: floats to
// integers by rounding where they are read as floats, by taking the low bits where they are not.
double channel(const Texture& texture, const Tap& tap, unsigned index) {
  const Image& image = texture.image;
  std::uint32_t word = 0;
  if (tap.address != 0) {
    const auto* const from =
        reinterpret_cast<const std::byte*>(tap.address) + std::size_t{index} * image.bits / 8;
    std::memcpy(&word, from, image.bits / 8U);
    return value_of(image, word);
  }
  if (image.linear) return 0;
  const float colour = texture.sampler.border[index];
  if (image.kind == ChannelKind::kFloat) return colour;
  if (!texture.sampler.as_float) return value_of(image, std::bit_cast<std::uint32_t>(colour));
  const double least = image.kind == ChannelKind::kSigned ? -1 : 0;
  return std::ceil(std::clamp<double>(colour, least, 1) * full_scale(image) - 0.5);
}

std::uint32_t plain_word(const Texture& texture, const Tap& tap, unsigned index) {
  const Image& image = texture.image;
  if (index >= image.channels) return 0;
  const double value = channel(texture, tap, index);
  if (image.kind == ChannelKind::kFloat) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  if (texture.sampler.as_float) {
    const double scaled = std::max(value / full_scale(image), -1.0);
    return std::bit_cast<std::uint32_t>(static_cast<float>(scaled));
  }
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}

}  // namespace

std::uint64_t TextureTable::add(const Texture& texture) {
  objects_.push_back(std::make_unique<Texture>(texture));
  return objects_.size();
}

void TextureTable::remove(std::uint64_t handle) {
  if (handle - 1 < objects_.size()) objects_[handle - 1].reset();
}

const Texture* TextureTable::find(std::uint64_t handle) const {
  return handle - 1 < objects_.size() ? objects_[handle - 1].get() : nullptr;
}

Footprint footprint(const Texture& texture, const Coordinates& coordinates) {
  const Image& image = texture.image;
  Footprint made;
  if (image.linear) {
    const double at = coordinates.is_whole ? coordinates.whole[0] : coordinates.at[0];
    const bool inside = at >= 0 && at < static_cast<double>(image.width);
    add_tap(made, image, inside ? static_cast<std::int64_t>(at) : -1, 0, 0, 256);
    return made;
  }
  if (texture.sampler.filters && !coordinates.is_whole) return filtered(texture, coordinates);
  const Located at = locate(texture, coordinates);
  const unsigned axes = flat_axes(image.shape);
  Sampler sampler = texture.sampler;
  if (coordinates.is_whole) sampler.normalized = false;
  std::int64_t index[3] = {0, 0, static_cast<std::int64_t>(at.z)};
  for (unsigned i = 0; i < axes; ++i) {
    index[i] = place(floor_div(position(at.at[i], at.axis[i], sampler, false), kOne), at.axis[i]);
  }
  add_tap(made, image, index[0], index[1], index[2], 256);
  return made;
}

Footprint gather_footprint(const Texture& texture, const Coordinates& coordinates) {
  const Located at = locate(texture, coordinates);
  const Pair x = pair_of(at.at[0], at.axis[0], texture.sampler, true);
  const Pair y = pair_of(at.at[1], at.axis[1], texture.sampler, true);
  const auto z = static_cast<std::int64_t>(at.z);
  Footprint made;
  add_tap(made, texture.image, x.first, y.second, z, 256);
  add_tap(made, texture.image, x.second, y.second, z, 256);
  add_tap(made, texture.image, x.second, y.first, z, 256);
  add_tap(made, texture.image, x.first, y.first, z, 256);
  return made;
}

TexelWords combine(const Texture& texture, const Footprint& footprint) {
  const Image& image = texture.image;
  TexelWords words{};
  if (!footprint.filters) {
    for (unsigned i = 0; i < 4; ++i) words[i] = plain_word(texture, footprint.taps[0], i);
    return words;
  }
  const bool whole = image.kind != ChannelKind::kFloat;
  for (unsigned i = 0; i < image.channels; ++i) {
    double sum = 0;
    for (unsigned tap = 0; tap < footprint.count; ++tap) {
      const Tap& each = footprint.taps[tap];
      sum += channel(texture, each, i) / (whole ? full_scale(image) : 1) * each.weight / 256;
    }
    if (whole) {
      const double scale = image.kind == ChannelKind::kSigned ? 32767 : 65535;
      sum = std::max(half_away(sum * scale) / scale, -1.0);
    }
    const float value =
        !whole && image.bits == 16 ? to_half_precision(sum) : static_cast<float>(sum);
    words[i] = std::bit_cast<std::uint32_t>(value);
  }
  return words;
}

TexelWords gather(const Texture& texture, const Footprint& footprint, unsigned of) {
  TexelWords words{};
  for (unsigned i = 0; i < 4; ++i) words[i] = plain_word(texture, footprint.taps[i], of);
  return words;
}

void pack_texel(const Image& image, const TexelWords& words, std::byte* to) {
  const std::size_t bytes = image.bits / 8U;
  for (unsigned i = 0; i < image.channels; ++i) {
    std::uint32_t word = words[i];
    if (image.kind == ChannelKind::kFloat && image.bits == 16) {
      const float value = std::bit_cast<float>(word);
      const bool large = std::fabs(value) > 65504;  // infinity stays
      word =
          large && std::isfinite(value) ? (word >> 16 & 0x8000U) | 0x7bffU : float_to_half(value);
      if (!large && std::fabs(half_to_float(static_cast<std::uint16_t>(word))) > std::fabs(value)) {
        --word;  // it was rounded away from zero
      }
    } else if (image.kind == ChannelKind::kUnsigned && image.bits < 32) {
      word = std::min(word, (1U << image.bits) - 1);
    } else if (image.kind == ChannelKind::kSigned && image.bits < 32) {
      const std::int32_t most = (1 << (image.bits - 1)) - 1;
      word =
          static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(word), -most - 1, most));
    }
    std::memcpy(to + i * bytes, &word, bytes);
  }
}

}  // namespace redflag::cuda
