// What a kernel does with its roots (roots.h): tells the runtime of them when it begins, and leaves out
// what is done through those that are quiet.
#include <algorithm>

#include "frontends/cuda/ptx/cfg.h"
#include "frontends/cuda/rewrite/weave.h"

namespace redflag::rewrite {
namespace {

constexpr char kNothing[] = "%redflag_nothing";  // is told of at all

std::string predicate(std::size_t root) {
  return "%redflag_quiet" + std::to_string(root);
}

bool has_barrier(const ptx::Block& block, const std::vector<Plan>& plans) {
  for (std::uint32_t i = block.begin; i < block.end; ++i) {
    if (plans[i].action == Action::kBarrier) return true;
  }
  return false;
}
// The last instruction of the block that is a barrier which all threads come to.
bool ends_with_barrier(const ptx::Function& function, const ptx::Block& block,
                       const std::vector<Plan>& plans) {
  for (std::uint32_t i = block.end; i-- > block.begin;) {
    if (plans[i].action == Action::kBarrier) return !function.body.instructions[i].guarded;
  }
  return false;
}

// Whether whoever ends has passed a barrier behind which there is none, or there is none at all: then nobody
// else comes to one either.
bool end_behind_barriers(const ptx::Module& module, const ptx::Function& function,
                         const std::vector<Plan>& plans) {
  const ptx::Cfg cfg(module, function);
  const std::vector<ptx::Block>& blocks = cfg.blocks();
  std::vector<bool> has(blocks.size()), comes(blocks.size());  // a barrier; one behind the block
  bool any = false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    has[i] = has_barrier(blocks[i], plans);
    any = any || has[i];
  }
  if (!any) return true;
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (const ptx::BlockId each : blocks[i].successors) {
        const std::size_t to = ptx::raw(each);
        if (comes[i] || !(has[to] || comes[to])) continue;
        comes[i] = again = true;
      }
    }
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!blocks[i].leaves) continue;
    bool is_behind = false;
    for (std::size_t at = i;;) {
      is_behind = is_behind || (!comes[at] && ends_with_barrier(function, blocks[at], plans));
      if (blocks[at].dominator == ptx::BlockId::kNone) break;
      at = ptx::raw(blocks[at].dominator);
    }
    if (!is_behind) return false;
  }
  return true;
}

}  // namespace

void Weaver::find_roots(const ptx::Function& function) {
  const std::vector<Plan>& plans = plans_;
  const std::vector<Verdict>& verdicts = verdicts_;
  roots_ = {};
  is_met_.assign(plans.size(), false);
  if (!prunes_ || !function.is_entry) return;
  if (calls_.has_roots() && !is_lean_) roots_ = Roots(module_, function, plans, verdicts);
  if (roots_.all().empty() && !is_lean_) return;
  const ptx::Cfg cfg(module_, function);
  for (std::uint32_t i = 0; i < plans.size(); ++i) {
    const std::uint32_t end = cfg.block(cfg.block_of(i)).end;
    is_met_[i] = is_met_again(function, plans, verdicts, i, end);
  }
}

// By the first thread of the block, before all enter.
void Weaver::begin_with_roots(const ptx::Function& function, std::string& out) {
  calls_.need(device::kRoots);
  const std::string first = label();
  out += "{\n.reg .b32 %redflag_t<3>;\n.reg .b64 %redflag_root;\n.reg .pred %redflag_other;\n";
  out +=
      "mov.u32 %redflag_t0, %tid.x;\nmov.u32 %redflag_t1, %tid.y;\nmov.u32 %redflag_t2, %tid.z;\n";
  out +=
      "or.b32 %redflag_t0, %redflag_t0, %redflag_t1;\nor.b32 %redflag_t0, %redflag_t0, "
      "%redflag_t2;\n";
  out += "setp.ne.u32 %redflag_other, %redflag_t0, 0;\n@%redflag_other bra " + first + ";\n{\n";
  std::string names = "redflag_p0";
  out += ".param .b32 redflag_p0;\nst.param.b32 [redflag_p0], " +
         std::to_string(static_cast<std::int32_t>(roots_.deeds())) + ";\n";
  for (std::size_t i = 0; i < device::kMostRoots; ++i) {
    const std::string name = "redflag_p" + std::to_string(i + 1);
    std::string value = "0";
    if (i < roots_.all().size()) {
      const Root& root = roots_.all()[i];
      value = "%redflag_root";
      if (root.kind == ptx::SymbolKind::kLocal) {
        out += "ld.param.u64 %redflag_root, [" + std::string(function.variables[root.index].name) +
               "+" + std::to_string(root.offset) + "];\n";
      } else {
        out += "mov.u64 %redflag_root, " + std::string(module_.variables[root.index].name) + ";\n";
      }
    }
    out += ".param .b64 " + name + ";\nst.param.b64 [" + name + "], " + value + ";\n";
    names += ", " + name;
  }
  out += std::string("call.uni ") + device::kRoots + ", (" + names + ");\n}\n" + first + ":\n}\n";
}

void Weaver::take_quiet_roots(const std::string& body, std::string& out) {
  out += "{\n.reg .b32 %redflag_t<2>;\n";
  if (is_hot_) {
    out += "mov.b32 %redflag_t0, %redflag_roots;\n";
  } else {
    calls_.need(device::kQuietRoots);
    out += std::string(".param .b32 redflag_rv;\ncall.uni (redflag_rv), ") + device::kQuietRoots;
    out += ";\nld.param.b32 %redflag_t0, [redflag_rv];\n";
  }
  std::string declared;
  const auto take = [&](const std::string& name, std::uint32_t bit) {
    if (body.find("@" + name + " ") == std::string::npos) return;
    declared += ".reg .pred " + name + ";\n";
    out += "and.b32 %redflag_t1, %redflag_t0, " + std::to_string(bit) + ";\n";
    out += "setp.ne.u32 " + name + ", %redflag_t1, 0;\n";
  };
  for (std::size_t i = 0; i < roots_.all().size(); ++i) take(predicate(i), 1U << i);
  take(kNothing, device::kAllQuiet);
  out = declared + out + "}\n";
}

void Weaver::look_ahead(const ptx::Function& function) {
  const std::vector<Plan>& plans = plans_;
  const std::vector<Verdict>& verdicts = verdicts_;
  bool uses_shared = false, is_rooted = !roots_.all().empty();
  for (std::uint32_t i = 0; i < plans.size(); ++i) {
    const Action action = plans[i].action;
    const bool is_untold =
        verdicts[i] != Verdict::kKeep || action == Action::kPrivate || action == Action::kConstant;
    if (action == Action::kBarrier) is_rooted = false;
    if (!is_access(action) || is_untold) continue;
    uses_shared = uses_shared || plans[i].what.memory != device::Memory::kGlobal;
    is_rooted = is_rooted && roots_.of(i) != Roots::kNone;
  }
  uses_ = (roots_.all().empty() ? 0U : device::kUsesRoots) |
          (uses_shared ? device::kUsesShared : 0U) |
          (is_rooted && !uses_shared ? device::kOnlyRoots : 0U);
  ends_together_ = end_behind_barriers(module_, function, plans);
  if (prunes_) ranges_ = find_ranges(module_, function, plans, verdicts);
}

bool Weaver::is_in_range(std::uint32_t index) const {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [&](const Range& each) { return each.load == index; });
}
void Weaver::tell_ranges(const ptx::Function& function, std::uint32_t index, std::string& out) {
  const std::vector<Plan>& plans = plans_;
  for (const Range& each : ranges_) {
    if (each.before != index) continue;
    const ptx::Instruction& load = function.body.instructions[each.load];
    const std::uint32_t site = add_site(function, load);
    Lines lines(module_, function, load);
    ptx::Operand first = *plans[each.load].address;
    first.value = each.offset;
    std::string text;
    const std::string at = lines.address(first);
    hot_.range(plans[each.load], site, at, each, text);
    out += "{\n" + lines.declarations + lines.setup + text + "}\n";
  }
}

std::string Weaver::skip_quiet(std::uint32_t index, Lines& lines, const std::string& to) {
  const int root = roots_.of(index);
  if (root == Roots::kNone) return {};
  std::string out;
  const bool only_roots = is_hot_ && (uses_ & device::kOnlyRoots) != 0;
  if (only_roots) out += std::string("@") + kNothing + " bra " + to + ";\n";
  if (!is_met_[index]) {
    // Nobody else would tell that these lanes have met.
    if (!is_hot_) return {};
    std::string met;
    Hot::count(met);
    out += guarded(lines, met);
  } else if (only_roots) {
    return out;
  }
  return out + "@" + predicate(static_cast<std::size_t>(root)) + " bra " + to + ";\n";
}

}  // namespace redflag::rewrite
