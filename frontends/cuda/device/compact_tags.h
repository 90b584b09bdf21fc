// compact on shared memory in kernels that synchronise by barriers alone: tags instead of epochs.
//
// Each word has the tag (core/detect/gpu/compact/tag.h) of its last read and of its last write. What
// stands in the kernels (the rewriter's hot.h) looks at those of another thread of the same interval
// and stores its own: this here is what is asked when there is one, and all accesses that are not
// hot: atomics, generic addresses, matrices. Device code.
//
// Limits: of several readers of a word the last is known; two threads that access a word at the very
// same time may not see each other; words, not bytes (the rewriter leaves kernels with narrower
// accesses of shared memory to compact_shared.h).
#pragma once

#include "frontends/cuda/device/compact_log.h"
#include "frontends/cuda/device/compact_shared.h"

namespace redflag::device::compact {

// What the registers of a kernel begin with.
struct Context {
  std::uint32_t lanes;     // of the warp, or 0: nothing is logged
  std::uint32_t scale;     // a word's tags are at shadow + scale * address
  std::uint32_t shadow;    //
  std::uint32_t tag;       //
  std::uint32_t last_tag;  // with the last phase
  std::uint32_t log;
  std::uint32_t time;  // and kFlips
  std::uint32_t slot;  // of Block::ticks
  std::uint32_t quiet;
};

REDFLAG_DEVICE Context context_of(std::uint32_t thread) {
  const Block& b = block();
  Context made{};
  made.quiet = b.quiet_roots;
  made.time = 1;
  // With no scale all words have one tag, which is that of all threads: nothing is ever found.
  made.shadow = to_shared(reinterpret_cast<std::uint64_t>(&b.nowhere[0]));
  made.slot = to_shared(reinterpret_cast<std::uint64_t>(&b.ticks[0]));
  if (b.state == 0 || b.shadow == 0) return made;
  const std::uint32_t warp = thread / 32;
  made.scale = 2;
  made.shadow = b.shadow;
  const Tag tag = Tag::of(1, thread, 0);
  made.last_tag = tag.last_phase().bits;
  made.tag = b.log == 0 ? made.last_tag : tag.bits;
  if (b.log == 0) return made;
  made.lanes = lanes_below_end(b.size - warp * 32);
  made.log = b.log + warp * kLogBytes;
  return made;
}

REDFLAG_SLOW void tell_tag(std::uint32_t unit, std::uint32_t earlier_bits, std::uint32_t site,
                           std::uint32_t what, std::uint32_t flags) {
  const Doing doing = doing_of(site, what, 0, 0);
  const Tag earlier{earlier_bits};
  const Epoch at{doing.block, earlier.thread() / 32, earlier.thread() % 32, 0};
  tell(doing, unit, Word::of(Kind::kPlain, 15, earlier.site(), at), flags | kShared | kTagSite);
}

REDFLAG_DEVICE void check_tags(std::uint32_t unit, bool writes, bool is_atomic, std::uint32_t site,
                               std::uint32_t what, Tag tag, std::uint32_t active) {
  const std::uint32_t size = block().shadow;
  if (size == 0 || unit >= size) return;
  const std::uint32_t at = size + unit * 2;
  const auto [read_bits, write_bits] = load_shadow(at);
  const Tag read{read_bits.bits}, write{write_bits.bits};
  if (write.is_others(tag) && !(is_atomic && write.mark()) && !write.is_ordered(tag, active)) {
    tell_tag(unit, write.bits, site, what, kFirstWrote);
  }
  if (!writes) {
    // Only plain writes would race with an atomic read.
    if (!is_atomic) store_shadow(at, {tag.at(site, false).bits});
    return;
  }
  if (read.is_others(tag) && !read.is_ordered(tag, active)) {
    tell_tag(unit, read.bits, site, what, 0);
  } else if (read.stands_for_others(tag)) {
    tell_tag(unit, read.bits, site, what, kAnyThread);
  }
  store_shadow(at + 4, {tag.at(site, is_atomic).bits});
}

// All lanes of a warp read `count` words, one after the other, and begin one word after another: each word is
// looked at once, for the whole warp. Within the warp all that was before is ordered, and so is what
// comes behind. A word counts as read by one of those who read it. False: there is more to be asked,
// or they read otherwise.
REDFLAG_DEVICE bool is_read_together(std::uint32_t first, std::uint32_t stride, std::uint32_t count,
                                     std::uint32_t site, Tag tag) {
  const std::uint32_t size = block().shadow;
  if (active_mask() != kAllLanes || stride != kUnit) return false;
  if (!match_all(kAllLanes, std::uint64_t{first - lane() * kUnit})) return false;
  const std::uint32_t begin = first - lane() * kUnit, words = count + 31;
  if (begin + words * kUnit > size) return false;
  Tag mine = tag.at(site, false);
  bool is_more = false;
  for (std::uint32_t i = lane(); i < words; i += 32) {
    const std::uint32_t at = size + (begin + i * kUnit) * 2;
    const auto [read, write] = load_shadow(at);
    is_more = Tag{write.bits}.is_others(mine) || is_more;
    store_shadow(at, {Tag{read.bits}.joined(mine).bits});
    mine.bits |= 31U << Tag::kThreadAt;  // the last lane reads the rest
  }
  return !any(kAllLanes, is_more);
}

}  // namespace redflag::device::compact
