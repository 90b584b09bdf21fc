// Kernel of image_texels_test.cpp: the texels that each lane is told of, in the order in which it is.
#include "frontends/cuda/device/image_texels.h"

using namespace redflag::device;

// Of thread i: handle, how, x, y, z, layer at in[8 * i]; number of texels, and address and bytes of each, at out[32 * i].
REDFLAG_KERNEL texels(std::uint64_t table, const std::uint64_t* in, std::uint64_t* out) {
  const std::uint32_t me = thread_in_block();
  const std::uint64_t* const mine = in + 8 * me;
  const std::uint32_t words[3] = {static_cast<std::uint32_t>(mine[2]),
                                  static_cast<std::uint32_t>(mine[3]),
                                  static_cast<std::uint32_t>(mine[4])};
  std::uint64_t* const to = out + 32 * me;
  std::uint64_t count = 0;
  each_texel(active_mask(), table, mine[0], static_cast<std::uint32_t>(mine[1]), words,
             static_cast<std::uint32_t>(mine[5]),
             [&](std::uint32_t lanes, std::uint64_t address, std::uint32_t bytes) {
               if ((lanes >> lane() & 1) == 0) return;
               to[1 + 2 * count] = address;
               to[2 + 2 * count] = bytes;
               ++count;
             });
  to[0] = count;
}
