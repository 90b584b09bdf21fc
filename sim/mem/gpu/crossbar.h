// Crossbar: packets from one kind of port to another, in flits.
//
// Every input and every output moves one flit a cycle. A packet waits in its input's buffer, goes
// through when its output has room, and waits there. When an output's buffer is full the packet at the
// head of the input waits, and all behind it: so congestion at one bank reaches the SMs, and who
// finds its input's buffer full waits before it sends. Called in the order of time. O(1).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/mem/gpu/port.h"

namespace redflag::sim {

class Crossbar {
 public:
  Crossbar(const GpuMachine& machine, std::size_t inputs, std::size_t outputs)
      : flit_bytes_(machine.flit_bytes),
        latency_(machine.network_latency),
        input_room_(machine.input_flits),
        output_room_(machine.output_flits),
        inputs_(inputs),
        outputs_(outputs) {}

  struct Sent {
    Cycle admitted;  // into the input's buffer: until then the sender waits
    Cycle arrives;   // its last flit, at the output
  };
  Sent send(std::size_t input, std::size_t output, std::uint32_t bytes, Cycle at) {
    const Cycle flits = (bytes + flit_bytes_ - 1) / flit_bytes_;
    flits_ += flits;
    ++packets_;
    Port& in = inputs_[input];
    Port& out = outputs_[output];
    const Cycle admitted = in.admit(at, input_room_);
    Cycle leaves = in.reserve(admitted, flits);
    // The head waits until the output's buffer takes it.
    const Cycle room = out.admit(leaves + latency_, output_room_);
    if (room > leaves + latency_) {
      leaves = room - latency_;
      in.block_until(leaves + flits);
    }
    return {admitted, out.reserve(leaves + latency_, flits) + flits};
  }
  // What is behind the output takes nothing more until then.
  void block_output(std::size_t output, Cycle until) { outputs_[output].block_until(until); }

  std::uint64_t flits() const { return flits_; }
  std::uint64_t packets() const { return packets_; }

 private:
  std::uint32_t flit_bytes_;
  Cycle latency_, input_room_, output_room_;
  std::vector<Port> inputs_, outputs_;
  std::uint64_t flits_ = 0, packets_ = 0;
};

}  // namespace redflag::sim
