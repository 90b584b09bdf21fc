#include "frontends/cuda/inject/packed.h"

#include <cstring>
#include <type_traits>

namespace redflag::inject {
namespace {

// One description of the layout for both directions.
struct Writer {
  std::string out;
  template <typename T>
  void number(T& value) {
    static_assert(std::is_integral_v<T>);
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void text(std::string& value) {
    auto size = static_cast<std::uint64_t>(value.size());
    number(size);
    out += value;
  }
  template <typename T, typename Body>
  void list(std::vector<T>& values, Body body) {
    auto size = static_cast<std::uint64_t>(values.size());
    number(size);
    for (T& value : values) body(value);
  }
};

struct Reader {
  std::string_view in;
  bool bad = false;
  template <typename T>
  void number(T& value) {
    static_assert(std::is_integral_v<T>);
    if (in.size() < sizeof(value)) {
      bad = true;
      return;
    }
    std::memcpy(&value, in.data(), sizeof(value));
    in.remove_prefix(sizeof(value));
  }
  void text(std::string& value) {
    std::uint64_t size = 0;
    number(size);
    if (size > in.size()) {
      bad = true;
      return;
    }
    value = in.substr(0, size);
    in.remove_prefix(size);
  }
  template <typename T, typename Body>
  void list(std::vector<T>& values, Body body) {
    std::uint64_t size = 0;
    number(size);
    for (std::uint64_t i = 0; i < size && !bad; ++i) body(values.emplace_back());
  }
};

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
    io.number(kernel.checked);
    io.text(kernel.why);
    io.number(kernel.sync.known);
    io.number(kernel.sync.bits);
    io.number(kernel.parameters);
    io.number(kernel.launch_offset);
  });
  rewrite::Counts& counts = module.counts;
  for (std::uint64_t* count : {&counts.accesses, &counts.hooks, &counts.pruned_private,
                               &counts.pruned_constant, &counts.pruned_repeated}) {
    io.number(*count);
  }
}

}  // namespace

std::string pack(const Code& module) {
  Writer writer;
  Code copy = module;
  visit(writer, copy);
  return std::move(writer.out);
}

std::optional<Code> unpack(std::string_view bytes) {
  Reader reader{.in = bytes};
  Code module;
  visit(reader, module);
  if (reader.bad || !reader.in.empty()) return std::nullopt;
  return module;
}

}  // namespace redflag::inject
