#include "frontends/cuda/ptx/image.h"

#include <bit>
#include <cstring>

namespace redflag::ptx {
namespace {

// The bits of a literal as a value of the type.
std::uint64_t bits_of(const Initial& leaf, Type type) {
  const auto raw_bits = static_cast<std::uint64_t>(leaf.value);
  const bool is_f32 = leaf.number_kind == NumberKind::kFloat32;
  const bool is_f64 = leaf.number_kind == NumberKind::kFloat64;
  const double value = is_f32   ? std::bit_cast<float>(static_cast<std::uint32_t>(raw_bits))
                       : is_f64 ? std::bit_cast<double>(raw_bits)
                       : leaf.number_kind == NumberKind::kUnsigned
                           ? static_cast<double>(raw_bits)
                           : static_cast<double>(leaf.value);
  if (type == Type::kF32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (type == Type::kF64) return std::bit_cast<std::uint64_t>(value);
  if (is_f64 && bytes_of(type) == 4) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  return raw_bits;
}

// The bytes of one part at each depth of braces: the whole, then what each dimension leaves.
std::vector<std::uint64_t> part_sizes(const Variable& variable) {
  std::vector<std::uint64_t> sizes(variable.dimensions.size() + 1);
  std::uint64_t size = std::uint64_t{bytes_of(variable.type)} * variable.vector;
  for (std::size_t i = variable.dimensions.size() + 1; i-- > 0;) {
    sizes[i] = size;
    if (i > 0 && __builtin_mul_overflow(size, variable.dimensions[i - 1], &size)) size = ~0ULL;
  }
  return sizes;
}

}  // namespace

Result<Image> initial_image(const Module& module, const Variable& variable) {
  Image image;
  const std::vector<std::uint64_t> sizes = part_sizes(variable);
  const bool open_ended = !variable.dimensions.empty() && variable.dimensions.front() == 0;
  const std::uint64_t room = open_ended ? ~std::uint64_t{0} : sizes.front();
  const std::uint32_t width = bytes_of(variable.type);
  std::vector<std::uint64_t> starts;
  std::uint64_t at = 0;
  for (const Initial& leaf : variable.initial) {
    if (leaf.kind == Initial::Kind::kOpen) {
      starts.push_back(at);
      continue;
    }
    if (leaf.kind == Initial::Kind::kClose) {
      if (starts.size() > 1) {  // the next part begins where this one would end if it were full
        const std::uint64_t size = sizes[std::min(starts.size() - 1, sizes.size() - 1)];
        if (__builtin_add_overflow(starts.back(), size, &at)) at = ~std::uint64_t{0};
      }
      starts.pop_back();
      continue;
    }
    if (width == 0 || at > room || room - at < width) {
      return fail(module.path + ":" + std::to_string(variable.line) + ": variable '" +
                  std::string(variable.name) + "' has more initial values than fit in its " +
                  std::to_string(room) + " bytes; make it larger or remove some values");
    }
    // Short rows leave gaps of declared size: a few braces must not cost gigabytes.
    constexpr std::uint64_t kMostGap = std::uint64_t{1} << 30;
    if (at > image.bytes.size() + kMostGap) {
      return fail(module.path + ":" + std::to_string(variable.line) + ": variable '" +
                  std::string(variable.name) + "' is larger than any GPU's memory");
    }
    image.bytes.resize(at + width);
    if (leaf.kind == Initial::Kind::kSymbol) {
      image.relocations.push_back({at, static_cast<std::uint8_t>(width), leaf.generic,
                                   leaf.symbol_kind, leaf.index, leaf.value, leaf.mask});
    } else {
      const std::uint64_t bits = bits_of(leaf, variable.type);
      std::memcpy(image.bytes.data() + at, &bits, std::min<std::size_t>(width, sizeof(bits)));
    }
    at += width;
  }
  return image;
}

}  // namespace redflag::ptx
