// How a texture or surface instruction goes, and what its handlers share.
#pragma once

#include <optional>

#include "frontends/cuda/emulate/code.h"
#include "frontends/cuda/emulate/program.h"
#include "frontends/cuda/emulate/texture.h"
#include "frontends/cuda/emulate/worker.h"

namespace redflag::cuda {

struct TextureOp {
  ptx::Op op = ptx::Op::kUnknown;
  ImageShape shape = ImageShape::k1d;
  ptx::Type type = ptx::Type::kNone;  // of the values
  bool whole = false;                 // coordinates are integers
  bool formatted = false;             // sust.p, sured.p: in the image's format, x in elements
  Boundary boundary = Boundary::kTrap;
  ptx::Operation operation = ptx::Operation::kNone;
  ptx::Mod query = ptx::Mod::kBeforeWords;
  unsigned gathers = 0;  // tld4: the channel
  Ref object = kNoRef;   // 64 bits
  Ref layer = kNoRef;
  Ref coordinates[3] = {kNoRef, kNoRef, kNoRef};
  Ref data[4] = {kNoRef, kNoRef, kNoRef, kNoRef};  // results, or what is stored
  std::uint8_t vector = 1;                         // of `data`
  std::uint8_t register_bits = 32;                 // of `data`
  Ref resident = kNoRef;                           // a predicate, always true
};

// The object of a lane; nullptr: there is none, and the launch has ended with a fault.
const Texture* object_of(Run& run, const MicroOp& op, const TextureOp& how, unsigned lane);

// Calls body(object, lanes) for the active lanes of each object; ends when it returns false: a fault.
template <typename Body>
void for_each_object(Run& run, const MicroOp& op, const TextureOp& how, Body body) {
  const std::uint64_t* const handles = run.at<std::uint64_t>(how.object);
  for (Lanes rest = run.active; rest != 0;) {
    const unsigned lane = first(rest);
    const Texture* const object = object_of(run, op, how, lane);
    if (object == nullptr) return;
    Lanes same = 0;
    for_each_lane(rest, [&](unsigned other) {
      if (handles[other] == handles[lane]) same |= Lanes{1} << other;
    });
    rest &= ~same;
    if (!body(*object, same)) return;
  }
}

// texture_fetch.cpp and surface.cpp
void do_texture(Run& run, const MicroOp& op);        // tex, tld4
void do_texture_query(Run& run, const MicroOp& op);  // txq, suq
void do_surface_load(Run& run, const MicroOp& op);
void do_surface_store(Run& run, const MicroOp& op);
void do_surface_reduction(Run& run, const MicroOp& op);

}  // namespace redflag::cuda
