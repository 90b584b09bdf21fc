#include "frontends/cuda/inject/versions.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "frontends/cuda/inject/parameters.h"
#include "frontends/cuda/rewrite/versions.h"

namespace redflag::inject {
namespace {

using rewrite::Version;

constexpr std::size_t kAnswersKept = 4;
constexpr Version kLess[] = {Version::kLean, Version::kPlain};  // than the full one

bool has(const rewrite::Kernel& kernel, Version version) {
  if (!kernel.proof.is_possible) return false;
  return version == Version::kPlain || (version == Version::kLean && !kernel.lean.empty());
}

}  // namespace

std::optional<std::vector<std::byte>> block_of(const rewrite::Kernel& kernel,
                                               const Arguments& given) {
  if (kernel.places.empty()) return std::vector<std::byte>();
  if (given.extra != nullptr) {
    const Block block = block_in(given.extra);
    const rewrite::Place& last = kernel.places.back();
    if (block.at == nullptr || block.bytes < std::size_t{last.offset} + last.bytes) return {};
    std::vector<std::byte> copy(kernel.launch_offset);
    std::memcpy(copy.data(), block.at, std::min(block.bytes, copy.size()));
    return copy;
  }
  if (given.params == nullptr) return {};
  std::vector<std::byte> made =
      rewrite::parameter_block(kernel, std::span(given.params, kernel.places.size()));
  if (made.empty()) return {};
  return made;
}

bool is_version(const std::vector<rewrite::Kernel>& kernels, std::string_view name) {
  return std::any_of(kernels.begin(), kernels.end(), [&](const rewrite::Kernel& kernel) {
    return std::any_of(std::begin(kLess), std::end(kLess), [&](Version version) {
      return has(kernel, version) && rewrite::name_of(kernel.name, version) == name;
    });
  });
}

std::optional<Version> Answers::find(const Question& question) const {
  const auto at = std::find_if(rows_.begin(), rows_.end(),
                               [&](const Row& row) { return row.question == question; });
  return at == rows_.end() ? std::nullopt : std::optional(at->version);
}

void Answers::keep(Question question, Version version) {
  if (rows_.size() < kAnswersKept) {
    rows_.push_back({std::move(question), version});
    return;
  }
  rows_[next_] = {std::move(question), version};
  next_ = (next_ + 1) % kAnswersKept;
}

Version Versions::choose(const rewrite::Kernel& kernel, const gpu::Launch& launch,
                         const Arguments& given, CUcontext context, const device::Runtime& runtime,
                         const AddressOf& address_of) {
  if (!kernel.proof.is_possible || launch.cluster.count() > 1 || !runtime.runs_alone(launch)) {
    return Version::kFull;
  }
  std::optional<std::vector<std::byte>> block = block_of(kernel, given);
  if (!block) return Version::kFull;
  Here& here = here_[context];
  Answers::Question asked{launch.grid, launch.block, runtime.allocations_version(),
                          std::move(*block)};
  if (const std::optional<Version> known = here.answers.find(asked)) return *known;
  if (!here.variables) {
    here.variables.emplace();
    for (const std::string& name : kernel.proof.variables) {
      here.variables->push_back(address_of(name));
    }
  }
  const prove::Facts facts{.sizes = {.threads = {launch.block.x, launch.block.y, launch.block.z},
                                     .blocks = {launch.grid.x, launch.grid.y, launch.grid.z}},
                           .parameters = asked.parameters,
                           .variables = *here.variables};
  const Version version = rewrite::choose(
      kernel, facts, [&](std::uint64_t address) { return runtime.allocation_of(address); });
  if (asked.allocations != 0) here.answers.keep(std::move(asked), version);
  return version;
}

CUfunction Versions::handle(const rewrite::Kernel& kernel, Version version, const Find& find) {
  std::optional<CUfunction>& kept = handles_[static_cast<std::size_t>(version)];
  if (!kept) {
    kept = has(kernel, version) ? find(rewrite::name_of(kernel.name, version)) : nullptr;
  }
  return *kept;
}

void Versions::set(const rewrite::Kernel& kernel, const Find& find,
                   const std::function<CUresult(CUfunction)>& set) {
  for (const Version version : kLess) {
    CUfunction const own = handle(kernel, version, find);
    if (own == nullptr || set(own) == kSuccess) continue;
    handles_[static_cast<std::size_t>(version)] = nullptr;
  }
}

void Versions::forget() {
  here_.clear();
  handles_ = {};
}

void VersionCounts::instead(Version before, Version after) {
  --counts_[static_cast<std::size_t>(before)];
  add(after);
}

std::vector<Counter> VersionCounts::all() const {
  constexpr const char* kNames[] = {"launches full", "launches lean", "launches plain"};
  std::vector<Counter> made;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    made.push_back({kNames[i], static_cast<double>(counts_[i]), ""});
  }
  return made;
}

}  // namespace redflag::inject
