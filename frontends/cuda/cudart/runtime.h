// Runtime: CUDA's runtime library over a GPU that is not there; what all of the API shares.
//
// One for the process, made at the first call that needs it and kept for ever, since programs call
// the API from destructors. One lock: the API is called by any thread, the device and the detector
// serve one at a time. An operation runs when it is put into its stream; a kernel that waits for the
// host to do something later therefore never ends (--timeout says so).
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "frontends/cuda/cudart/graph.h"
#include "frontends/cuda/cudart/images.h"
#include "frontends/cuda/cudart/memory.h"
#include "frontends/cuda/cudart/modules.h"
#include "frontends/cuda/cudart/operation.h"
#include "frontends/cuda/cudart/reporter.h"
#include "frontends/cuda/cudart/stream.h"
#include "frontends/cuda/cudart/watch.h"
#include "frontends/cuda/emulate/device.h"
#include "frontends/cuda/report/settings.h"

namespace redflag::cudart {

using cuda_report::Settings;

class Runtime {
 public:
  static Runtime& get();

  std::mutex mutex;
  Settings settings;
  std::unique_ptr<Reporter> reporter;
  std::unique_ptr<cuda::Device> device;
  std::unique_ptr<StreamTable> streams;
  std::unique_ptr<MemoryTable> memory;
  std::unique_ptr<ModuleTable> modules;
  std::unique_ptr<ImageTable> images;
  std::unique_ptr<Watch> watch;
  std::unordered_map<const Graph*, std::unique_ptr<Graph>> graphs;
  std::unordered_map<const GraphExec*, std::unique_ptr<GraphExec>> execs;
  // After a fault of a kernel everything fails with the same, as on a real device.
  Error sticky = Error::kSuccess;
  unsigned long long next_capture = 1;

  // Into the stream: executed now, or added to the graph that it is captured into.
  Error submit(Stream& stream, Operation operation);
  Error launch(GraphExec& exec, Stream& stream);

  // The host waits, for the stream or for everything.
  Error synchronize(Stream& stream);
  Error synchronize_device();

  // What cannot be checked: the run has failed.
  void complain(const std::string& message);
  void complain(const Kernel& kernel, const std::string& message);
  // What the user should know.
  void note(const std::string& message);

 private:
  Runtime();
  Error execute(const Operation& operation, gpu::StreamId stream);
  Error run(const LaunchOp& launch, gpu::StreamId stream);
  Error run(const CopyOp& copy, gpu::StreamId stream);
  Error run(const FillOp& fill, gpu::StreamId stream);
  Error run(const HostOp& host, gpu::StreamId stream);
  Error run(const RecordOp& record, gpu::StreamId stream);
  Error run(const WaitOp& wait, gpu::StreamId stream);
  Error run(const EmptyOp&, gpu::StreamId) { return Error::kSuccess; }
  Error run(const ChildOp& child, gpu::StreamId stream);
  Error run_nodes(const Graph& graph, gpu::StreamId stream, GraphExec& exec);
  void tell_runs(gpu::HostKind kind, const Side3D& side, const Box& box, gpu::StreamId stream,
                 bool waits);
  Error fault(const cuda::Fault& fault, const std::string& kernel);
};

// What CUDA answers to a launch that cannot begin.
Error refused(cuda::Refusal why);

}  // namespace redflag::cudart
