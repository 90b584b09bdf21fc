// Launches of graphs, as the checker tells them: numbers for their kernels, branches as streams.
#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/real.h"

namespace redflag::inject {

using gpu::HostKind;

// All kernels of a child graph get theirs, and then the child's node all of them at once.
CUresult Checker::number(std::span<Graphs::Operation> of_one_child, CUgraphExec exec) {
  const auto here = contexts_.find(current_context());
  if (here == contexts_.end()) return kSuccess;
  const device::Runtime& runtime = *here->second->runtime;
  const Child* const child = of_one_child.front().child.get();
  std::vector<gpu::Launch*> launches;
  std::vector<gpu::Launch> again;
  for (Graphs::Operation& operation : of_one_child) {
    auto* const launch = std::get_if<gpu::Launch>(&operation.what);
    if (launch == nullptr || !std::exchange(operation.launched, true)) continue;
    const NodeParams* const params = operation.params.get();
    if (params == nullptr) return kErrorNotFound;
    launches.push_back(launch);
    again.push_back(*launch);
    again.back().id = gpu::LaunchId{launches_ + static_cast<std::uint32_t>(again.size())};
    std::uint64_t value = runtime.parameter(again.back(), params->dynamic_shared);
    if (!params->has_more_shared) value = runtime.without_more_shared(value);
    const CUresult done = child != nullptr ? params->set(operation.node, value)
                                           : params->set(exec, operation.node, value);
    if (done != kSuccess) return done;
  }
  if (again.empty()) return kSuccess;
  if (child != nullptr) {
    const CUresult done =
        real(Fn::k_cuGraphExecChildGraphNodeSetParams, exec, child->node, child->graph);
    if (done != kSuccess) return done;
  }
  launches_ += static_cast<std::uint32_t>(again.size());
  for (std::size_t i = 0; i < again.size(); ++i) {
    launched_[again[i].id] = launched_[launches[i]->id];
    *launches[i] = again[i];
  }
  return kSuccess;
}

void Checker::number(Graphs::Operations& operations, CUgraphExec exec) {
  for (std::size_t from = 0; from < operations.size();) {
    std::size_t to = from + 1;
    const Child* const child = operations[from].child.get();
    while (child != nullptr && to < operations.size() && operations[to].child.get() == child) ++to;
    const std::span<Graphs::Operation> group(operations.data() + from, to - from);
    from = to;
    const CUresult done = number(group, exec);
    if (done == kSuccess) continue;
    std::set<std::string> names;
    std::vector<gpu::LaunchId> old;
    for (const Graphs::Operation& operation : group) {
      const auto* const launch = std::get_if<gpu::Launch>(&operation.what);
      if (launch == nullptr) continue;
      names.insert(launch->kernel);
      old.push_back(launch->id);
    }
    for (const std::string& name : names) {
      outlet_.note("kernel " + name + " of a graph keeps the number of an earlier launch (" +
                   error_name(done) + "): accesses of the two count as those of one launch");
    }
    ended(old);
  }
}

std::vector<gpu::LaunchId> Checker::graph_begins(CUgraphExec handle, StreamOrder::Stream& stream) {
  Graphs::Exec& exec = graphs_.of(handle);
  number(exec.operations, handle);
  streams_.begin_work(stream);
  const Plan& plan = exec.plan;
  while (exec.branches.size() + 1 < plan.branches) {
    exec.branches.push_back(streams_.internal_stream());
  }
  // One for each step, and one for the beginning.
  while (exec.marks.size() <= plan.steps.size()) exec.marks.push_back(streams_.internal_event());
  const gpu::HostEventId begins = exec.marks[plan.steps.size()];
  const auto in = [&](std::size_t branch) {
    return branch == 0 ? stream.id : exec.branches[branch - 1];
  };
  std::vector<gpu::LaunchId> launches;
  if (plan.branches > 1) {
    tell({.kind = HostKind::kRecordEvent, .stream = stream.id, .event = begins});
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Plan::Step& step = plan.steps[i];
    const gpu::StreamId branch = in(step.branch);
    if (step.starts) tell({.kind = HostKind::kStreamWait, .stream = branch, .event = begins});
    for (const std::size_t before : step.waits) {
      tell({.kind = HostKind::kStreamWait, .stream = branch, .event = exec.marks[before]});
    }
    for (const std::size_t number : step.operations) {
      Graphs::Operation& operation = exec.operations[number];
      if (!operation.enabled) continue;
      if (auto* const launch = std::get_if<gpu::Launch>(&operation.what)) {
        const NodeParams* const params = operation.params.get();
        (void)launch_begins(*launch, params == nullptr ? 0 : params->dynamic_shared, branch);
        versions_.add(rewrite::Version::kFull);
        launches.push_back(launch->id);
      } else {
        gpu::HostStep told = std::get<gpu::HostStep>(operation.what);
        told.stream = branch;
        tell(told);
      }
    }
    if (step.marked) {
      tell({.kind = HostKind::kRecordEvent, .stream = branch, .event = exec.marks[i]});
    }
  }
  for (const std::size_t end : plan.ends) {
    tell({.kind = HostKind::kStreamWait, .stream = stream.id, .event = exec.marks[end]});
  }
  return launches;
}

}  // namespace redflag::inject
