// The machine's state: frames, groups of lanes, warps, blocks, clusters, and what runs them.
//
// A warp is a set of groups. A group is lanes that share a program counter, a frame and a chain of
// joins; its instruction is executed for all of them at once. A branch that parts a group makes a Join
// at the branch's post-dominator: lanes that reach it wait there until all have come, and go on
// together. Waiting is a courtesy, not a duty: when the others spin, or run for long, or are blocked,
// those who wait are let go (Worker::let_go), so that a lock held by one lane is released to another
// lane of its warp (independent thread scheduling). With `lockstep` they are never let go.
//
// Ownership: everything below Machine belongs to one Worker, that is one host thread. Machine's
// counters are atomic, its fault is under a mutex.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontends/cuda/emulate/code.h"
#include "frontends/cuda/emulate/device.h"
#include "frontends/cuda/emulate/memory.h"
#include "frontends/cuda/emulate/program.h"
#include "frontends/cuda/emulate/texture.h"

namespace redflag::cuda {

using gpu::kWarp;
using gpu::Lanes;

struct Warp;
struct Block;
struct Cluster;
struct Worker;

inline unsigned count(Lanes lanes) {
  return static_cast<unsigned>(__builtin_popcount(lanes));
}
inline unsigned first(Lanes lanes) {
  return static_cast<unsigned>(__builtin_ctz(lanes));
}
template <typename Visitor>
inline void for_each_lane(Lanes lanes, Visitor visitor) {
  if (lanes == ~Lanes{0}) {
    for (unsigned lane = 0; lane < kWarp; ++lane) visitor(lane);
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) visitor(first(lanes));
}

// One call of a function by some lanes. The registers follow the struct.
struct Activation {
  const Code* code = nullptr;
  Activation* caller = nullptr;
  const MicroOp* return_to = nullptr;  // in the caller
  const CallOp* call = nullptr;
  Lanes live = 0;  // who has not returned
  std::uint32_t depth = 0;
  std::uint32_t local_base = 0;  // of each thread's stack
  std::uint32_t local_top = 0;
  std::byte* registers() { return reinterpret_cast<std::byte*>(this) + 64; }
};
static_assert(sizeof(Activation) <= 64);

struct Join {
  const MicroOp* at = nullptr;
  Activation* frame = nullptr;
  Join* parent = nullptr;
  Lanes expected = 0;  // who is to come, and who has
  Lanes arrived = 0;
  std::uint64_t ran = 0;  // instructions of the others while some have waited here
};

enum class Wait : std::uint8_t {
  kReady,
  kBarrier,
  kLanes,    // for those that its mask names
  kCluster,  //
  kAll,      // for all lanes of the warp, at an instruction that they execute as one
  kAligned,  // for the rest of the warp, in front of a barrier that wants whole warps
};

struct Group {
  Lanes mask = 0;
  Lanes active = 0;   // waiting: who executes the instruction
  Lanes members = 0;  // kLanes: whom they wait for
  Wait wait = Wait::kReady;
  std::uint8_t barrier = 0;
  bool fresh = false;  // was parted off and has not run since
  const MicroOp* pc = nullptr;
  Activation* frame = nullptr;
  Join* join = nullptr;
  std::uint32_t spins = 0;       // how often it looked in vain since it last did something else
  std::uint64_t ran = 0;         // instructions while others waited for it, since its last branch
  std::uint64_t polled[8] = {};  // what instructions that may wait found last
};

// A cp.async that is not complete for `lanes`.
struct AsyncCopy {
  Lanes lanes = 0;
  std::uint32_t bytes = 0;
  std::uint32_t group[kWarp] = {};
  std::uint64_t to[kWarp] = {};      // host addresses
  std::uint64_t from[kWarp] = {};    //
  std::uint32_t filled[kWarp] = {};  // bytes that come from `from`; the rest are zero
};

struct Warp {
  Block* block = nullptr;
  std::uint32_t index = 0;
  Lanes live = 0;
  Lanes threads = 0;        // lanes that there are at all
  std::uint32_t used = 0;   // groups in use, by bit
  std::uint32_t ready = 0;  // those that can go on
  std::uint32_t last = 0;
  std::uint64_t ran = 0;       // instructions of the group `last` since another one had its turn
  std::uint64_t executed = 0;  // instructions, as far as they were counted
  std::uint64_t told = 0;      // of them, when the warp's last step was told
  bool spun = false;           // its last turn ended because it waits for somebody else
  Group groups[kWarp];
  std::unique_ptr<std::byte[]> special_owner;
  std::byte* special = nullptr;
  std::byte* local = nullptr;  // interleaved: chunks of 32 bytes, lane by lane
  std::vector<std::unique_ptr<Join>> joins;
  std::vector<Join*> free_joins;
  std::uint64_t exchange[kWarp] = {};   // what lanes bring to a collective
  std::uint32_t exchange2[kWarp] = {};  //
  std::vector<AsyncCopy> copies;
  std::uint32_t commits[kWarp] = {};
  std::uint32_t cluster_round[kWarp] =
      {};  // the round of the cluster's barrier that a lane arrived at

  Warp() = default;
  ~Warp();
  Warp(const Warp&) = delete;
  Warp& operator=(const Warp&) = delete;
  Group& add_group(Lanes mask, const MicroOp* pc, Activation* frame, Join* join);
  void drop_group(Group& group);
  void set_ready(Group& group);
  void set_waiting(Group& group, Wait wait);
  Join* add_join();
  void drop_join(Join* join) { free_joins.push_back(join); }
};

// Registers of a group that is not the one that runs.
struct Words {
  std::byte* places[3];
  Words(const Warp& warp, Activation& frame)
      : places{frame.registers(), frame.code->pool, warp.special} {}
  template <typename T>
  T* at(Ref ref) const {
    return reinterpret_cast<T*>(places[ref & 3] + (ref & ~Ref{3}));
  }
};

struct Barrier {
  std::uint32_t arrived = 0;
  std::uint32_t needed = 0;  // 0: all live threads of the block
  std::uint32_t round = 0;
  std::uint32_t popc = 0;
  std::uint32_t voters = 0;
  bool in_use = false;
};
inline constexpr unsigned kBarriers = 16;

struct Block {
  Cluster* cluster = nullptr;
  std::uint64_t index = 0;  // in the grid
  gpu::Dim at{0, 0, 0};
  std::uint32_t rank = 0;  // in the cluster
  std::byte* shared = nullptr;
  std::unique_ptr<std::byte[]> shared_owner;
  std::vector<std::unique_ptr<Warp>> warps;
  std::uint64_t ready = 0;  // warps that can go on, by bit
  std::uint32_t live = 0;   // threads
  std::uint32_t last = 0;
  Barrier barriers[kBarriers];
  std::unordered_map<std::uint32_t, std::uint32_t> phases;  // of mbarriers, by offset
};

struct Cluster {
  std::vector<std::unique_ptr<Block>> blocks;
  std::uint32_t live = 0;     // threads
  std::uint32_t arrived = 0;  // at the cluster's barrier
  std::uint32_t round = 0;
  std::uint64_t turns = 0;
};

// What a launch shares among its workers.
struct Machine {
  const DeviceOptions* options = nullptr;
  const Program* program = nullptr;
  GlobalMemory* memory = nullptr;
  const TextureTable* textures = nullptr;
  gpu::Sink* sink = nullptr;
  gpu::Launch launch;
  const std::byte* params = nullptr;
  std::uint64_t param_bytes = 0;
  std::vector<Interval> constants;  // where .const variables lie
  std::uint64_t shared_bytes = 0;
  std::uint32_t dynamic_shared = 0;
  gpu::Dim clusters;  // of the grid
  bool parallel = false;
  std::uint64_t started_ns = 0;
  std::atomic<std::uint64_t> next_cluster{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;  // fault, printf
  Fault fault;
  void (*write)(void*, std::string_view) = nullptr;
  void* write_context = nullptr;

  bool const_space(std::uint64_t address) const {
    for (const Interval& each : constants) {
      if (each.contains(address, 1)) return true;
    }
    return false;
  }
};

// One host thread's state while it runs instructions of one group: what handlers see.
struct Run {
  std::byte* places[3] = {};
  const MicroOp* pc = nullptr;
  Lanes mask = 0;    // of the group
  Lanes active = 0;  // of the instruction
  std::int64_t budget = 0;
  std::int64_t mark = 0;    // the budget when instructions were counted last
  std::uint32_t spins = 0;  // the group's
  Group* group = nullptr;   // nullptr: it is no more
  Activation* frame = nullptr;
  Warp* warp = nullptr;
  Block* block = nullptr;
  Worker* worker = nullptr;
  Machine* machine = nullptr;
  ValueArgs args{};
  alignas(64) std::uint64_t address[kWarp] = {};  // as the program has them
  alignas(64) std::uint64_t host[kWarp] = {};     // where they are
  alignas(64) std::uint64_t value[kWarp] = {};

  template <typename T>
  T* at(Ref ref) const {
    return reinterpret_cast<T*>(places[ref & 3] + (ref & ~Ref{3}));
  }
  void enter(Activation* to) {
    frame = to;
    places[0] = to->registers();
    places[1] = to->code->pool;
    args.carry = reinterpret_cast<std::uint32_t*>(places[0]);
  }
  void count_instructions();
  void leave() {  // ends the loop of step.cpp
    count_instructions();
    budget = mark = 0;
  }
  void fault(FaultKind kind, const MicroOp& op, unsigned lane, std::uint64_t at = 0,
             std::uint32_t size = 0, bool wrote = false, std::string_view text = {});
  // The value of an address operand's register for a lane, with the offset.
  gpu::Step step(gpu::StepKind kind, const MicroOp& op, Lanes lanes) const;
};

}  // namespace redflag::cuda
