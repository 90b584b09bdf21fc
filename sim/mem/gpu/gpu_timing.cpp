// Launches, blocks and warps: who may issue what, and when (gpu_timing.h).
#include "sim/mem/gpu/gpu_timing.h"

#include <algorithm>
#include <bit>

#include "core/base/check.h"

namespace redflag::sim {
namespace {

constexpr std::uint32_t kSlice = 32;  // instructions that a warp issues before others may

}  // namespace

GpuTiming::Sm::Sm(const GpuMachine& machine)
    : warps(machine.warps_per_sm),
      blocks(machine.blocks_per_sm),
      issue(machine.schedulers),
      l1({.bytes = std::uint64_t{machine.l1_sets()} * machine.l1_ways * kGpuLineBytes,
          .ways = machine.l1_ways,
          .line_bytes = kGpuLineBytes}) {}

GpuTiming::GpuTiming(const GpuMachine& machine, std::size_t reader, DetectorSide* detector)
    : machine_(machine),
      reader_(reader),
      detector_(detector),
      extra_bytes_(detector == nullptr ? 0 : detector->packet_bytes()),
      l2_(machine),
      requests_(machine, machine.sms, machine.banks()),
      replies_(machine, machine.banks(), machine.sms) {
  REDFLAG_CHECK(fault_of(machine).empty());
  for (std::uint32_t i = 0; i < machine.sms; ++i) sms_.emplace_back(machine);
}

void GpuTiming::begin(const gpu::Launch& launch) {
  launch_ = launch;
  const std::size_t warps = std::max(machine_.warps_per_sm, launch.block_warps());
  for (Sm& sm : sms_) {
    sm.warps.resize(warps);
    ++sm.generation;
  }
  if (machine_.flush_l2) l2_.flush();
  room_ = true;
}

void GpuTiming::run(bool all) {
  for (std::size_t sm = 0; sm < sms_.size(); ++sm) {
    for (std::size_t i = 0; i < sms_[sm].warps.size(); ++i) {
      Warp& warp = sms_[sm].warps[i];
      if (warp.state != State::kStarved || !warp.program->has_next(reader_)) continue;
      next(static_cast<std::uint8_t>(sm), static_cast<std::uint8_t>(i), now_);
    }
  }
  dispatch();
  while (!events_.empty() && (all || !room_ || !waiting_.empty())) {
    const Event event = events_.take();
    now_ = events_.now();
    handle(event);
  }
}

void GpuTiming::end() {
  REDFLAG_CHECK(events_.empty() && waiting_.empty());
  // The next launch begins when the detector has nothing left to do.
  if (detector_ != nullptr) now_ = std::max(now_, detector_->idle_at());
}

GpuCounts GpuTiming::counts() const {
  GpuCounts made = counts_;
  made.request_flits = requests_.flits();
  made.request_packets = requests_.packets();
  made.reply_flits = replies_.flits();
  return made;
}

bool GpuTiming::has_room(const Sm& sm) const {
  const bool empty = std::ranges::all_of(sm.blocks, [](const BlockRun& b) { return b.left == 0; });
  if (empty) return true;  // a block larger than table V allows runs alone
  if (sm.shared_used + launch_.shared_bytes > machine_.shared_bytes) return false;
  if (std::ranges::none_of(sm.blocks, [](const BlockRun& b) { return b.left == 0; })) return false;
  const auto places = std::ranges::count(sm.warps, State::kFree, &Warp::state);
  return static_cast<std::uint32_t>(places) >= launch_.block_warps();
}

// Blocks go round the SMs, each to the next one that has room.
void GpuTiming::dispatch() {
  while (true) {
    std::size_t tried = 0;
    while (tried < sms_.size() && !has_room(sms_[next_sm_])) {
      next_sm_ = (next_sm_ + 1) % sms_.size();
      ++tried;
    }
    room_ = tried < sms_.size();
    if (!room_ || waiting_.empty()) return;
    Sm& sm = sms_[next_sm_];
    BlockProgram& block = *waiting_.front();
    waiting_.pop_front();
    const auto free = std::ranges::find(sm.blocks, 0U, &BlockRun::left);
    free->program = &block;
    free->left = static_cast<std::uint32_t>(block.warps.size());
    free->barriers.clear();
    free->warps = 0;
    sm.shared_used += launch_.shared_bytes;
    std::size_t place = 0;
    for (WarpProgram& program : block.warps) {
      while (sm.warps[place].state != State::kFree) ++place;
      Warp& warp = sm.warps[place];
      warp = Warp{};
      warp.state = State::kBusy;
      warp.block = static_cast<std::uint8_t>(free - sm.blocks.begin());
      warp.program = &program;
      free->warps |= std::uint64_t{1} << place;
      next(static_cast<std::uint8_t>(next_sm_), static_cast<std::uint8_t>(place), now_);
    }
    next_sm_ = (next_sm_ + 1) % sms_.size();
  }
}

void GpuTiming::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::kIssue:
      return issue(event.sm, event.warp);
    case EventKind::kPerform:
      return perform(event.sm, event.warp);
    case EventKind::kReply: {
      const Crossbar::Sent sent =
          replies_.send(event.bank, event.sm, machine_.header_bytes + event.bytes, now_);
      Event arrives = event;
      arrives.kind = EventKind::kDelivered;
      return events_.put(sent.arrives, arrives);
    }
    case EventKind::kDelivered:
      return delivered(event);
  }
}

// The warp goes on with its next operation at `at`, or starves.
void GpuTiming::next(std::uint8_t sm_number, std::uint8_t warp_number, Cycle at) {
  Warp& warp = sms_[sm_number].warps[warp_number];
  if (!warp.program->has_next(reader_)) {
    warp.state = State::kStarved;
    return;
  }
  warp.op = warp.program->header(reader_);
  warp.instructions = warp.op.instructions;
  warp.cursor = 0;
  warp.ready = 0;
  warp.state = State::kBusy;
  counts_.instructions += warp.instructions;
  events_.put(at, {warp.instructions != 0 ? EventKind::kIssue : EventKind::kPerform, Answer::kAck,
                   sm_number, warp_number, 0, 0, 0});
}

// A slice of instructions takes as many slots of the scheduler, and of the warp's time its latency.
void GpuTiming::issue(std::uint8_t sm_number, std::uint8_t warp_number) {
  Sm& sm = sms_[sm_number];
  Warp& warp = sm.warps[warp_number];
  const std::uint32_t count = std::min(warp.instructions, kSlice);
  const Cycle begin = sm.issue[warp_number % sm.issue.size()].reserve(now_, count);
  warp.instructions -= count;
  const bool last = warp.instructions == 0;
  // The memory access itself leaves when it has been issued.
  const Cycle own = (last ? count - 1 : count) * Cycle{machine_.alu_latency} + (last ? 1 : 0);
  events_.put(std::max(begin + count, now_ + own), {last ? EventKind::kPerform : EventKind::kIssue,
                                                    Answer::kAck, sm_number, warp_number, 0, 0, 0});
}

void GpuTiming::perform(std::uint8_t sm_number, std::uint8_t warp_number) {
  Sm& sm = sms_[sm_number];
  Warp& warp = sm.warps[warp_number];
  WarpProgram& program = *warp.program;
  const OpHeader op = warp.op;
  Cycle go_on = now_ + 1;
  switch (op.kind) {
    case OpKind::kCompute:
      break;
    case OpKind::kSharedLoad:
      go_on = sm.shared_port.reserve(now_, op.extra) + op.extra - 1 + machine_.shared_latency;
      break;
    case OpKind::kSharedStore:
      go_on = sm.shared_port.reserve(now_, op.extra) + 1;
      break;
    case OpKind::kLoad:
    case OpKind::kAsyncLoad:
      for (; warp.cursor < op.transactions; ++warp.cursor) {
        if (load(sm, sm_number, warp_number, program.transaction(reader_, warp.cursor))) continue;
        warp.state = State::kNoMshr;
        sm.no_mshr.push_back(warp_number);
        return;
      }
      // Who was let in and found its lines there leaves the room to the next.
      if (sm.mshrs.size() < machine_.l1_mshrs) wake_for_mshr(sm, sm_number);
      break;
    case OpKind::kLoadPast:
    case OpKind::kAtomic:
    case OpKind::kStore:
    case OpKind::kReduction:
      for (std::size_t i = 0; i < op.transactions; ++i) {
        const Transaction each = program.transaction(reader_, i);
        const bool waits = op.kind == OpKind::kLoadPast || op.kind == OpKind::kAtomic;
        const L2Use use = op.kind == OpKind::kLoadPast ? L2Use::kRead
                          : op.kind == OpKind::kStore  ? L2Use::kWrite
                                                       : L2Use::kUpdate;
        if (op.kind == OpKind::kStore) sm.l1.invalidate(each.line << kLineBits);
        ++(waits ? warp.loads : warp.stores);
        request(sm_number, warp_number, each, op.kind == OpKind::kLoadPast ? 0 : each.bytes, use,
                waits ? Answer::kData : Answer::kAck);
      }
      go_on = std::max(go_on, sm.l1_port.free_at());
      break;
    case OpKind::kAsyncWait:
      break;
    case OpKind::kFence:
      if (warp.stores != 0) {
        warp.state = State::kFencing;
        return;
      }
      return fence(sm_number, warp_number);
    case OpKind::kArrive:
      arrive(sm_number, warp);
      break;
    case OpKind::kPass:
      if (!pass(warp, sm_number, warp_number)) return;
      break;
    case OpKind::kExit:
      if (warp.stores == 0 && warp.loads == 0) {
        const Cycle may = detector_ == nullptr ? now_ : detector_->may_end(warp.checked);
        if (may <= now_) return end_warp(sm_number, warp_number);
        return events_.put(may,
                           {EventKind::kPerform, Answer::kAck, sm_number, warp_number, 0, 0, 0});
      }
      warp.state = warp.stores != 0 ? State::kFencing : State::kLoading;
      return;
  }
  const bool waits_for_loads = op.kind == OpKind::kLoad || op.kind == OpKind::kLoadPast ||
                               op.kind == OpKind::kAtomic || op.kind == OpKind::kAsyncWait;
  if (waits_for_loads && warp.loads != 0) {
    warp.state = State::kLoading;
    return;
  }
  if (op.kind == OpKind::kLoad) go_on = std::max(go_on, warp.ready);
  program.advance(reader_);
  next(sm_number, warp_number, go_on);
}

GpuTiming::Barrier& GpuTiming::barrier_of(BlockRun& block, std::uint64_t key) {
  for (Barrier& each : block.barriers) {
    if (each.key == key) return each;
  }
  block.barriers.push_back({key, 0, 0, 0});
  return block.barriers.back();
}

void GpuTiming::arrive(std::uint8_t sm_number, Warp& warp) {
  Sm& sm = sms_[sm_number];
  Barrier& barrier = barrier_of(sm.blocks[warp.block], warp.program->word(reader_));
  ++barrier.arrived;
  if (barrier.needed == 0 || barrier.arrived < barrier.needed) return;
  for (std::uint64_t rest = barrier.waiting; rest != 0; rest &= rest - 1) {
    const auto each = static_cast<std::uint8_t>(std::countr_zero(rest));
    sm.warps[each].program->advance(reader_);
    next(sm_number, each, now_ + 1);
  }
  barrier.waiting = 0;
}

bool GpuTiming::pass(Warp& warp, std::uint8_t sm_number, std::uint8_t warp_number) {
  BlockRun& block = sms_[sm_number].blocks[warp.block];
  const std::uint64_t key = warp.program->word(reader_);
  Barrier& barrier = barrier_of(block, key);
  barrier.needed = warp.op.extra;
  if (barrier.arrived < barrier.needed) {
    barrier.waiting |= std::uint64_t{1} << warp_number;
    warp.state = State::kBarrier;
    return false;
  }
  // Rounds of one barrier come one after the other: older ones are over.
  if (block.barriers.size() > 16) {
    std::erase_if(block.barriers, [&](const Barrier& each) {
      return each.key >> 32 == key >> 32 && each.key < key && each.waiting == 0;
    });
  }
  return true;
}

void GpuTiming::end_warp(std::uint8_t sm_number, std::uint8_t warp_number) {
  Sm& sm = sms_[sm_number];
  Warp& warp = sm.warps[warp_number];
  warp.program->advance(reader_);
  BlockRun& block = sm.blocks[warp.block];
  warp.state = State::kBusy;
  if (--block.left != 0) return;
  for (std::uint64_t rest = block.warps; rest != 0; rest &= rest - 1) {
    sm.warps[static_cast<std::size_t>(std::countr_zero(rest))].state = State::kFree;
  }
  block.program->done[reader_] = true;
  sm.shared_used -= launch_.shared_bytes;
  dispatch();
}

}  // namespace redflag::sim
