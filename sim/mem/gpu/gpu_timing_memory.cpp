// The way of an access: first-level cache, interconnect, second level and back; and what a detector beside
// it is told (gpu_timing.h).
#include <algorithm>
#include <bit>

#include "core/base/check.h"
#include "sim/mem/gpu/gpu_timing.h"

namespace redflag::sim {

// False: no room to wait for another line.
bool GpuTiming::load(Sm& sm, std::uint8_t sm_number, std::uint8_t warp_number,
                     const Transaction& each) {
  Warp& warp = sm.warps[warp_number];
  const std::uint64_t bit = std::uint64_t{1} << warp_number;
  const Line* const line = sm.l1.lookup(each.line << kLineBits);
  if (line != nullptr && line->generation == sm.generation) {
    ++counts_.l1_hits;
    ++counts_.transactions;
    const Cycle at = sm.l1_port.reserve(now_, 1) + machine_.l1_latency;
    warp.ready = std::max(warp.ready, at);
    message(sm, sm_number, each, at, warp);
    return true;
  }
  const auto mshr = std::ranges::find_if(sm.mshrs, [&](const Mshr& m) {
    return m.line == each.line && m.generation == sm.generation;
  });
  if (mshr == sm.mshrs.end() && sm.mshrs.size() >= machine_.l1_mshrs) return false;
  ++counts_.l1_misses;
  if (mshr != sm.mshrs.end()) {
    ++counts_.transactions;
    if ((mshr->warps & bit) == 0) {
      mshr->warps |= bit;
      ++warp.loads;
    }
    message(sm, sm_number, each, sm.l1_port.reserve(now_, 1) + machine_.l1_latency, warp);
    return true;
  }
  sm.mshrs.push_back({each.line, bit, sm.generation});
  ++warp.loads;
  request(sm_number, warp_number, each, 0, L2Use::kRead, Answer::kFill);
  return true;
}

// To the second-level cache, through what first-level accesses go through.
void GpuTiming::request(std::uint8_t sm_number, std::uint8_t warp_number, const Transaction& each,
                        std::uint32_t bytes, L2Use use, Answer answer) {
  Sm& sm = sms_[sm_number];
  ++counts_.transactions;
  const std::uint32_t bank = l2_.bank_of(each.line);
  const Cycle at = sm.l1_port.reserve(now_, 1) + machine_.l1_latency;
  const Crossbar::Sent sent =
      requests_.send(sm_number, bank, machine_.header_bytes + bytes + extra_bytes_, at);
  if (sent.admitted > at) {
    counts_.l1_stalls += sent.admitted - at;
    sm.l1_port.block_until(sent.admitted - machine_.l1_latency);
  }
  Cycle taken = sent.arrives;
  if (detector_ != nullptr) {
    taken = detector_->arrived(bank, each, sent.arrives, l2_);
    Warp& warp = sm.warps[warp_number];
    warp.checked = std::max(warp.checked, detector_->checked_at());
  }
  const std::uint32_t moved = answer == Answer::kFill ? kGpuLineBytes : each.bytes;
  const L2::Done done = l2_.access(each.line, moved, use, Traffic::kData, taken);
  if (done.admitted > sent.arrives) requests_.block_output(bank, done.admitted);
  const std::uint32_t back = answer == Answer::kAck ? 0 : moved;
  events_.put(done.ready, {EventKind::kReply, answer, sm_number, warp_number,
                           static_cast<std::uint8_t>(bank), back, each.line});
}

// A load that needs no request tells the detector of itself; if the interconnect has no room, the
// first-level cache waits (ScoRD, section IV: until the buffers overflow).
void GpuTiming::message(Sm& sm, std::uint8_t sm_number, const Transaction& each, Cycle at,
                        Warp& warp) {
  if (detector_ == nullptr) return;
  const std::uint32_t bank = l2_.bank_of(each.line);
  if (!detector_->uses_network()) {
    (void)detector_->arrived(bank, each, at + machine_.network_latency, l2_);
    warp.checked = std::max(warp.checked, detector_->checked_at());
    return;
  }
  const Crossbar::Sent sent =
      requests_.send(sm_number, bank, machine_.header_bytes + extra_bytes_, at);
  if (sent.admitted > at && detector_->hits_wait()) {
    counts_.l1_stalls += sent.admitted - at;
    sm.l1_port.block_until(sent.admitted - machine_.l1_latency);
    warp.ready = std::max(warp.ready, sent.admitted);
  }
  const Cycle taken = detector_->arrived(bank, each, sent.arrives, l2_);
  warp.checked = std::max(warp.checked, detector_->checked_at());
  if (taken > sent.arrives) requests_.block_output(bank, taken);
}

void GpuTiming::fence(std::uint8_t sm_number, std::uint8_t warp_number) {
  Sm& sm = sms_[sm_number];
  Warp& warp = sm.warps[warp_number];
  if (warp.op.extra > 1) ++sm.generation;
  if (detector_ != nullptr && detector_->uses_network()) {
    // The fence file is beside the detector.
    (void)requests_.send(sm_number, warp_number % machine_.banks(),
                         machine_.header_bytes + extra_bytes_, now_ + machine_.l1_latency);
  }
  warp.program->advance(reader_);
  next(sm_number, warp_number, now_ + 1);
}

void GpuTiming::delivered(const Event& event) {
  Sm& sm = sms_[event.sm];
  if (event.answer == Answer::kAck) {
    Warp& warp = sm.warps[event.warp];
    REDFLAG_CHECK(warp.stores != 0);
    if (--warp.stores != 0 || warp.state != State::kFencing) return;
    if (warp.op.kind == OpKind::kExit) return perform(event.sm, event.warp);
    return fence(event.sm, event.warp);
  }
  if (event.answer == Answer::kData) return loads_done(event.sm, event.warp);
  const auto mshr = std::ranges::find(sm.mshrs, event.line, &Mshr::line);
  REDFLAG_CHECK(mshr != sm.mshrs.end());
  const Mshr done = *mshr;
  *mshr = sm.mshrs.back();
  sm.mshrs.pop_back();
  if (done.generation == sm.generation) {
    if (Line* const stale = sm.l1.lookup(event.line << kLineBits)) {
      stale->generation = done.generation;
    } else {
      Cache<Line>::Line victim;
      (void)sm.l1.insert(event.line << kLineBits, {done.generation}, victim);
    }
  }
  for (std::uint64_t rest = done.warps; rest != 0; rest &= rest - 1) {
    loads_done(event.sm, static_cast<std::uint8_t>(std::countr_zero(rest)));
  }
  wake_for_mshr(sm, event.sm);
}

void GpuTiming::wake_for_mshr(Sm& sm, std::uint8_t sm_number) {
  if (sm.no_mshr.empty()) return;
  const std::uint8_t first = sm.no_mshr.front();
  sm.no_mshr.pop_front();
  sm.warps[first].state = State::kBusy;
  events_.put(now_, {EventKind::kPerform, Answer::kAck, sm_number, first, 0, 0, 0});
}

void GpuTiming::loads_done(std::uint8_t sm_number, std::uint8_t warp_number) {
  Warp& warp = sms_[sm_number].warps[warp_number];
  REDFLAG_CHECK(warp.loads != 0);
  if (--warp.loads != 0 || warp.state != State::kLoading) return;
  if (warp.op.kind == OpKind::kExit) return perform(sm_number, warp_number);
  warp.program->advance(reader_);
  next(sm_number, warp_number, std::max(now_ + 1, warp.ready));
}

}  // namespace redflag::sim
