#include "frontends/cuda/inject/packed.h"

#include <algorithm>

#include "core/base/packing.h"
#include "frontends/cuda/inject/packed_proof.h"

namespace redflag::inject {
namespace {

template <typename Io>
void visit(Io& io, Code& module) {
  io.list(module.variables, [&](std::string& name) { io.text(name); });
  io.text(module.note);
  io.text(module.ptx);
  io.list(module.sites, [&](rewrite::Site& site) {
    io.text(site.text);
    io.list(site.frames, [&](Frame& frame) {
      io.text(frame.function);
      io.text(frame.file);
      io.number(frame.line);
      io.number(frame.column);
    });
  });
  io.list(module.kernels, [&](rewrite::Kernel& kernel) {
    io.text(kernel.name);
    io.flag(kernel.checked);
    io.text(kernel.why);
    io.flag(kernel.sync.known);
    io.number(kernel.sync.bits);
    for (std::uint32_t* size : {&kernel.cluster.x, &kernel.cluster.y, &kernel.cluster.z}) {
      io.number(*size);
    }
    io.flag(kernel.grid_of_clusters);
    io.number(kernel.parameters);
    io.number(kernel.launch_offset);
    io.list(kernel.places, [&](rewrite::Place& place) {
      io.number(place.offset);
      io.number(place.bytes);
    });
    io.flag(kernel.has_plain);
    io.flag(kernel.reads_textures);
    inject::visit(io, kernel.proof);
    io.flags(kernel.lean);
    io.flag(kernel.is_lean_within_block);
    io.flag(kernel.is_lean_shared);
    io.flag(kernel.is_lean_flat);
    io.flag(kernel.is_lean_direct);
  });
  rewrite::Counts& counts = module.counts;
  for (std::uint64_t* count : {&counts.accesses, &counts.hooks, &counts.pruned_private,
                               &counts.pruned_constant, &counts.pruned_repeated}) {
    io.number(*count);
  }
}

// What a launch relies on without looking again.
bool can_be_launched(const rewrite::Kernel& kernel) {
  constexpr std::uint32_t kMostParameterBytes = 1U << 16;
  const bool are_inside =
      std::all_of(kernel.places.begin(), kernel.places.end(), [&](const rewrite::Place& place) {
        return std::uint64_t{place.offset} + place.bytes <= kernel.launch_offset;
      });
  return kernel.launch_offset <= kMostParameterBytes && are_inside &&
         kernel.places.size() == kernel.parameters &&
         (kernel.lean.empty() || kernel.lean.size() == kernel.proof.accesses.size()) &&
         is_sound(kernel.proof);
}

}  // namespace

std::string pack(const Code& module) {
  Packer packer;
  Code copy = module;
  visit(packer, copy);
  return std::move(packer.out);
}

std::optional<Code> unpack(std::string_view bytes) {
  Unpacker unpacker{.in = bytes};
  Code module;
  visit(unpacker, module);
  if (!unpacker.is_done()) return std::nullopt;
  if (!std::all_of(module.kernels.begin(), module.kernels.end(),
                   [](const rewrite::Kernel& each) { return can_be_launched(each); })) {
    return std::nullopt;
  }
  return module;
}

}  // namespace redflag::inject
