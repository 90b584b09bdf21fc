// Model: steps in, races out. The rules of docs/how/semantics.md over any clocks and any shadow.
//
// With WarpClocks and Shadow this is ptx_model; with PlainClocks and PlainShadow it is what that one is
// tested against. model_sync.h has what orders threads, model_access.h what accesses memory,
// model_report.h how a pair becomes a race with its class and what would have been enough.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/detect/gpu/host_order.h"
#include "core/detect/gpu/ptx_model.h"
#include "core/detect/gpu/record.h"
#include "core/detect/gpu/warp_state.h"
#include "core/detect/gpu/worlds.h"

namespace redflag::gpu {

template <typename Clocks, typename Shadow>
class Model final : public Sink {
 public:
  using Clock = typename Clocks::Clock;
  using Known = typename Clocks::Known;

  explicit Model(PtxModelOptions options);

  void launch_begins(const Launch& launch) override;
  void step(const Step& step) override;
  void launch_ends(LaunchId launch) override;
  void host(const HostStep& step) override;

  const std::vector<GpuRace>& races() const { return races_; }
  std::uint64_t dropped() const { return dropped_; }
  std::size_t bytes() const;
  std::uint64_t steps() const { return steps_; }
  std::uint64_t barriers() const { return barriers_; }
  std::uint64_t full_barriers() const { return full_barriers_; }
  // For tests: every racing access, byte by byte, before folding.
  std::function<void(std::uint64_t address, unsigned bytes)> on_access;
  Ordering<Clocks>& real() { return worlds_.real(); }

 private:
  // What of the present step the shadow asks about.
  struct Judge {
    Model& model;
    const WarpAt& at;
    ThreadIndex self;  // of lane 0 in the record: the warp's, or its copies'

    bool conflict(const Record& a, const Record& b) const;
    Lanes unordered(const Record& past, Lanes its, Lanes lanes) const;
    bool behind(const Record& past, Lanes its, Lanes lanes) const;
    bool same_block(const Record& a, const Record& b) const;
    bool observes(const Record& now, const Record& past) const;
  };
  struct HostAccess {
    HostOrder::Number number;
    HostStep step;
    bool writes;
  };
  struct Past {  // a launch that may still race with others
    HostOrder::Number number;
    LaunchId id;
    Grid grid;
  };
  enum class Relation : std::uint8_t {
    kSameThread,
    kSameWarp,
    kSameBlock,
    kSameCluster,
    kSameGrid,
    kOutside
  };

  // model_sync.h
  BlockState& block(std::uint64_t number);
  bool lockstep() const { return options_.convergence == Convergence::kLockstep; }
  void sync_warp(const WarpAt& at, WarpState& warp, Lanes lanes);
  void exits(const WarpAt& at, BlockState& state, Lanes lanes);
  void fence(const WarpAt& at, WarpState& warp, const Step& step);
  void forget_before(const WarpAt& at, const Meeting& meeting);
  void barrier_arrive(const WarpAt& at, BlockState& state, const Step& step);
  void barrier_pass(const WarpAt& at, BlockState& state, const Step& step);
  void check_whole_warps(std::uint32_t block, const BlockState& state, const BarrierRound& round);
  void complete(const WarpAt& at, BlockState& state, BarrierRound& round);
  void tell(const WarpAt& at, BlockState& state, Lanes lanes);
  void cluster_barrier(const WarpAt& at, WarpState& warp, const Step& step);
  void barrier_object(const WarpAt& at, WarpState& warp, const Step& step);
  void waits_for_copies(const WarpAt& at, WarpState& warp, const Step& step);
  void copies_arrive(const WarpAt& at, WarpState& warp, const Step& step);

  // model_access.h
  void synchronises(const WarpAt& at, const WarpState& warp, const Step& step, Lanes wrote);
  void overwrites(const WarpAt& at, const Step& step);
  void memory(const WarpAt& at, BlockState& state, const Step& step);
  void copy(const WarpAt& at, WarpState& warp, const Step& step);
  Record record_of(const WarpAt& at, const WarpState& warp, const Step& step) const;
  void access(const WarpAt& at, WarpState& warp, const Step& step, const Record& record,
              const std::uint64_t* addresses, Lanes lanes);
  void part(Judge& judge, WarpState& warp, const Record& record, std::uint64_t address,
            unsigned size, Lanes lanes);
  void same_instruction(const WarpAt& at, const Step& step, const Record& record,
                        std::uint64_t address, unsigned a, unsigned b);
  void locks(WarpState& warp, const Step& step, Lanes wrote);
  bool counts_as_strong(const Step& step) const {
    return step.kind == StepKind::kAtomicLoad || step.kind == StepKind::kAtomicStore ||
           step.kind == StepKind::kAtomicRmw ||
           (step.is_volatile && options_.strictness == Strictness::kPtx);
  }

  // model_report.h
  void found(const Record& past, Lanes its, const Record& now, Lanes racing, const Judge& judge,
             std::uint64_t address, unsigned bytes);
  void divergence(const WarpAt& at, std::uint32_t object, const GpuSide& arrived,
                  const GpuSide& elsewhere);
  void host_race(const Record& device, Lanes lanes, const HostAccess& host, bool host_first,
                 std::uint64_t address, unsigned bytes);
  void host_pair(const HostAccess& first, const HostAccess& second);
  GpuSide side(const Record& record, unsigned lane) const;
  GpuSide side(const HostAccess& host) const;
  Relation relation(const Record& past, unsigned past_lane, const Judge& judge) const;
  void explain(GpuRace& race, const Record& past, unsigned past_lane, const Record& now,
               unsigned lane, const Judge& judge, Relation relation);
  void put(GpuRace race, std::uint64_t key);
  GpuRace* known(std::uint64_t key);

  PtxModelOptions options_;
  bool together_orders_ = false;
  Worlds<Clocks> worlds_;
  Shadow shadow_;
  HostOrder host_order_;
  std::vector<HostAccess> host_accesses_;
  std::vector<HostAccess> concurrent_;  // those that nothing orders with the running launch
  std::vector<Past> launches_;

  Launch launch_;
  Grid grid_;
  HostOrder::Number number_ = 0;
  bool running_ = false;
  std::vector<std::unique_ptr<BlockState>> blocks_;
  AddressFilter strong_;  // addresses that had a strong write in this launch

  std::vector<GpuRace> races_;
  std::unordered_map<std::uint64_t, std::size_t> keys_;  // to races_; beyond its end: dropped
  std::uint64_t dropped_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t barriers_ = 0, full_barriers_ = 0;
};

}  // namespace redflag::gpu

#include "core/detect/gpu/model_access.h"
#include "core/detect/gpu/model_report.h"
#include "core/detect/gpu/model_sync.h"
