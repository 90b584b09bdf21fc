// Links of the program, done again with its PTX rewritten.
//
// Every module gets its part of one sequence of sites, and the runtime as weak functions, so that the
// linker keeps one of each. What cannot be rewritten is linked as it is, if no kernel may call it.
#include <algorithm>
#include <optional>
#include <utility>

#include "frontends/cuda/inject/maker.h"
#include "frontends/cuda/ptx/parser.h"

namespace redflag::inject {
namespace {

// One module of a link: parsed where it is PTX that can be, else as it was given.
struct Part {
  Input input;
  std::optional<ptx::Module> module;
  std::string why;  // it is not rewritten
};

std::vector<Part> parse(const std::vector<Input>& inputs) {
  std::vector<Part> parts;
  for (const Input& input : inputs) {
    Part& part = parts.emplace_back(Part{input, std::nullopt, {}});
    if (input.kind != kJitInputPtx) {
      part.why = "machine code only, no PTX";
      continue;
    }
    Result<ptx::Module> module = ptx::parse(input.name, input.bytes);
    if (module) {
      part.module.emplace(std::move(*module));
    } else {
      part.why = module.error().message;
    }
  }
  return parts;
}

void append(Code& to, rewrite::Rewritten&& from) {
  to.sites.insert(
      to.sites.end(),
      std::make_move_iterator(from.sites.begin() + static_cast<std::ptrdiff_t>(to.sites.size())),
      std::make_move_iterator(from.sites.end()));
  std::move(from.kernels.begin(), from.kernels.end(), std::back_inserter(to.kernels));
  to.counts.accesses += from.counts.accesses;
  to.counts.hooks += from.counts.hooks;
  to.counts.pruned_private += from.counts.pruned_private;
  to.counts.pruned_constant += from.counts.pruned_constant;
  to.counts.pruned_repeated += from.counts.pruned_repeated;
}

}  // namespace

std::optional<Made> Maker::kept(const std::string& key, const Target& target) const {
  std::optional<std::string> image = cache_.get(key + "-" + target.gpu);
  const std::optional<std::string> packed = image ? cache_.get(key) : std::nullopt;
  std::optional<Code> code = packed ? unpack(*packed) : std::nullopt;
  if (!code) return std::nullopt;
  return Made{std::make_shared<const Code>(std::move(*code)), std::move(*image)};
}

std::optional<Made> Maker::linked_earlier(const std::string& code_key, const Target& target) const {
  const std::optional<std::string> key = cache_.get(cache_key({version_, "code", code_key}));
  return key ? kept(*key, target) : std::nullopt;
}

Result<Made> Maker::link(const std::vector<Input>& inputs, const std::string& code_key,
                         const Target& target, const Linker& linker) const {
  std::string key = cache_key({version_, "link"});
  for (const Input& input : inputs) {
    key = cache_key({key, std::to_string(input.kind), input.bytes, input.name});
  }
  const auto remember = [&] {
    if (!code_key.empty()) cache_.put(cache_key({version_, "code", code_key}), key);
  };
  if (std::optional<Made> made = kept(key, target)) {
    remember();
    return std::move(*made);
  }
  std::vector<Part> parts = parse(inputs);
  Piece piece{.linked = true, .sites_before = 0, .sm = 0};
  for (const Part& part : parts) {
    if (part.module) piece.sm = std::max(piece.sm, target_of(*part.module));
  }
  Code code;
  code.sites.emplace_back();
  std::vector<Input> rewritten;
  for (Part& part : parts) {
    if (part.module) {
      piece.sites_before = static_cast<std::uint32_t>(code.sites.size() - 1);
      Result<rewrite::Rewritten> made = rewrite_(*part.module, piece);
      if (made) {
        part.input.bytes = std::move(made->ptx);
        add_variables(*part.module, code);
        append(code, std::move(*made));
      } else {
        part.why = made.error().message;
      }
    }
    if (!part.why.empty()) {
      code.note += (code.note.empty() ? "" : "; ") + part.input.name + ": " + part.why;
    }
    rewritten.push_back(std::move(part.input));
  }
  if (code.kernels.empty()) return fail(code.note.empty() ? "it has no kernels" : code.note);
  // Barriers that are not seen would make races of what they order.
  const bool calls_outside = std::any_of(
      code.kernels.begin(), code.kernels.end(),
      [](const rewrite::Kernel& kernel) { return kernel.checked && !kernel.sync.known; });
  if (!code.note.empty() && calls_outside) {
    return fail("its kernels may call code that cannot be checked: " + code.note);
  }
  Result<std::string> image = linker(rewritten);
  if (!image) return Failure(image.error());
  cache_.put(key, pack(code));
  cache_.put(key + "-" + target.gpu, *image);
  remember();
  return Made{std::make_shared<const Code>(std::move(code)), std::move(*image)};
}

}  // namespace redflag::inject
