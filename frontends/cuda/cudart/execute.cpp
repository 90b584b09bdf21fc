// Operations, executed: kernels by the emulated device, copies and fills here; each told to the
// detector in its stream.
#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

#include "frontends/cuda/cudart/runtime.h"
#include "frontends/cuda/report/caller.h"

namespace redflag::cudart {
namespace {

struct FaultError {
  cuda::FaultKind kind;
  Error error;
};
constexpr std::array<FaultError, 9> kFaultErrors{{
    {cuda::FaultKind::kOutOfBounds, Error::kIllegalAddress},
    {cuda::FaultKind::kMisaligned, Error::kMisalignedAddress},
    {cuda::FaultKind::kUseAfterFree, Error::kIllegalAddress},
    {cuda::FaultKind::kTrap, Error::kLaunchFailure},
    {cuda::FaultKind::kAssert, Error::kAssert},
    {cuda::FaultKind::kTimeout, Error::kLaunchTimeout},
    {cuda::FaultKind::kDeadlock, Error::kLaunchTimeout},
    {cuda::FaultKind::kOutOfMemory, Error::kMemoryAllocation},
    {cuda::FaultKind::kStackOverflow, Error::kHardwareStackError},
}};

}  // namespace

Error refused(cuda::Refusal why) {
  switch (why) {
    case cuda::Refusal::kValue:
      return Error::kInvalidValue;
    case cuda::Refusal::kClusterSize:
      return Error::kInvalidClusterSize;
    default:
      return Error::kInvalidConfiguration;
  }
}

Error Runtime::execute(const Operation& operation, gpu::StreamId stream) {
  return std::visit([&](const auto& each) { return run(each, stream); }, operation);
}

Error Runtime::run(const LaunchOp& launch, gpu::StreamId stream) {
  const Result<cuda::KernelId> id = modules->ready(*launch.kernel);
  if (!id) {
    complain(*launch.kernel, id.error().message);
    return Error::kNoKernelImageForDevice;
  }
  cuda::LaunchConfig config;
  config.grid = launch.grid;
  config.block = launch.block;
  config.cluster = launch.cluster;
  config.dynamic_shared = launch.dynamic_shared;
  config.stream = stream;
  config.host_thread = cuda_report::this_thread();
  config.cooperative = launch.cooperative;
  config.site = launch.site;
  cuda::Fault fault;
  const Result<void> ran = device->launch(*id, config, launch.params, fault);
  if (!ran) {
    complain("kernel " + launch.kernel->name + ": " + ran.error().message);
    return refused(fault.refusal);
  }
  if (fault.kind == cuda::FaultKind::kNone) return Error::kSuccess;
  gpu::Launch told;
  told.id = device->last_launch();
  told.kernel = device->info(*id).name;
  told.grid = launch.grid;
  told.block = launch.block;
  told.cluster = launch.cluster;
  reporter->collect();
  reporter->fault(fault, told);
  const auto* row = std::find_if(kFaultErrors.begin(), kFaultErrors.end(),
                                 [&](const FaultError& each) { return each.kind == fault.kind; });
  sticky = row == kFaultErrors.end() ? Error::kLaunchFailure : row->error;
  // As on a device, where the launch itself went well: the host is told when it next asks.
  return Error::kSuccess;
}

void Runtime::tell_runs(gpu::HostKind kind, const Side3D& side, const Box& box,
                        gpu::StreamId stream, bool waits) {
  if (!memory->reachable(side.address)) return;
  for_each_run(side, box, [&](std::uint64_t address, std::uint64_t size) {
    streams->tell(
        {.kind = kind, .waits = waits, .stream = stream, .address = address, .size = size});
  });
}

Error Runtime::run(const CopyOp& copy, gpu::StreamId stream) {
  const auto wait = [&] {
    streams->tell({.kind = gpu::HostKind::kSyncStream, .waits = true, .stream = stream});
    watch->forget(stream);
  };
  if (copy.waits_before) wait();
  tell_runs(gpu::HostKind::kRead, copy.from, copy.box, stream, false);
  tell_runs(gpu::HostKind::kWrite, copy.to, copy.box, stream, false);
  for (std::size_t z = 0; z < copy.box.depth; ++z) {
    for (std::size_t y = 0; y < copy.box.height; ++y) {
      std::memmove(reinterpret_cast<void*>(copy.to.address + z * copy.to.slice + y * copy.to.pitch),
                   reinterpret_cast<const void*>(copy.from.address + z * copy.from.slice +
                                                 y * copy.from.pitch),
                   copy.box.width);
    }
  }
  if (copy.waits) wait();
  return Error::kSuccess;
}

Error Runtime::run(const FillOp& fill, gpu::StreamId stream) {
  tell_runs(gpu::HostKind::kWrite, fill.to, fill.box, stream, false);
  for_each_run(fill.to, fill.box, [&](std::uint64_t address, std::uint64_t size) {
    auto* to = reinterpret_cast<unsigned char*>(address);
    if (fill.element == 1) {
      std::memset(to, static_cast<int>(fill.value), size);
      return;
    }
    for (std::uint64_t at = 0; at + fill.element <= size; at += fill.element) {
      std::memcpy(to + at, &fill.value, fill.element);
    }
  });
  return Error::kSuccess;
}

// The function may do anything but call the API, which would wait for it: so others may go on.
Error Runtime::run(const HostOp& host, gpu::StreamId stream) {
  // It runs when the stream is there, on a thread of CUDA's: what it does comes after that, and what
  // follows in the stream after it.
  const cuda_report::AsCallbackThread there;
  streams->tell({.kind = gpu::HostKind::kSyncStream, .waits = true, .stream = stream});
  // It may tell any thread that the stream came this far, or start one, in ways that nothing here
  // sees.
  watch->forget(stream);
  watch->close();
  mutex.unlock();
  if (host.callback != nullptr) {
    host.callback(host.handle, sticky, host.data);
  } else {
    host.function(host.data);
  }
  mutex.lock();
  watch->open();
  streams->tell(
      {.kind = gpu::HostKind::kRecordEvent, .stream = stream, .event = streams->internal_event()});
  return Error::kSuccess;
}

Error Runtime::run(const RecordOp& record, gpu::StreamId stream) {
  streams->tell({.kind = gpu::HostKind::kRecordEvent, .stream = stream, .event = record.event->id});
  record.event->recorded = true;
  record.event->when = std::chrono::steady_clock::now();
  return Error::kSuccess;
}

Error Runtime::run(const WaitOp& wait, gpu::StreamId stream) {
  if (!wait.event->recorded) return Error::kSuccess;  // nothing to wait for
  streams->tell({.kind = gpu::HostKind::kStreamWait, .stream = stream, .event = wait.event->id});
  return Error::kSuccess;
}

Error Runtime::run(const ChildOp& child, gpu::StreamId stream) {
  GraphExec nested;
  return run_nodes(*child.graph, stream, nested);
}

Error Runtime::launch(GraphExec& exec, Stream& stream) {
  if (stream.capture != nullptr) return submit(stream, ChildOp{exec.graph.get()});
  streams->begin_work(stream);
  const Error done = run_nodes(*exec.graph, stream.id, exec);
  reporter->collect();
  return done;
}

// Every node gets a stream: that of the first node it follows which has not passed it on yet, else
// one of its own. Events join it to the others that it follows, and the end to the caller's stream.
Error Runtime::run_nodes(const Graph& graph, gpu::StreamId stream, GraphExec& exec) {
  const std::vector<GraphNode*> order = in_order(graph);
  if (raw(exec.begins) == 0) exec.begins = streams->internal_event();
  while (exec.marks.size() < order.size()) exec.marks.push_back(streams->internal_event());
  std::unordered_map<const GraphNode*, std::size_t> place;
  std::vector<gpu::StreamId> of(order.size());
  std::vector<bool> passed(order.size(), false);
  std::size_t branches = 0;
  const auto wait = [&](gpu::StreamId waiting, gpu::HostEventId event) {
    streams->tell({.kind = gpu::HostKind::kStreamWait, .stream = waiting, .event = event});
  };
  const auto record = [&](gpu::StreamId in, gpu::HostEventId event) {
    streams->tell({.kind = gpu::HostKind::kRecordEvent, .stream = in, .event = event});
  };
  record(stream, exec.begins);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const GraphNode& node = *order[i];
    place.emplace(&node, i);
    bool inherits = false;
    for (const GraphNode* before : node.after) {
      const std::size_t at = place.at(before);
      if (!inherits && !passed[at]) {
        of[i] = of[at];
        passed[at] = true;
        inherits = true;
      }
    }
    if (!inherits) {
      if (branches == exec.branches.size()) exec.branches.push_back(streams->internal_stream());
      of[i] = exec.branches[branches++];
    }
    if (node.after.empty()) wait(of[i], exec.begins);
    for (const GraphNode* before : node.after) wait(of[i], exec.marks[place.at(before)]);
    if (node.enabled) {
      if (const Error fault = execute(node.operation, of[i]); fault != Error::kSuccess) {
        return fault;
      }
    }
    record(of[i], exec.marks[i]);
  }
  for (std::size_t i = 0; i < order.size(); ++i) wait(stream, exec.marks[i]);
  return Error::kSuccess;
}

}  // namespace redflag::cudart
