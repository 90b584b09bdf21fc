#include "sim/mem/gpu/crossbar.h"

#include <gtest/gtest.h>

namespace redflag::sim {
namespace {

GpuMachine small() {
  GpuMachine machine;
  machine.flit_bytes = 40;
  machine.network_latency = 4;
  machine.input_flits = 8;
  machine.output_flits = 4;
  return machine;
}

TEST(Crossbar, ADelayAndACycleForEachFlit) {
  Crossbar net(small(), 2, 2);
  EXPECT_EQ(net.send(0, 0, 40, 100).arrives, 105U);
  EXPECT_EQ(net.send(1, 1, 41, 100).arrives, 106U);  // two flits
  EXPECT_EQ(net.flits(), 3U);
  EXPECT_EQ(net.packets(), 2U);
}

TEST(Crossbar, PortsAreShared) {
  Crossbar net(small(), 2, 2);
  EXPECT_EQ(net.send(0, 0, 120, 0).arrives, 7U);
  EXPECT_EQ(net.send(0, 1, 40, 0).arrives, 8U);  // behind the first in the input
  EXPECT_EQ(net.send(1, 0, 40, 0).arrives, 8U);  // behind the first at the output
}

TEST(Crossbar, AFullOutputHoldsItsInputsAndTheirSenders) {
  Crossbar net(small(), 2, 2);
  net.block_output(0, 1000);
  Crossbar::Sent last{};
  for (int i = 0; i < 12; ++i) last = net.send(0, 0, 40, 0);
  EXPECT_GT(last.admitted, 900U);  // more than both buffers: the sender waits
  EXPECT_GE(last.arrives, 1000U + 12);
  // The one behind is for another output, but in the same input.
  EXPECT_GT(net.send(0, 1, 40, 0).arrives, 900U);
  EXPECT_EQ(net.send(1, 1, 40, 2000).arrives, 2005U);
}

}  // namespace
}  // namespace redflag::sim
