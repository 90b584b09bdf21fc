#include "frontends/cuda/device/stream_event.h"

#include <bit>

namespace redflag::device {
namespace {

unsigned words_of(Form form, gpu::Lanes lanes) {
  if (form == Form::kNone) return 0;
  return form == Form::kEach ? static_cast<unsigned>(std::popcount(lanes)) : 1U;
}

void spread(std::span<const std::uint64_t>& from, Form form, gpu::Lanes lanes, std::uint64_t step,
            std::uint64_t* to) {
  if (form == Form::kNone) return;
  const auto leader = static_cast<unsigned>(std::countr_zero(lanes));
  std::size_t rank = 0;
  for (gpu::Lanes rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    to[lane] = form == Form::kEach ? from[rank++] : from[0];
    if (form == Form::kConsecutive) to[lane] += (lane - leader) * step;
  }
  from = from.subspan(words_of(form, lanes));
}

}  // namespace

bool unpack(std::span<const std::uint64_t> record, StreamEvent& event) {
  if (record.size() < kHeadWords || (record[0] & 63) == 0) return false;
  const RecordHead head = RecordHead::of(record[0]);
  if (static_cast<unsigned>(head.hook) >= kHookCount || head.lanes == 0) return false;
  const unsigned words = kHeadWords + words_of(head.addresses, head.lanes) +
                         words_of(head.sources, head.lanes) + words_of(head.values, head.lanes);
  if (words != head.words || words != record.size()) return false;
  event.hook = head.hook;
  event.lanes = head.lanes;
  event.warp = head.warp;
  event.site = static_cast<std::uint32_t>(record[1]);
  event.what = What::of(static_cast<std::uint32_t>(record[1] >> 32));
  event.block = record[2];
  event.launch = launch_of(record);
  event.argument = static_cast<std::uint32_t>(record[3] >> 32);
  event.has_values = head.values != Form::kNone;
  const bool copies = head.hook == Hook::kAsyncCopy;
  const bool of_memory =
      head.hook == Hook::kLoad || head.hook == Hook::kStore || head.hook == Hook::kAtomicEnd;
  // Addresses of copies follow each other by their sizes, which come last.
  const std::uint64_t step = copies ? record.back() : of_memory ? event.what.bytes : 8;
  std::span<const std::uint64_t> rest = record.subspan(kHeadWords);
  spread(rest, head.addresses, head.lanes, step, event.address);
  spread(rest, head.sources, head.lanes, step, event.source);
  spread(rest, head.values, head.lanes, 1, event.value);
  return true;
}

}  // namespace redflag::device
