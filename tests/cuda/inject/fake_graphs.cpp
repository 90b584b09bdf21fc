// Captures, events and graphs of the fake driver. Nodes run one after the other, as they were added.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "tests/cuda/inject/fake_driver.h"

namespace redflag::fake {

Node* Graph::add(Work work, std::vector<Node*> after) {
  nodes.push_back(std::make_unique<Node>(Node{std::move(work), std::move(after), nullptr}));
  return nodes.back().get();
}

Node* Graph::find(const Node* original) const {
  const auto at = std::find_if(nodes.begin(), nodes.end(),
                               [&](const auto& node) { return node->original == original; });
  return at == nodes.end() ? nullptr : at->get();
}

std::shared_ptr<Graph> Graph::copy() const {
  auto made = std::make_shared<Graph>();
  for (const std::unique_ptr<Node>& node : nodes) {
    std::vector<Node*> after;
    for (const Node* each : node->after) after.push_back(made->find(each));
    Node* const copied = made->add(node->work, std::move(after));
    copied->original = node.get();
    if (auto* const child = std::get_if<std::shared_ptr<Graph>>(&copied->work)) {
      *child = (*child)->copy();
    }
  }
  return made;
}

namespace {

using Guard = std::lock_guard<std::recursive_mutex>;

Driver& driver() {
  return Driver::get();
}

// Handles are kept for ever; what a program has destroyed is told by a graph that is empty.
std::map<void*, std::shared_ptr<Graph>>& graphs() {
  static auto* const all = new std::map<void*, std::shared_ptr<Graph>>;
  return *all;
}
template <typename Handle>
Handle handle_of(std::shared_ptr<Graph> graph) {
  auto* const handle = reinterpret_cast<Handle>(graph.get());
  graphs()[handle] = std::move(graph);
  return handle;
}
Graph& graph_of(void* handle) {
  return *graphs().at(handle);
}
Node* node_of(CUgraphNode handle) {
  return reinterpret_cast<Node*>(handle);
}

CUresult describe(const CUDA_KERNEL_NODE_PARAMS& p, Launch& made) {
  return Driver::get().describe(p.func,
                                config(p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY,
                                       p.blockDimZ, p.sharedMemBytes),
                                p.kernelParams, p.extra, made);
}

CUresult add(CUgraphNode* made, CUgraph graph, const CUgraphNode* after, std::size_t count,
             Work work) {
  std::vector<Node*> nodes;
  for (std::size_t i = 0; i < count; ++i) nodes.push_back(node_of(after[i]));
  *made = reinterpret_cast<CUgraphNode>(graph_of(graph).add(std::move(work), std::move(nodes)));
  return kSuccess;
}

Stream* capturing(CUstream handle) {
  if (!driver().streams.contains(handle)) return nullptr;
  auto* const stream = reinterpret_cast<Stream*>(handle);
  return stream->capture == 0 ? nullptr : stream;
}

}  // namespace

#define API extern "C" __attribute__((visibility("default"))) CUresult

API cuThreadExchangeStreamCaptureMode(int* mode) {
  static thread_local int own = 0;
  std::swap(own, *mode);
  return kSuccess;
}
API cuStreamGetCaptureInfo(CUstream handle, int* status, std::uint64_t* id) {
  const Guard guard(driver().mutex);
  const Stream* const stream = capturing(handle);
  *status = stream == nullptr ? kCaptureNone : 1;
  if (stream != nullptr) *id = stream->capture;
  return kSuccess;
}
API cuStreamGetCaptureInfo_v2(CUstream handle, int* status, std::uint64_t* id, CUgraph* graph,
                              const CUgraphNode** last, std::size_t* count) {
  const Guard guard(driver().mutex);
  const CUresult done = cuStreamGetCaptureInfo(handle, status, id);
  Stream* const stream = capturing(handle);
  if (stream == nullptr) return done;
  *graph = reinterpret_cast<CUgraph>(stream->graph.get());
  *last = reinterpret_cast<const CUgraphNode*>(stream->last.data());
  *count = stream->last.size();
  return done;
}
API cuStreamBeginCapture_v2(CUstream handle, int) {
  const Guard guard(driver().mutex);
  auto* const stream = reinterpret_cast<Stream*>(handle);
  stream->capture = ++driver().captures;
  stream->graph = std::make_shared<Graph>();
  stream->last.clear();
  return kSuccess;
}
API cuStreamEndCapture(CUstream handle, CUgraph* made) {
  const Guard guard(driver().mutex);
  const std::uint64_t capture = reinterpret_cast<Stream*>(handle)->capture;
  *made = handle_of<CUgraph>(reinterpret_cast<Stream*>(handle)->graph);
  bool is_broken = false;
  for (void* each : driver().streams) {
    auto* const stream = static_cast<Stream*>(each);
    if (stream->capture != capture) continue;
    is_broken = is_broken || std::exchange(stream->is_broken, false);
    stream->capture = 0;
  }
  if (is_broken) *made = nullptr;
  return is_broken ? kErrorCaptureBroken : kSuccess;
}
API cuEventCreate(CUevent* made, unsigned) {
  *made = reinterpret_cast<CUevent>(new Event);
  return kSuccess;
}
API cuEventRecord(CUevent handle, CUstream stream) {
  const Guard guard(driver().mutex);
  const Stream* const from = capturing(stream);
  *reinterpret_cast<Event*>(handle) =
      from == nullptr ? Event() : Event{from->capture, from->last, from->graph};
  return kSuccess;
}
API cuStreamWaitEvent(CUstream handle, CUevent event, unsigned) {
  const Guard guard(driver().mutex);
  const Event& from = *reinterpret_cast<Event*>(event);
  if (from.capture == 0) return kSuccess;
  auto* const stream = reinterpret_cast<Stream*>(handle);
  if (stream->capture == 0) stream->last.clear();
  stream->capture = from.capture;
  stream->graph = from.graph;
  stream->last.insert(stream->last.end(), from.last.begin(), from.last.end());
  return kSuccess;
}
API cuEventQuery(CUevent) {
  return std::getenv("FAKE_DRIVER_STUCK") != nullptr ? kErrorNotReady : kSuccess;
}
API cuEventSynchronize(CUevent) {
  return kSuccess;
}
API cuEventDestroy_v2(CUevent event) {
  delete reinterpret_cast<Event*>(event);
  return kSuccess;
}

API cuGraphCreate(CUgraph* made, unsigned) {
  const Guard guard(driver().mutex);
  *made = handle_of<CUgraph>(std::make_shared<Graph>());
  return kSuccess;
}
API cuGraphAddKernelNode_v2(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                            std::size_t count, const CUDA_KERNEL_NODE_PARAMS* p) {
  const Guard guard(driver().mutex);
  Launch launch;
  const CUresult done = describe(*p, launch);
  return done == kSuccess ? add(made, graph, after, count, std::move(launch)) : done;
}
API cuGraphAddMemcpyNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                         std::size_t count, const CUDA_MEMCPY3D* p, CUcontext) {
  const Guard guard(driver().mutex);
  return add(made, graph, after, count, Copy{p->dstDevice, p->srcDevice, p->WidthInBytes});
}
API cuGraphAddMemsetNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                         std::size_t count, const CUDA_MEMSET_NODE_PARAMS* p, CUcontext) {
  const Guard guard(driver().mutex);
  return add(made, graph, after, count, Fill{p->dst, p->value, p->width});
}
API cuGraphAddChildGraphNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                             std::size_t count, CUgraph child) {
  const Guard guard(driver().mutex);
  return add(made, graph, after, count, graph_of(child).copy());
}
API cuGraphClone(CUgraph* made, CUgraph graph) {
  const Guard guard(driver().mutex);
  *made = handle_of<CUgraph>(graph_of(graph).copy());
  return kSuccess;
}
API cuGraphNodeFindInClone(CUgraphNode* made, CUgraphNode node, CUgraph clone) {
  const Guard guard(driver().mutex);
  *made = reinterpret_cast<CUgraphNode>(graph_of(clone).find(node_of(node)));
  return *made == nullptr ? kErrorInvalidValue : kSuccess;
}
API cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, std::size_t* count) {
  const Guard guard(driver().mutex);
  std::size_t found = 0;
  for (const std::unique_ptr<Node>& node : graph_of(graph).nodes) {
    for (Node* each : node->after) {
      if (from != nullptr && found < *count) {
        from[found] = reinterpret_cast<CUgraphNode>(each);
        to[found] = reinterpret_cast<CUgraphNode>(node.get());
      }
      ++found;
    }
  }
  *count = found;
  return kSuccess;
}
API cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* p) {
  const Guard guard(driver().mutex);
  return describe(*p, std::get<Launch>(node_of(node)->work));
}
API cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_KERNEL_NODE_PARAMS* p) {
  const Guard guard(driver().mutex);
  Node* const found = graph_of(exec).find(node_of(node));
  return found == nullptr ? kErrorInvalidValue : describe(*p, std::get<Launch>(found->work));
}
// As the real one: the graphs must have the same nodes in the same order.
API cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child) {
  const Guard guard(driver().mutex);
  Node* const found = graph_of(exec).find(node_of(node));
  if (found == nullptr) return kErrorInvalidValue;
  auto& inside = std::get<std::shared_ptr<Graph>>(found->work);
  const Graph& by = graph_of(child);
  if (inside->nodes.size() != by.nodes.size()) return kErrorInvalidValue;
  for (std::size_t i = 0; i < by.nodes.size(); ++i) {
    if (inside->nodes[i]->work.index() != by.nodes[i]->work.index()) return kErrorInvalidValue;
  }
  inside = by.copy();
  return kSuccess;
}
API cuGraphInstantiateWithFlags(CUgraphExec* made, CUgraph graph, unsigned long long) {
  const Guard guard(driver().mutex);
  *made = handle_of<CUgraphExec>(graph_of(graph).copy());
  return kSuccess;
}
API cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  const Guard guard(driver().mutex);
  driver().log("graph");
  const std::shared_ptr<Graph>& graph = graphs().at(exec);
  return driver().submit(stream, capturing(stream) == nullptr ? graph : graph->copy());
}
API cuGraphDestroy(CUgraph graph) {
  const Guard guard(driver().mutex);
  graphs().at(graph)->nodes.clear();
  return kSuccess;
}
API cuGraphExecDestroy(CUgraphExec exec) {
  const Guard guard(driver().mutex);
  graphs().at(exec)->nodes.clear();
  return kSuccess;
}

}  // namespace redflag::fake
