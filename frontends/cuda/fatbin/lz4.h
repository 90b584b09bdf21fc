// LZ4 blocks, decoded: what nvcc -compress-mode=speed and older nvcc pack fat binaries with.
//
// A block is a sequence of: a token (literal count, match length), literals, and a match given by its
// distance back. Input is not trusted: every copy is checked against both ends, and the output is
// never larger than the caller said. (LZ4 block format, version 1.6.)
#pragma once

#include <cstddef>
#include <span>

#include "core/base/error.h"

namespace redflag::fatbin {

// Fills `out` exactly; the message of an error says what is wrong at which byte of the block.
Result<void> decode_lz4(std::span<const std::byte> block, std::span<char> out);

}  // namespace redflag::fatbin
