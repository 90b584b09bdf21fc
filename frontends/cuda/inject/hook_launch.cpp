// Launches: the kernel gets its launch's number, and the runtime hears of it first. A launch that cannot race, for
// all that is known, is of the kernel as the program has it.
//
// In a stream that is being captured nothing runs yet: the launch becomes part of the graph (graphs.h).
#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/hooks.h"
#include "frontends/cuda/inject/parameters.h"

namespace redflag::inject {
namespace {

// The node that the capture has made of the launch, with what it takes to give it another number.
void keep(Checker& checker, std::uint64_t capture, CUstream stream, const Kernel& kernel,
          CUfunction function, const Ticket& ticket, const Shape& shape, const Arguments& given) {
  Graphs::Operation operation{captured_node(stream), ticket.launch};
  const gpu::Dim& grid = shape.grid;
  const gpu::Dim& block = shape.block;
  const CUDA_KERNEL_NODE_PARAMS node{
      function, grid.x,  grid.y,  grid.z,
      block.x,  block.y, block.z, static_cast<unsigned>(ticket.shared),
      nullptr,  nullptr, nullptr, nullptr};
  auto kept = std::make_shared<NodeParams>(node, kernel, given.params, given.extra);
  kept->dynamic_shared = shape.dynamic_shared;
  kept->has_more_shared = ticket.shared != shape.dynamic_shared;
  operation.params = std::move(kept);
  checker.graphs().captured(capture, std::move(operation));
}

// What is handed to the driver.
struct Handed {
  CUfunction function;
  void** params;
  void** extra;
  unsigned shared;  // dynamic
};

// Launches what the ticket says, and whatever there is to try where the driver refuses that.
template <typename Go>
CUresult launch(Ticket& ticket, const Kernel& kernel, CUfunction function, const Shape& shape,
                const Arguments& given, Go go) {
  const rewrite::Kernel& code = *kernel.code;
  while (true) {
    Parameters longer(code.parameters, code.launch_offset, ticket.value, given.params, given.extra);
    const auto shared = static_cast<unsigned>(ticket.shared);
    const CUresult done = ticket.is_plain()
                              ? go(Handed{ticket.handle, given.params, given.extra, shared})
                              : go(Handed{ticket.handle, longer.params(), longer.extra(), shared});
    if (done == kSuccess) return done;
    Checker& checker = Checker::get();
    const Lock lock = checker.lock();
    if (!checker.try_more(ticket, kernel, function, shape)) return done;
  }
}

template <typename Go>
CUresult launch(const Call& call, CUfunction function, const Shape& shape, CUstream stream,
                const Arguments& given, Go go) {
  Checker& checker = Checker::get();
  CUstream const handle = meant(stream, call.per_thread());
  Kernel kernel;
  Ticket ticket;
  std::uint64_t capture = 0;
  {
    const Lock lock = checker.lock();
    kernel = checker.kernel(function);
    StreamOrder::Stream& in = checker.stream(stream, call.per_thread());
    capture = capture_of(handle);
    if (!checker.is_ready(kernel)) {
      if (capture == 0) checker.streams().begin_work(in);
    } else {
      ticket = capture == 0 ? checker.admit(kernel, function, shape, given, in)
                            : checker.describe(kernel, function, shape);
    }
  }
  if (!kernel.checked()) {
    return go(
        Handed{function, given.params, given.extra, static_cast<unsigned>(shape.dynamic_shared)});
  }
  const CUresult done = launch(ticket, kernel, function, shape, given, go);
  const Lock lock = checker.lock();
  if (capture != 0) {
    if (done == kSuccess) keep(checker, capture, handle, kernel, function, ticket, shape, given);
  } else if (done == kSuccess) {
    if (ticket.is_unfit) checker.not_fit(kernel);
    checker.launched(ticket.launch.id, checker.stream(stream, call.per_thread()), handle, true);
  } else {
    checker.ended({ticket.launch.id});
  }
  return done;
}

}  // namespace

CUresult launch_kernel(const Call& call, CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                       unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream stream,
                       void** params, void** extra) {
  const Shape shape{
      .grid = {gx, gy, gz}, .block = {bx, by, bz}, .cluster = {}, .dynamic_shared = shared};
  return launch(call, function, shape, stream, {params, extra}, [&](const Handed& with) {
    return pass(call, with.function, gx, gy, gz, bx, by, bz, with.shared, stream, with.params,
                with.extra);
  });
}

CUresult launch_cooperative(const Call& call, CUfunction function, unsigned gx, unsigned gy,
                            unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                            CUstream stream, void** params) {
  const Shape shape{.grid = {gx, gy, gz},
                    .block = {bx, by, bz},
                    .cluster = {},
                    .dynamic_shared = shared,
                    .cooperative = true};
  return launch(call, function, shape, stream, {params, nullptr}, [&](const Handed& with) {
    return pass(call, with.function, gx, gy, gz, bx, by, bz, with.shared, stream, with.params);
  });
}

CUresult launch_kernel_ex(const Call& call, const CUlaunchConfig* config, CUfunction function,
                          void** params, void** extra) {
  if (config == nullptr) return pass(call, config, function, params, extra);
  Shape shape{.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
              .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
              .cluster = {},
              .dynamic_shared = config->sharedMemBytes};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == kLaunchCooperative) shape.cooperative = attribute.value.cooperative != 0;
    if (attribute.id == kLaunchCluster) {
      const unsigned* size = attribute.value.cluster;
      shape.cluster = {size[0], size[1], size[2]};
    }
  }
  return launch(call, function, shape, config->hStream, {params, extra}, [&](const Handed& with) {
    CUlaunchConfig own = *config;
    own.sharedMemBytes = with.shared;
    const CUlaunchConfig* const given = &own;
    return pass(call, given, with.function, with.params, with.extra);
  });
}

}  // namespace redflag::inject
