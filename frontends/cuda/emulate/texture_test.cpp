// Fetches against what an H200 gave, and the pure parts by hand. Kernels with textures: texture_kernel_test.cpp.
#include "frontends/cuda/emulate/texture.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace redflag::cuda {
namespace {

std::uint64_t hash(std::uint64_t x) {
  x = (x + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

// Component `i` of an image, as in confirm.cu.
void content(const Image& image, std::uint64_t i, std::byte* to) {
  std::uint64_t word = hash(i);
  if (image.kind == ChannelKind::kFloat) {
    const float value = static_cast<float>(static_cast<int>(word % 1025) - 512) / 8;
    auto bits = std::bit_cast<std::uint32_t>(value);
    if (image.bits == 16) {
      const std::uint32_t e = bits >> 23 & 0xff;
      bits = (bits >> 16 & 0x8000U) | (e == 0 ? 0 : (e - 112) << 10 | (bits >> 13 & 0x3ffU));
    }
    word = bits;
  }
  std::memcpy(to, &word, image.bits / 8U);
}

struct Case {
  std::string line;
  std::string shape, op;
  Texture texture;
  std::vector<std::byte> bytes;
  Coordinates at;
  TexelWords wanted{};
};

Case parse(const std::string& line) {
  Case made;
  made.line = line;
  std::istringstream from(line);
  std::string kind, mode, filter, result;
  unsigned width = 0, height = 0, depth = 0, channels = 0, bits = 0;
  int normalized = 0, real = 0;
  std::uint32_t c[4] = {};
  from >> made.shape >> width >> height >> depth >> channels >> bits >> kind >> mode >> filter >>
      normalized >> real >> result >> made.op >> std::hex >> c[0] >> c[1] >> c[2] >> c[3];
  for (std::uint32_t& word : made.wanted) from >> word;
  EXPECT_TRUE(from) << line;
  Image& image = made.texture.image;
  const std::string shapes[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
  for (unsigned i = 0; i < 7; ++i) {
    if (shapes[i] == made.shape) image.shape = static_cast<ImageShape>(i);
  }
  if (made.shape == "pitch") image.shape = ImageShape::k2d;
  image.linear = made.shape == "linear";
  image.width = width;
  image.height = made.shape == "a1d" ? 1 : height;
  image.depth = made.shape == "a1d" ? height : depth;
  image.channels = static_cast<std::uint8_t>(channels);
  image.bits = static_cast<std::uint8_t>(bits);
  image.kind = kind == "f"   ? ChannelKind::kFloat
               : kind == "s" ? ChannelKind::kSigned
                             : ChannelKind::kUnsigned;
  image.pitch = image.width * image.element();
  image.slice = image.pitch * image.height;
  made.bytes.resize(image.slice * image.depth);
  const std::size_t component = bits / 8;
  for (std::size_t i = 0; i < made.bytes.size() / component; ++i) {
    content(image, i, made.bytes.data() + i * component);
  }
  image.address = reinterpret_cast<std::uint64_t>(made.bytes.data());
  const std::string modes[] = {"wrap", "clamp", "mirror", "border"};
  for (unsigned i = 0; i < 4; ++i) {
    if (modes[i] != mode) continue;
    for (AddressMode& each : made.texture.sampler.mode) each = static_cast<AddressMode>(i);
  }
  const float border[] = {0.5F, -0.25F, 3, 100};
  std::memcpy(made.texture.sampler.border, border, sizeof border);
  made.texture.sampler.filters = filter == "linear";
  made.texture.sampler.normalized = normalized != 0;
  made.texture.sampler.as_float = real != 0;
  for (unsigned i = 0; i < 3; ++i) made.at.at[i] = std::bit_cast<float>(c[i]);
  made.at.layer = c[3];
  made.at.is_whole = image.linear;
  made.at.whole[0] = static_cast<std::int32_t>(c[3]);
  return made;
}

// How filtered integers are rounded is not known to the last bit.
bool same(const Case& c, std::uint32_t found, std::uint32_t wanted) {
  if (found == wanted) return true;
  const Sampler& sampler = c.texture.sampler;
  if (!sampler.as_float) return std::bit_cast<float>(found) == std::bit_cast<float>(wanted);
  return std::fabs(std::bit_cast<float>(found) - std::bit_cast<float>(wanted)) <=
         (sampler.filters ? 2.5F / 32767 : 0x1p-23F);
}

TEST(Texture, FetchesAsOnAnH200) {
  std::ifstream file(std::string(TEST_FILES) + "/../textures/cases.tsv");
  ASSERT_TRUE(file) << "tests/cuda/textures/cases.tsv";
  std::string line;
  unsigned count = 0;
  while (std::getline(file, line)) {
    const Case c = parse(line);
    const std::string gathers = "rgba";
    const TexelWords found = c.op == "tex" ? combine(c.texture, footprint(c.texture, c.at))
                                           : gather(c.texture, gather_footprint(c.texture, c.at),
                                                    static_cast<unsigned>(gathers.find(c.op)));
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_TRUE(same(c, found[i], c.wanted[i]))
          << line << "\nchannel " << i << ": " << std::hex << found[i];
    }
    ++count;
  }
  EXPECT_GT(count, 1000U);
}

}  // namespace
}  // namespace redflag::cuda
