// GpuTiming: a GPU that gives time to what warps did.
//
// SMs run blocks as they come, as many as fit. A warp issues its instructions in order, waits for what
// it loads, not for what it stores; a fence waits for its stores, and of device scope empties the first-level
// cache (which is not coherent); a barrier waits for the arrivals that were recorded. First-level caches
// are write-evict, and volatile accesses and atomics go past them. Requests go through a crossbar to the
// banks of the second-level cache (l2.h), answers through another one back. With a detector, packets
// are longer, hits of the first level send one too, and the detector sits before the banks.
//
// What happened is not recomputed: a warp that spun spins as often as recorded, and which atomic came
// first is what was recorded. Events in the order of time; the ways whose length never differs are
// reserved at once (port.h), so a load that misses is three events. One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/model/gpu.h"
#include "sim/mem/gpu/crossbar.h"
#include "sim/mem/gpu/detector_side.h"
#include "sim/mem/gpu/event_queue.h"
#include "sim/mem/gpu/warp_program.h"

namespace redflag::sim {

struct GpuCounts {
  std::uint64_t instructions = 0;  // of warps
  std::uint64_t l1_hits = 0;
  std::uint64_t l1_misses = 0;        // also of lines that are on their way
  std::uint64_t transactions = 0;     // of global memory
  std::uint64_t l1_stalls = 0;        // cycles that first-level caches waited for the interconnect
  std::uint64_t request_flits = 0;    //
  std::uint64_t reply_flits = 0;      //
  std::uint64_t request_packets = 0;  //
};

class GpuTiming {
 public:
  // `reader`: whose place in the programs this machine advances. `detector` may be nullptr.
  GpuTiming(const GpuMachine& machine, std::size_t reader, DetectorSide* detector);

  void begin(const gpu::Launch& launch);
  void add(BlockProgram& block) { waiting_.push_back(&block); }  // in the order of beginning
  // Until no warp can go on for lack of what it does next; or, not `all`, until an SM could take a
  // block and none waits.
  void run(bool all);
  // The launch has been told to its end: run(true) first.
  void end();

  Cycle cycles() const { return now_; }  // of all launches
  GpuCounts counts() const;
  const L2& l2() const { return l2_; }

 private:
  enum class EventKind : std::uint8_t { kIssue, kPerform, kReply, kDelivered };
  enum class Answer : std::uint8_t { kFill, kData, kAck };
  struct Event {
    EventKind kind;
    Answer answer;
    std::uint8_t sm, warp, bank;
    std::uint32_t bytes;
    std::uint64_t line;
  };
  enum class State : std::uint8_t {
    kFree,
    kBusy,     // an event is coming
    kStarved,  // for its next operation
    kLoading,  // for its loads
    kFencing,  // for its stores
    kBarrier,  //
    kNoMshr,   // for room among the lines that its SM waits for
  };
  struct Barrier {
    std::uint64_t key = 0;
    std::uint32_t arrived = 0;
    std::uint64_t waiting = 0;  // warps of the SM, by bit
    std::uint32_t needed = 0;
  };
  struct BlockRun {
    BlockProgram* program = nullptr;
    std::uint64_t warps = 0;  // its places in the SM, by bit
    std::uint32_t left = 0;
    std::vector<Barrier> barriers;
  };
  struct Warp {
    State state = State::kFree;
    std::uint8_t cursor = 0;  // of its transactions
    std::uint8_t block = 0;   // of the SM's
    OpHeader op;
    std::uint32_t instructions = 0;       // left, before the operation
    std::uint32_t loads = 0, stores = 0;  // on their way
    Cycle ready = 0;                      // the last hit's data
    Cycle checked = 0;                    // its last access, by the detector
    WarpProgram* program = nullptr;
  };
  struct Line {
    std::uint64_t generation = 0;
  };
  struct Mshr {
    std::uint64_t line;
    std::uint64_t warps;       // that wait, by bit
    std::uint64_t generation;  // of the cache when it was asked for
  };
  struct Sm {
    Sm(const GpuMachine& machine);
    std::vector<Warp> warps;
    std::vector<BlockRun> blocks;
    std::uint64_t shared_used = 0;
    std::vector<Port> issue;
    Port l1_port, shared_port;
    Cache<Line> l1;
    std::uint64_t generation = 1;  // lines of another one are invalid
    std::vector<Mshr> mshrs;
    std::deque<std::uint8_t> no_mshr;  // warps that wait for one
  };

  void dispatch();
  bool has_room(const Sm& sm) const;
  void handle(const Event& event);
  void issue(std::uint8_t sm_number, std::uint8_t warp_number);
  void perform(std::uint8_t sm_number, std::uint8_t warp_number);
  void next(std::uint8_t sm_number, std::uint8_t warp_number, Cycle at);  // operation
  bool load(Sm& sm, std::uint8_t sm_number, std::uint8_t warp_number, const Transaction& each);
  void request(std::uint8_t sm_number, std::uint8_t warp_number, const Transaction& each,
               std::uint32_t bytes, L2Use use, Answer answer);
  void message(Sm& sm, std::uint8_t sm_number, const Transaction& each, Cycle at, Warp& warp);
  void fence(std::uint8_t sm_number, std::uint8_t warp_number);
  void arrive(std::uint8_t sm_number, Warp& warp);
  bool pass(Warp& warp, std::uint8_t sm_number, std::uint8_t warp_number);
  void end_warp(std::uint8_t sm_number, std::uint8_t warp_number);
  void delivered(const Event& event);
  void wake_for_mshr(Sm& sm, std::uint8_t sm_number);
  void loads_done(std::uint8_t sm_number, std::uint8_t warp_number);
  Barrier& barrier_of(BlockRun& block, std::uint64_t key);

  GpuMachine machine_;
  std::size_t reader_;
  DetectorSide* detector_;
  std::uint32_t extra_bytes_;  // of the detector
  L2 l2_;
  Crossbar requests_, replies_;
  std::vector<Sm> sms_;
  EventQueue<Event> events_;
  std::deque<BlockProgram*> waiting_;
  gpu::Launch launch_;
  std::size_t next_sm_ = 0;
  bool room_ = true;  // an SM could take another block
  Cycle now_ = 0;
  GpuCounts counts_;
};

}  // namespace redflag::sim
