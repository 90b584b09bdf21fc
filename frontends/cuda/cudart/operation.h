// What can be put into a stream or a graph, as values: made by the API's functions, then executed
// at once or kept as a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "core/model/gpu.h"
#include "frontends/cuda/cudart/abi.h"

namespace redflag::cudart {

struct LaunchOp {
  Kernel* kernel = nullptr;
  gpu::Dim grid, block, cluster;
  std::uint64_t dynamic_shared = 0;
  bool cooperative = false;
  gpu::SiteId site{0};            // where the host launched it
  std::vector<std::byte> params;  // the block of parameters, as the kernel reads it
};

// A box of bytes: rows of `width`, `height` of them a slice, `depth` slices.
struct Box {
  std::size_t width = 0, height = 1, depth = 1;
  bool empty() const { return width == 0 || height == 0 || depth == 0; }
};
struct Side3D {
  std::uint64_t address = 0;
  std::size_t pitch = 0;  // from row to row
  std::size_t slice = 0;  // from slice to slice
};
struct CopyOp {
  Side3D to, from;
  Box box;
  bool waits_before = false;  // the host waits for what is in the stream already
  bool waits = false;         // the host goes on when it is done

  // As part of a graph, or captured into one: the host has gone on long before.
  void run_later() { waits_before = waits = false; }
};
struct FillOp {
  Side3D to;
  Box box;
  std::uint32_t value = 0;
  std::uint32_t element = 1;  // bytes
};

struct HostOp {
  HostFunction function = nullptr;
  StreamCallback callback = nullptr;  // the older form, with the stream
  Stream* handle = nullptr;           // as the program knows it
  void* data = nullptr;
};
struct RecordOp {
  Event* event = nullptr;
};
struct WaitOp {
  Event* event = nullptr;
};
struct EmptyOp {};
struct ChildOp {
  Graph* graph = nullptr;  // owned by the graph that the node is in
};

using Operation =
    std::variant<LaunchOp, CopyOp, FillOp, HostOp, RecordOp, WaitOp, EmptyOp, ChildOp>;

// The parts of a box that are contiguous at `side`: one, or one for each row.
template <typename Body>
void for_each_run(const Side3D& side, const Box& box, Body body) {
  if (box.empty()) return;
  const bool rows_meet = box.height == 1 || side.pitch == box.width;
  const bool slices_meet = box.depth == 1 || side.slice == box.width * box.height;
  if (rows_meet && slices_meet) {
    body(side.address, box.width * box.height * box.depth);
    return;
  }
  for (std::size_t z = 0; z < box.depth; ++z) {
    for (std::size_t y = 0; y < box.height; ++y) {
      body(side.address + z * side.slice + y * side.pitch, box.width);
    }
  }
}

}  // namespace redflag::cudart
