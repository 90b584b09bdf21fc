#include "frontends/cuda/rewrite/explain.h"

#include <algorithm>
#include <cstring>

#include "frontends/cuda/meaning/frames.h"
#include "frontends/cuda/prove/explain.h"
#include "frontends/cuda/ptx/debug_strings.h"
#include "frontends/cuda/rewrite/heap.h"
#include "frontends/cuda/rewrite/kernels.h"
#include "frontends/cuda/rewrite/typical.h"
#include "frontends/cuda/rewrite/versions.h"

namespace redflag::rewrite {
namespace {

gpu::Dim dim_of(const std::uint32_t (&sizes)[3]) {
  return {sizes[0], sizes[1], sizes[2]};
}
void set(std::uint32_t (&sizes)[3], const gpu::Dim& to) {
  sizes[0] = to.x;
  sizes[1] = to.y;
  sizes[2] = to.z;
}

// Parameters of up to eight bytes, as numbers.
std::uint64_t value_at(const std::vector<std::byte>& block, const Place& place) {
  std::uint64_t value = 0;
  std::memcpy(&value, block.data() + place.offset, std::min<std::size_t>(place.bytes, 8));
  return value;
}

Result<void> put(const Kernel& kernel, const Argument& given, std::uint64_t buffer,
                 std::vector<std::byte>& block) {
  const auto has = [&](std::uint64_t which) -> Result<void> {
    if (which < kernel.places.size()) return {};
    const std::string count = std::to_string(kernel.places.size());
    return fail("kernel '" + kernel.name + "' has " + count +
                " parameters, counted from 0; found " + std::to_string(which) +
                "; 'redflag ptx FILE' lists the kernels with their parameters");
  };
  if (Result<void> good = has(given.parameter); !good) return good;
  const Place& place = kernel.places[given.parameter];
  std::uint64_t value = buffer;
  if (given.kind == Argument::Kind::kNumber) value = static_cast<std::uint64_t>(given.value);
  if (given.kind == Argument::Kind::kSame) {
    const auto other = static_cast<std::uint64_t>(given.value);
    if (Result<void> good = has(other); !good) return good;
    value = value_at(block, kernel.places[other]);
  }
  const bool is_number = given.kind == Argument::Kind::kNumber;
  if (place.bytes > 8 || (!is_number && place.bytes != 8)) {
    return fail("parameter " + std::to_string(given.parameter) + " of kernel '" + kernel.name +
                "' has " + std::to_string(place.bytes) + " bytes; " +
                (is_number ? "needed at most 8 for a number" : "needed 8 for a pointer"));
  }
  std::memcpy(block.data() + place.offset, &value, place.bytes);
  return {};
}

std::string words_of(const Place& place, const std::vector<std::byte>& block) {
  if (place.bytes > 8) return std::to_string(place.bytes) + " bytes";
  const std::uint64_t value = value_at(block, place);
  const std::uint64_t allocation = place.bytes == 8 ? assumed_allocation(value) : 0;
  return allocation != 0 ? "buffer " + std::to_string(allocation) : std::to_string(value);
}

// Why the full version is launched though there is a proof.
std::string why_full(const Kernel& kernel, const Lean& lean, const prove::Answer& answer) {
  if (std::find(lean.told.begin(), lean.told.end(), true) == lean.told.end()) {
    return "this launch needs hooks; a typical launch needs none, so there is no lean version";
  }
  if (kernel.lean.empty())
    return "every access may race, and there is no cheaper way to report them to the detector";
  if (answer.is_within_block && !kernel.is_lean_within_block) {
    return "threads of one block may race, which the lean version does not check";
  }
  for (std::size_t i = 0; i < answer.noisy.size(); ++i) {
    if (answer.noisy[i] && !kernel.lean[i]) {
      return "accesses of this launch may race that the lean version does not check";
    }
  }
  return "it is unknown which memory the accesses that may race belong to";
}

// Where the instruction is, and from where that was inlined into the kernel.
std::string place_of(const std::vector<Frame>& frames) {
  const auto one = [](const Frame& frame) { return frame.file + ":" + std::to_string(frame.line); };
  if (frames.empty()) return "?";
  return one(frames[0]) + (frames.size() > 1 ? " (from " + one(frames.back()) + ")" : "");
}

class Explaining {
 public:
  Explaining(const ptx::Module& module, const ptx::Function& function, Kernel kernel, bool is_hot)
      : module_(module),
        function_(function),
        kernel_(std::move(kernel)),
        is_hot_(is_hot),
        strings_(module) {}

  Result<Explained> make(const Asked& asked) {
    const Mentions mentions(function_);
    std::vector<Plan> plans;
    for (const ptx::Instruction& each : function_.body.instructions) {
      plans.push_back(plan(module_, function_, mentions, each));
    }
    find_heap_calls(module_, function_, plans);
    prove::Described described =
        proof_of(module_, function_, plans, prune(module_, function_, plans));
    kernel_.proof = std::move(described.proof);
    const prove::Proof& proof = kernel_.proof;
    Assumed launch = typical_launch(proof, function_, kernel_.places);
    if (asked.grid) set(launch.sizes.blocks, *asked.grid);
    if (asked.block) set(launch.sizes.threads, *asked.block);
    // Allocations that no parameter and no variable has yet.
    std::uint64_t next = kernel_.places.size() + proof.variables.size();
    for (const Argument& each : asked.arguments) {
      const Result<void> good = put(kernel_, each, assumed_address(++next), launch.parameters);
      if (!good) return Failure(good.error());
    }
    Explained made;
    made.kernel = kernel_.name;
    made.grid = dim_of(launch.sizes.blocks);
    made.block = dim_of(launch.sizes.threads);
    for (const Place& each : kernel_.places) {
      made.parameters.push_back(words_of(each, launch.parameters));
    }
    made.accesses = proof.accesses.size();
    made.why_full = described.why_not;
    if (!proof.is_possible) return made;

    // As with the runtime that detects in the GPU, which has all ways to tell.
    const Lean lean = lean_of(proof, function_, kernel_.places);
    (void)plan_lean(lean, function_, plans, is_hot_, true, kernel_);
    const prove::Facts facts = launch.facts();
    made.version = choose(kernel_, facts, assumed_allocation,
                          [](std::span<const std::uint64_t>, device::Cells) { return true; });
    const prove::Answer answer = prove::ask(proof, facts, assumed_allocation);
    if (made.version == Version::kFull) made.why_full = why_full(kernel_, lean, answer);
    add_doubts(answer, made);
    return made;
  }

 private:
  std::vector<Frame> frames(std::uint32_t instruction) const {
    return cuda::frames_of(module_, strings_, function_, function_.body.instructions[instruction]);
  }
  void add_doubts(const prove::Answer& answer, Explained& to) const {
    const prove::Explainer explainer(module_, function_,
                                     [this](std::uint32_t i) { return place_of(frames(i)); });
    for (std::uint32_t i = 0; i < answer.noisy.size(); ++i) {
      if (!answer.noisy[i]) continue;
      const std::uint32_t at = kernel_.proof.accesses[i].instruction;
      to.doubts.push_back(
          {place_of(frames(at)), explainer.text(at), explainer.why(kernel_.proof, answer, i)});
    }
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  Kernel kernel_;
  bool is_hot_;
  ptx::DebugStrings strings_;
};

}  // namespace

Result<std::vector<Explained>> explain(const ptx::Module& module, const Asked& asked) {
  const Kernels kernels(module);
  if (const Result<void> good = kernels.check(); !good) return Failure(good.error());
  std::vector<Explained> out;
  for (const Kernel& each : kernels.all()) {
    if (!asked.is_wanted(each.name)) continue;
    const auto at =
        std::find_if(module.functions.begin(), module.functions.end(),
                     [&](const ptx::Function& function) { return function.name == each.name; });
    const auto index = static_cast<std::uint32_t>(at - module.functions.begin());
    Result<Explained> made = Explaining(module, *at, each, kernels.is_hot(index)).make(asked);
    if (!made) return Failure(made.error());
    if (kernels.is_linked()) {
      made->version = Version::kFull;
      made->why_full = "other modules may be linked to it";
    }
    if (!each.checked) made->why_unchecked = each.why;
    out.push_back(std::move(*made));
  }
  return out;
}

}  // namespace redflag::rewrite
