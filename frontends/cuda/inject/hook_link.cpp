// The driver's linker: what goes in is kept, and what came out is remembered (links.h).
//
// Nothing that the program gives or gets is changed here. Rewriting is done when the machine code is
// loaded: programs link more than they use.
#include <string>

#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/files.h"
#include "frontends/cuda/inject/hooks.h"

namespace redflag::inject {
namespace {

void added(CUlinkState state, Input input) {
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.links().add(state, std::move(input));
}

}  // namespace

CUresult link_create(const Call& call, unsigned count, CUjit_option* options, void** values,
                     CUlinkState* made) {
  const CUresult done = pass(call, count, options, values, made);
  if (done != kSuccess || made == nullptr) return done;
  std::string why;
  for (unsigned i = 0; i < count; ++i) {
    // Addresses of this process instead of variables: the program knows which, we do not.
    if (options[i] == kJitSymbolNames) why = "it was linked with addresses of host symbols";
  }
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.links().create(*made, std::move(why));
  return done;
}

CUresult link_add_data(const Call& call, CUlinkState state, int kind, void* data, std::size_t bytes,
                       const char* name, unsigned count, CUjit_option* options, void** values) {
  const CUresult done = pass(call, state, kind, data, bytes, name, count, options, values);
  if (done != kSuccess || data == nullptr) return done;
  added(state, {kind, std::string(static_cast<const char*>(data), bytes),
                name == nullptr ? "a linked module" : name});
  return done;
}

CUresult link_add_file(const Call& call, CUlinkState state, int kind, const char* path,
                       unsigned count, CUjit_option* options, void** values) {
  const CUresult done = pass(call, state, kind, path, count, options, values);
  if (done != kSuccess) return done;
  if (std::optional<std::string> file = read_file(path)) {
    added(state, {kind, std::move(*file), path});
  }
  return done;
}

CUresult link_complete(const Call& call, CUlinkState state, void** code, std::size_t* bytes) {
  const CUresult done = pass(call, state, code, bytes);
  if (done != kSuccess || code == nullptr) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.links().complete(state, *code);
  return done;
}

CUresult link_destroy(const Call& call, CUlinkState state) {
  {
    Checker& checker = Checker::get();
    const Lock lock = checker.lock();
    checker.links().destroy(state);
  }
  return pass(call, state);
}

}  // namespace redflag::inject
