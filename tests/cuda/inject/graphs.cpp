// Graphs of one kernel, which adds 3 to each of 64 numbers: branches, children, copies and fills.
//
//   graphs KERNELS.ptx WHAT (race|ok)
//
// WHAT is what is not ordered with a kernel, if a race is wanted: kernel, captured, child, captured-child, fill, copy.
// numbers: no race; kernels of children, launched several times.
#include "tests/cuda/inject/calls.h"

namespace {

constexpr unsigned kCount = Numbers::kCount;
constexpr std::size_t kBytes = kCount * sizeof(unsigned);

struct Program {
  CUmodule module = nullptr;
  CUfunction scale = nullptr;
  CUstream stream = nullptr;
  Numbers numbers;
  unsigned count = kCount;
  void* params[2] = {&numbers.at, &count};
  unsigned expected = 1;

  explicit Program(const char* kernels) {
    NEED(cuModuleLoadData(&module, bytes_of(kernels).c_str()));
    NEED(cuModuleGetFunction(&scale, module, "scale"));
    NEED(cuStreamCreate(&stream, 0));
  }
  void launch(CUstream in) {
    NEED(cuLaunchKernel(scale, 2, 1, 1, kCount / 2, 1, 1, 0, in, params, nullptr));
  }
  // The kernel as a node, behind others.
  CUgraphNode add(CUgraph graph, const std::vector<CUgraphNode>& after) {
    const CUDA_KERNEL_NODE_PARAMS kernel{scale, 2, 1,      1,       kCount / 2, 1,
                                         1,     0, params, nullptr, nullptr,    nullptr};
    CUgraphNode node = nullptr;
    NEED(cuGraphAddKernelNode_v2(&node, graph, after.data(), after.size(), &kernel));
    return node;
  }
  void run(CUgraph graph, int times, unsigned added) {
    CUgraphExec exec = nullptr;
    NEED(cuGraphInstantiateWithFlags(&exec, graph, 0));
    NEED(cuGraphDestroy(graph));
    for (int i = 0; i < times; ++i) {
      NEED(cuGraphLaunch(exec, stream));
      NEED(cuStreamSynchronize(stream));
      expected += added;
      numbers.are(expected, "graph");
    }
    NEED(cuGraphExecDestroy(exec));
  }
  CUgraph make() {
    CUgraph graph = nullptr;
    NEED(cuGraphCreate(&graph, 0));
    return graph;
  }
};

// Two kernels, in two streams of one capture.
CUgraph captured(Program& program, bool ordered) {
  CUstream other = nullptr;
  CUevent begun = nullptr;
  CUevent ended = nullptr;
  NEED(cuStreamCreate(&other, 0));
  NEED(cuEventCreate(&begun, 0));
  NEED(cuEventCreate(&ended, 0));
  NEED(cuStreamBeginCapture_v2(program.stream, 0));
  if (!ordered) NEED(cuEventRecord(begun, program.stream));
  program.launch(program.stream);
  if (ordered) NEED(cuEventRecord(begun, program.stream));
  NEED(cuStreamWaitEvent(other, begun, 0));
  program.launch(other);
  NEED(cuEventRecord(ended, other));
  NEED(cuStreamWaitEvent(program.stream, ended, 0));
  CUgraph graph = nullptr;
  NEED(cuStreamEndCapture(program.stream, &graph));
  return graph;
}

// A graph of one kernel, launched in a capture besides a kernel of another stream.
CUgraph captured_child(Program& program, bool ordered) {
  CUgraph inner = program.make();
  (void)program.add(inner, {});
  CUgraphExec exec = nullptr;
  NEED(cuGraphInstantiateWithFlags(&exec, inner, 0));
  CUstream other = nullptr;
  CUevent begun = nullptr;
  CUevent ended = nullptr;
  NEED(cuStreamCreate(&other, 0));
  NEED(cuEventCreate(&begun, 0));
  NEED(cuEventCreate(&ended, 0));
  NEED(cuStreamBeginCapture_v2(program.stream, 0));
  if (!ordered) NEED(cuEventRecord(begun, program.stream));
  NEED(cuGraphLaunch(exec, program.stream));
  if (ordered) NEED(cuEventRecord(begun, program.stream));
  NEED(cuStreamWaitEvent(other, begun, 0));
  program.launch(other);
  NEED(cuEventRecord(ended, other));
  NEED(cuStreamWaitEvent(program.stream, ended, 0));
  CUgraph graph = nullptr;
  NEED(cuStreamEndCapture(program.stream, &graph));
  return graph;
}

// A kernel, and behind it or beside it something else.
CUgraph beside(Program& program, const std::string& what, bool ordered, CUdeviceptr other) {
  CUgraph graph = program.make();
  CUgraphNode node = nullptr;
  std::vector<CUgraphNode> after{program.add(graph, {})};
  if (!ordered) after.clear();
  if (what == "kernel") {
    node = program.add(graph, after);
  } else if (what == "child") {
    CUgraph child = program.make();
    (void)program.add(child, {});
    NEED(cuGraphAddChildGraphNode(&node, graph, after.data(), after.size(), child));
    NEED(cuGraphDestroy(child));
  } else if (what == "fill") {
    const CUDA_MEMSET_NODE_PARAMS fill{program.numbers.at, 0, 4, 4, kCount, 1, nullptr};
    NEED(cuGraphAddMemsetNode(&node, graph, after.data(), after.size(), &fill, nullptr));
  } else {
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = copy.dstMemoryType = kMemoryDevice;
    copy.srcDevice = program.numbers.at;
    copy.dstDevice = other;
    copy.WidthInBytes = kBytes;
    copy.Height = copy.Depth = 1;
    NEED(cuGraphAddMemcpyNode(&node, graph, after.data(), after.size(), &copy, nullptr));
  }
  return graph;
}

// Each kernel runs behind the one before, six of them: two children that are the same, a branch and an end.
CUgraph children(Program& program) {
  CUgraph child = program.make();
  (void)program.add(child, {program.add(child, {})});
  CUgraph graph = program.make();
  CUgraphNode first = nullptr;
  CUgraphNode second = nullptr;
  const CUgraphNode begins = program.add(graph, {});
  NEED(cuGraphAddChildGraphNode(&first, graph, &begins, 1, child));
  NEED(cuGraphAddChildGraphNode(&second, graph, &first, 1, child));
  (void)program.add(graph, {second});
  NEED(cuGraphDestroy(child));
  return graph;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string what = argv[2];
  const bool ordered = std::string(argv[3]) == "ok";
  start();
  Program program(argv[1]);
  CUdeviceptr other = 0;
  NEED(cuMemAlloc_v2(&other, kBytes));
  if (what == "numbers") {
    program.run(children(program), 3, 18);
    program.run(children(program), 1, 18);
  } else if (what == "captured") {
    program.run(captured(program, ordered), 2, 6);
  } else if (what == "captured-child") {
    program.run(captured_child(program, ordered), 2, 6);
  } else {
    program.run(beside(program, what, ordered, other), 1,
                what == "kernel" || what == "child" ? 6 : 3);
  }
  std::printf("all numbers are right\n");
  return 0;
}
