#include "frontends/cuda/inject/maker.h"

#include <charconv>
#include <optional>
#include <utility>

#include "frontends/cuda/ptx/parser.h"

namespace redflag::inject {

std::uint32_t target_of(const ptx::Module& module) {
  std::uint32_t sm = 0;
  for (const std::string_view target : module.targets) {
    if (!target.starts_with("sm_")) continue;
    std::from_chars(target.data() + 3, target.data() + target.size(), sm);
  }
  return sm;
}

void add_variables(const ptx::Module& module, Code& code) {
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::kGlobal && variable.linkage != ptx::Linkage::kExtern) {
      code.variables.emplace_back(variable.name);
    }
  }
}

Maker::Maker(Cache cache, std::string version, Rewrite rewrite)
    : cache_(std::move(cache)), version_(std::move(version)), rewrite_(std::move(rewrite)) {}

Result<std::shared_ptr<const Code>> Maker::rewritten(const std::string& key, std::string ptx,
                                                     std::string_view name) const {
  if (const std::optional<std::string> kept = cache_.get(key)) {
    if (std::optional<Code> code = unpack(*kept)) {
      return std::make_shared<const Code>(std::move(*code));
    }
  }
  Result<ptx::Module> module = ptx::parse(std::string(name), std::move(ptx));
  if (!module) return Failure(module.error());
  Code code;
  add_variables(*module, code);
  Result<rewrite::Rewritten> made = rewrite_(*module, {});
  if (!made) return Failure(made.error());
  static_cast<rewrite::Rewritten&>(code) = std::move(*made);
  cache_.put(key, pack(code));
  return std::make_shared<const Code>(std::move(code));
}

Result<Made> Maker::make(std::string ptx, const Target& target, const Compile& compile) const {
  const std::string key = cache_key({version_, ptx});
  Result<std::shared_ptr<const Code>> code = rewritten(key, std::move(ptx), target.name);
  if (!code) return Failure(code.error());
  const std::string beside = key + "-" + target.gpu;
  if (std::optional<std::string> kept = cache_.get(beside)) {
    return Made{std::move(*code), std::move(*kept)};
  }
  Result<std::string> image = compile((*code)->ptx);
  if (!image) return Failure(image.error());
  if (image->empty()) return Made{*code, (*code)->ptx};
  cache_.put(beside, *image);
  return Made{std::move(*code), std::move(*image)};
}

}  // namespace redflag::inject
