// What we know of the program's heap blocks: which addresses they begin at, and what was so far.
//
// A block of ours is a block of glibc's with a header before the program's pointer: 16 bytes, or as
// much as an aligned block needs to keep its alignment. A bitmap has one bit per 16 bytes of address
// space, set where a block of ours begins. It tells our blocks from those that came about without us
// (before start, inside libc), and from any address inside a block a walk back finds its beginning.
// The bitmap is a table of three levels with leaves of 128 KiB, touched only where there is heap:
// 1/128 of it. Marks are single atomic operations; no call here blocks, so signal handlers and forked
// children may use all of it.
//
// A freed block is remembered until 64 more are freed by threads of the same shard.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frontends/cpu/rt/runtime.h"

namespace redflag::interpose {

struct Header {
  std::uint64_t size : 56;
  std::uint64_t shift : 8;  // the block of glibc's begins 1 << shift before the program's pointer
  std::uint32_t stack;
  std::uint32_t thread;
};
static_assert(sizeof(Header) == 16, "every block pays it");

inline constexpr std::size_t kGrain = 16;
inline constexpr unsigned kPlainShift = 4;
inline constexpr std::uint64_t kLargestBlock = 1ull << 46;

inline Header& header_of(void* block) {
  return static_cast<Header*>(block)[-1];
}
inline void* whole_of(void* block) {
  return static_cast<char*>(block) - (std::size_t{1} << header_of(block).shift);
}

// False: no memory for the bitmap, and the block must stay a plain one.
bool mark_block(const void* block);
bool is_block(const void* block);
// Takes the mark off; false if it was not there. Of two that free the same block, one succeeds.
bool unmark_block(const void* block);

// Before the block goes back to glibc; its header is still there.
void remember_freed(rt::Thread& t, void* block);

}  // namespace redflag::interpose
