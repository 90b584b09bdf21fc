#include "frontends/cuda/rewrite/weave.h"

#include <algorithm>

#include "frontends/cuda/meaning/frames.h"
#include "frontends/cuda/rewrite/heap.h"

namespace redflag::rewrite {

using device::Hook;
using ptx::Instruction;

std::string packed(const device::What& what) {
  return std::to_string(what.packed());
}

std::uint32_t Weaver::add_site(const ptx::Function& function, const Instruction& from) {
  if (into_.sites.empty()) into_.sites.emplace_back();
  into_.sites.push_back(
      {cuda::frames_of(module_, strings_, function, from), std::string(from.text)});
  return static_cast<std::uint32_t>(into_.sites.size() - 1);
}

std::string Weaver::guarded(Lines& lines, const std::string& calls) {
  const std::string skip = lines.skip_guard();
  if (calls.empty() || skip.empty()) return calls;
  const std::string to = label();
  return skip + "bra " + to + ";\n" + calls + to + ":\n";
}

void Weaver::function(const ptx::Function& function, bool is_hot, std::string& out) {
  is_hot_ = is_hot;
  is_flat_ = is_lean_ = false;
  tracks_ = true;
  spins_.clear();
  head(function, out);
  if (!function.defined) {
    out += ";\n";
    return;
  }
  look_at(function);
  body(function, out);
}

void Weaver::body(const ptx::Function& function, std::string& out) {
  out += "\n{\n";
  std::string text;
  ptx::Printer inside(module_, text);
  find_roots(function);
  ranges_.clear();
  if (is_hot_) look_ahead(function);
  inside.body(function, [&](std::uint32_t i) {
    instruction(function, plans_[i], verdicts_[i], i, inside, text);
    tell_ranges(function, i, text);
  });
  if (function.is_entry) end(function, text);
  std::string start;
  if (is_hot_) hot_.declare(start);
  if (is_flat_) flat_.declare(start);
  spins_.declare(start);
  if (function.is_entry) begin(function, text, start);
  if (const std::uint64_t bytes = calls_.take_local_bytes(); bytes > 0) {
    out += std::string(".local .align 16 .b8 ") + kDepot + "[" + std::to_string(bytes) + "];\n";
  }
  out += start + text + "}\n";
}

void Weaver::head(const ptx::Function& function, std::string& out) const {
  constexpr std::uint64_t kMostThreads = 1024;
  ptx::Printer printer(module_, out);
  if (!function.is_entry) return printer.head(function);
  const bool says_size = function.directive(".maxntid") != nullptr ||
                         function.directive(".reqntid") != nullptr ||
                         function.directive(".maxnreg") != nullptr;
  const std::string parameter = std::string(".param .u64 ") + kLaunchParameter;
  printer.head(function, parameter);
  if (large_blocks_ && !says_size) out += "\n.maxntid " + std::to_string(kMostThreads) + ", 1, 1";
}

void Weaver::look_at(const ptx::Function& function) {
  const Mentions mentions(function);
  const std::vector<Instruction>& all = function.body.instructions;
  plans_.clear();
  for (const Instruction& each : all) plans_.push_back(plan(module_, function, mentions, each));
  find_heap_calls(module_, function, plans_);
  verdicts_ = prunes_ ? prune(module_, function, plans_) : std::vector<Verdict>(all.size());
}

void Weaver::begin(const ptx::Function& function, const std::string& body, std::string& out) {
  const bool has_roots = !roots_.all().empty();
  if (has_roots) begin_with_roots(function, out);
  out += std::string("{\n.reg .b64 %redflag_0;\nld.param.u64 %redflag_0, [") + kLaunchParameter +
         "];\n";
  if (is_flat_) flat_.enter("%redflag_0", out);
  if (is_hot_) {
    hot_.enter("%redflag_0", uses_, body, out);
  } else if (is_flat_) {
    // All is set.
  } else if (has_roots) {
    calls_.need(device::kEnterWithRoots);
    out += ".param .b64 redflag_p0;\nst.param.b64 [redflag_p0], %redflag_0;\n";
    out += std::string("call.uni ") + device::kEnterWithRoots + ", (redflag_p0);\n";
  } else {
    calls_.call(out, Hook::kEnter, {"%redflag_0"});
  }
  out += "}\n";
  if (!has_roots) return;
  std::string quiet;
  take_quiet_roots(body, quiet);
  out += quiet;
}

// A kernel may end by running off its body.
void Weaver::end(const ptx::Function& function, std::string& out) {
  const ptx::Body& body = function.body;
  const auto count = static_cast<std::uint32_t>(body.instructions.size());
  const bool is_target = std::any_of(body.labels.begin(), body.labels.end(),
                                     [&](const ptx::Label& each) { return each.target == count; });
  if (count > 0 && !is_target) {
    const Instruction& last = body.instructions.back();
    const ptx::Flow flow = last.flow();
    if (!last.guarded && flow != ptx::Flow::kNone && flow != ptx::Flow::kCall) return;
  }
  if (is_hot_) {
    hot_.exit(ends_together_, out);
  } else if (!is_flat_) {
    calls_.call(out, Hook::kExit, {});
  }
  out += "ret;\n";
}

bool Weaver::is_silent(const Instruction& from, const Plan& plan, Verdict verdict) {
  if (!is_access(plan.action)) return plan.action == Action::kNone;
  const bool is_private = plan.action == Action::kPrivate || verdict == Verdict::kPrivate;
  const bool is_constant = plan.action == Action::kConstant || verdict == Verdict::kConstant;
  const bool is_repeated = verdict == Verdict::kRepeated;
  const ptx::Space space = from.modifiers.space;
  const bool passes = space == ptx::Space::kParam || space == ptx::Space::kParamEntry ||
                      space == ptx::Space::kParamFunc;  // values, not memory
  if (!passes) {
    Counts& counts = into_.counts;
    ++counts.accesses;
    counts.pruned_private += is_private ? 1 : 0;
    counts.pruned_constant += is_constant ? 1 : 0;
    counts.pruned_repeated += is_repeated ? 1 : 0;
  }
  return is_private || is_constant || is_repeated || verdict == Verdict::kQuiet;
}

void Weaver::instruction(const ptx::Function& function, const Plan& plan, Verdict verdict,
                         std::uint32_t index, ptx::Printer& printer, std::string& out) {
  const Instruction& from = function.body.instructions[index];
  if (is_silent(from, plan, verdict) || is_in_range(index)) {
    if (verdict == Verdict::kQuiet) out += met(function, index);
    printer.line(function, from);
    return;
  }
  Around around{Lines(module_, function, from), {}, {}, {}, {}};
  hooks(function, index, plan, around);
  const std::string before = guarded(around.lines, around.before);
  const std::string after = guarded(around.lines, around.after);
  const std::string told = label();
  const std::string skip = after.empty() ? skip_quiet(index, around.lines, told) : std::string();
  out += "{\n" + around.lines.declarations + skip + around.lines.setup + before;
  if (!skip.empty()) out += told + ":\n";
  if (around.replaced.empty()) {
    printer.line(function, from);
  } else {
    out += around.replaced;
  }
  out += after + "}\n";
}

void Weaver::hooks(const ptx::Function& function, std::uint32_t index, const Plan& plan,
                   Around& around) {
  const Instruction& from = function.body.instructions[index];
  const std::string* const spin = spins_.site_of(index);
  const bool ends = plan.action == Action::kReturn || plan.action == Action::kExit;
  if (spin != nullptr) {
    around.site = *spin;
  } else if (!ends) {
    around.site = std::to_string(add_site(function, plan.call == nullptr ? from : *plan.call));
  }
  if (!ends && spin == nullptr) spins_.before(plan, around.before);
  switch (plan.action) {
    case Action::kNone:
    case Action::kPrivate:
    case Action::kConstant:
      break;
    case Action::kLoad:
    case Action::kStore:
    case Action::kDiscard:
      memory(from, plan, around);
      break;
    case Action::kAtomic:
      atomic(function, index, plan, around);
      break;
    case Action::kMatrix:
      matrix(plan, around);
      break;
    case Action::kFragment:
      fragment(from, plan, around);
      break;
    case Action::kTexture:
    case Action::kSurface:
      image(from, plan, around);
      break;
    case Action::kFence:
      calls_.call(around.before, Hook::kFence, {around.site, packed(plan.what)});
      break;
    case Action::kWarpSync:
      if (is_flat_) flat_.met(around.after);
      if (is_hot_) hot_.met(around.after);
      if (is_hot_ || is_flat_) break;
      calls_.call(around.after, Hook::kWarpSync,
                  {around.site, packed(plan.what), around.lines.word(from.operands()[0])});
      break;
    case Action::kBarrier:
    case Action::kBarrierArrive:
      barrier(from, plan, around);
      break;
    case Action::kClusterArrive:
      calls_.call(around.before, Hook::kClusterArrive, {around.site, packed(plan.what)});
      break;
    case Action::kClusterPass:
      calls_.call(around.after, Hook::kClusterPass, {around.site, packed(plan.what)});
      break;
    case Action::kMbarrierInit:
    case Action::kMbarrierInval:
    case Action::kMbarrierArrive:
    case Action::kMbarrierWait:
      mbarrier(from, plan, around);
      break;
    case Action::kAsyncCopy:
      copy(from, plan, around);
      break;
    case Action::kAsyncStore:
    case Action::kAsyncReduce:
      async_store(plan, around);
      break;
    case Action::kAsyncCommit:
    case Action::kAsyncWait:
    case Action::kAsyncArrive:
      async_control(from, plan, around);
      break;
    case Action::kMalloc:
    case Action::kFree:
      heap(from, plan, around);
      break;
    case Action::kReturn:
    case Action::kExit:
      if (is_hot_) {
        hot_.exit(ends_together_, around.before);
      } else if (!is_flat_) {
        calls_.call(around.before, Hook::kExit, {});
      }
      break;
  }
}

}  // namespace redflag::rewrite
