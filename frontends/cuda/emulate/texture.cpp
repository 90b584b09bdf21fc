#include "frontends/cuda/emulate/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "frontends/cuda/emulate/half_bits.h"

namespace redflag::cuda {
namespace {

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
