#include "frontends/cuda/fatbin/lz4.h"

#include <cstdint>
#include <cstring>
#include <string>

namespace redflag::fatbin {
namespace {

constexpr std::size_t kLeastMatch = 4;
constexpr std::size_t kMore = 15;  // a length of 15 goes on in further bytes

}  // namespace

Result<void> decode_lz4(std::span<const std::byte> block, std::span<char> out) {
  std::size_t in = 0;
  std::size_t done = 0;
  const auto bad = [&in](const char* what) {
    return fail(std::string(what) + " at byte " + std::to_string(in) + " of the LZ4 block");
  };
  const auto extend = [&](std::size_t& length) {
    for (;;) {
      if (in == block.size()) return false;
      const auto more = static_cast<std::uint8_t>(block[in++]);
      length += more;
      if (more != 255) return true;
    }
  };
  while (in < block.size()) {
    const auto token = static_cast<std::uint8_t>(block[in++]);
    std::size_t literals = token >> 4;
    if (literals == kMore && !extend(literals)) return bad("a length that does not end");
    if (literals > block.size() - in) return bad("literals past the end");
    if (literals > out.size() - done) return bad("more data than the header states");
    if (literals > 0) std::memcpy(out.data() + done, block.data() + in, literals);
    in += literals;
    done += literals;
    if (in == block.size()) break;  // the last sequence has no match
    if (block.size() - in < 2) return bad("a match without a distance");
    const std::size_t distance =
        static_cast<std::size_t>(block[in]) | static_cast<std::size_t>(block[in + 1]) << 8;
    in += 2;
    if (distance == 0 || distance > done) return bad("a match that starts before the beginning");
    std::size_t length = token & 15U;
    if (length == kMore && !extend(length)) return bad("a length that does not end");
    length += kLeastMatch;
    if (length > out.size() - done) return bad("more data than the header states");
    // Byte by byte: a match may overlap what it writes.
    for (std::size_t i = 0; i < length; ++i, ++done) out[done] = out[done - distance];
  }
  if (done != out.size()) return bad("less data than the header states");
  return {};
}

}  // namespace redflag::fatbin
