// The queue between kernels and the host: what both halves of the runtime `stream` agree on.
//
// A ring of 64-bit words in memory of the host that kernels reach. A warp that has something to tell
// takes a ticket: the number of the first word of its record, from one counter for the whole device,
// so that the order of records is one order of all events. It waits until the reader is near enough
// (Barracuda's queues, dissertation of Peng, section 5.5: nothing is lost, kernels wait), writes the
// record, and its first word last, released to the system. The reader takes records in their order,
// sets their words to zero, and then tells how far it is. A first word that is zero is not written
// yet; words are never overwritten before the reader has passed.
//
// Record, in words: the head (below), then the lanes' addresses, sources and values, each as its form
// says: nothing, one word for all, one word from which the others follow by the size of an access, or
// one word for each lane of `lanes`, in their order.
#pragma once

#include <cstdint>

#include "core/detect/gpu/portable.h"
#include "frontends/cuda/device/abi.h"

namespace redflag::device {

// In the device's memory; kStateSymbol has its address. What kernels change is on lines of its own.
struct alignas(128) StreamState {
  std::uint64_t ring = 0;       // where the device has it
  std::uint64_t passed = 0;     // address of the reader's position: words that it has taken
  std::uint64_t word_mask = 0;  // words of the ring, less one
  std::uint64_t images = 0;     // textures and surfaces (image_table.h); 0: none
  alignas(128) std::uint64_t ticket = 0;
  alignas(128) std::uint64_t seen_passed = 0;  // what was last read of the reader's position
  alignas(128) std::uint64_t locks = 0;        // bit k: atomics of addresses that fall on k
};

enum class Form : std::uint8_t { kNone, kEqual, kConsecutive, kEach };

// The head of a record.
//   word 0: hook and 1 (6 bits), forms of addresses, sources, values (2 each), words of the record (8),
//           warp (8), lanes (32, from bit 32)
//   word 1: site (32), what (32)
//   word 2: block, linear
//   word 3: launch (32), argument (32)
inline constexpr unsigned kHeadWords = 4;
inline constexpr unsigned kMostWords = kHeadWords + 3 * 32;

struct RecordHead {
  Hook hook = Hook::kEnter;
  Form addresses = Form::kNone;
  Form sources = Form::kNone;
  Form values = Form::kNone;
  std::uint8_t words = 0;
  std::uint8_t warp = 0;
  std::uint32_t lanes = 0;

  REDFLAG_HD constexpr std::uint64_t packed() const {
    return (static_cast<std::uint64_t>(hook) + 1) | static_cast<std::uint64_t>(addresses) << 6 |
           static_cast<std::uint64_t>(sources) << 8 | static_cast<std::uint64_t>(values) << 10 |
           std::uint64_t{words} << 12 | std::uint64_t{warp} << 20 | std::uint64_t{lanes} << 32;
  }
  REDFLAG_HD static constexpr RecordHead of(std::uint64_t packed) {
    RecordHead head;
    head.hook = static_cast<Hook>((packed & 63) - 1);
    head.addresses = static_cast<Form>(packed >> 6 & 3);
    head.sources = static_cast<Form>(packed >> 8 & 3);
    head.values = static_cast<Form>(packed >> 10 & 3);
    head.words = static_cast<std::uint8_t>(packed >> 12);
    head.warp = static_cast<std::uint8_t>(packed >> 20);
    head.lanes = static_cast<std::uint32_t>(packed >> 32);
    return head;
  }
  friend constexpr bool operator==(const RecordHead&, const RecordHead&) = default;
};
static_assert(kHookCount < 63);

// Addresses in records: global ones as they are. Of shared memory: this bit, the rank of the owner in
// the cluster and 1 (0: the block itself) from kRankBit, and the offset. Both are those of
// gpu::shared_address, with the rank where the block's number will be.
inline constexpr std::uint64_t kSharedMark = std::uint64_t{1} << 62;
inline constexpr unsigned kRankBit = 20;
inline constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kRankBit) - 1;

}  // namespace redflag::device
