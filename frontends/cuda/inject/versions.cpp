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
  if (version == Version::kPlain) return kernel.has_plain;
  return version == Version::kLean && kernel.proof.is_possible && !kernel.lean.empty();
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

const Answers::Answer* Answers::find(const Question& question) const {
  const auto at = std::find_if(rows_.begin(), rows_.end(),
                               [&](const Row& row) { return row.question == question; });
  return at == rows_.end() ? nullptr : &at->answer;
}

void Answers::keep(Question question, Answer answer) {
  if (rows_.size() < kAnswersKept) rows_.emplace_back();
  rows_[next_] = {std::move(question), std::move(answer)};
  next_ = (next_ + 1) % kAnswersKept;
}

// Whether there are cells is another matter at each launch.
Answers::Answer Versions::ask(const rewrite::Kernel& kernel, const Answers::Question& question,
                              std::span<const std::uint64_t> variables,
                              const device::Runtime& runtime) {
  const gpu::Dim& block = question.block;
  const gpu::Dim& grid = question.grid;
  const prove::Facts facts{
      .sizes = {.threads = {block.x, block.y, block.z}, .blocks = {grid.x, grid.y, grid.z}},
      .parameters = question.parameters,
      .variables = variables};
  Answers::Answer made;
  made.version = rewrite::choose(
      kernel, facts, [&](std::uint64_t address) { return runtime.allocation_of(address); },
      [&](std::span<const std::uint64_t> allocations, device::Cells) {
        made.cells.assign(allocations.begin(), allocations.end());
        return true;
      },
      [&](std::uint64_t allocation) { return runtime.has_texture(allocation); });
  return made;
}

Version Versions::choose(const rewrite::Kernel& kernel, const gpu::Launch& launch,
                         const Arguments& given, CUcontext context, device::Runtime& runtime,
                         const AddressOf& address_of) {
  if (!kernel.proof.is_possible || launch.cluster.count() > 1 || !runtime.runs_alone(launch)) {
    return Version::kFull;
  }
  std::optional<std::vector<std::byte>> block = block_of(kernel, given);
  if (!block) return Version::kFull;
  Here& here = here_[context];
  Answers::Question question{launch.grid, launch.block, runtime.allocations_version(),
                             std::move(*block)};
  const Answers::Answer* known = here.answers.find(question);
  Answers::Answer fresh;
  if (known == nullptr) {
    if (!here.variables) {
      here.variables.emplace();
      for (const std::string& name : kernel.proof.variables) {
        here.variables->push_back(address_of(name));
      }
    }
    fresh = ask(kernel, question, *here.variables, runtime);
    known = &fresh;
    if (question.allocations != 0) here.answers.keep(std::move(question), fresh);
  }
  if (known->version != Version::kLean || known->cells.empty()) return known->version;
  const device::Cells which = kernel.is_lean_flat ? device::Cells::kFlat : device::Cells::kDirect;
  // Without direct cells the same hooks go to lines.
  const bool are_made = runtime.make_cells(known->cells, which);
  return are_made || !kernel.is_lean_flat ? Version::kLean : Version::kFull;
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
  const auto count = [&](Version version) {
    return static_cast<double>(counts_[static_cast<std::size_t>(version)]);
  };
  return {{"launches full", count(Version::kFull), ""},
          {"launches lean", count(Version::kLean), ""},
          {"launches plain", count(Version::kPlain), ""}};
}

}  // namespace redflag::inject
