// What lanes of a warp do together: shfl, vote, match, redux, elect, bar.warp.sync.
// (PTX ISA 9.0, sections 9.7.9.6 and 9.7.13.)
//
// A lane brings its value to Warp::exchange. When all lanes that the mask names have come, whether as
// one group or as several that stand at different places, each takes its result from there. Lanes
// that have ended are not waited for, nor those that the guard of this very instruction leaves out.
#include <bit>

#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/worker.h"

namespace redflag::cuda {
namespace {

void bring(Warp& warp, const Words& words, const CollectiveOp& how, Lanes active) {
  if (how.source == kNoRef) return;
  if (how.kind == CollectiveKind::kVote) {
    const Lanes votes = *words.at<Lanes>(how.source);
    for_each_lane(active, [&](unsigned lane) { warp.exchange[lane] = votes >> lane & 1; });
    return;
  }
  if (ptx::info(how.type).bits == 64) {
    const auto* const from = words.at<std::uint64_t>(how.source);
    for_each_lane(active, [&](unsigned lane) { warp.exchange[lane] = from[lane]; });
    return;
  }
  const auto* const from = words.at<std::uint32_t>(how.source);
  for_each_lane(active, [&](unsigned lane) { warp.exchange[lane] = from[lane]; });
}

void set_predicate(const Words& words, Ref ref, Lanes active, Lanes yes) {
  if (ref == kNoRef) return;
  auto* const to = words.at<Lanes>(ref);
  *to = (*to & ~active) | (yes & active);
}

void shuffle(const Warp& warp, const Words& words, const CollectiveOp& how, Lanes active,
             Lanes all) {
  const auto* const b = words.at<std::uint32_t>(how.second);
  const auto* const c = words.at<std::uint32_t>(how.third);
  auto* const to = words.at<std::uint32_t>(how.result);
  Lanes inside = 0;
  for_each_lane(active, [&](unsigned lane) {
    const auto clamp = static_cast<int>(c[lane] & 0x1f);
    const auto segment = static_cast<int>(c[lane] >> 8 & 0x1f);
    const auto by = static_cast<int>(b[lane] & 0x1f);
    const auto at = static_cast<int>(lane);
    const int most = (at & segment) | (clamp & ~segment);
    int from = 0;
    bool valid = false;
    switch (how.how) {
      case ptx::Mod::kUp:
        from = at - by;
        valid = from >= most;
        break;
      case ptx::Mod::kDown:
        from = at + by;
        valid = from <= most;
        break;
      case ptx::Mod::kBfly:
        from = at ^ by;
        valid = from <= most;
        break;
      default:
        from = (at & segment) | (by & ~segment);
        valid = from <= most;
        break;
    }
    if (!valid) from = at;
    // A lane that does not take part has no defined value: its own stays.
    if ((all >> from & 1) == 0) from = at;
    to[lane] = static_cast<std::uint32_t>(warp.exchange[from]);
    if (valid) inside |= 1U << lane;
  });
  set_predicate(words, how.predicate, active, inside);
}

void vote(const Warp& warp, const Words& words, const CollectiveOp& how, Lanes active, Lanes all) {
  Lanes yes = 0;
  for_each_lane(all, [&](unsigned lane) {
    if (warp.exchange[lane] != 0) yes |= 1U << lane;
  });
  if (how.how == ptx::Mod::kBallot) {
    auto* const to = words.at<std::uint32_t>(how.result);
    for_each_lane(active, [&](unsigned lane) { to[lane] = yes; });
    return;
  }
  const bool result = how.how == ptx::Mod::kAll   ? yes == all
                      : how.how == ptx::Mod::kAny ? yes != 0
                                                  : yes == all || yes == 0;
  set_predicate(words, how.result, active, result ? ~Lanes{0} : 0);
}

void match(const Warp& warp, const Words& words, const CollectiveOp& how, Lanes active, Lanes all) {
  auto* const to = words.at<std::uint32_t>(how.result);
  bool every = true;
  for_each_lane(all, [&](unsigned lane) {
    every = every && warp.exchange[lane] == warp.exchange[first(all)];
  });
  for_each_lane(active, [&](unsigned lane) {
    if (how.how == ptx::Mod::kAll) {
      to[lane] = every ? all : 0;
      return;
    }
    Lanes same = 0;
    for_each_lane(all, [&](unsigned other) {
      if (warp.exchange[other] == warp.exchange[lane]) same |= 1U << other;
    });
    to[lane] = same;
  });
  set_predicate(words, how.predicate, active, every ? ~Lanes{0} : 0);
}

std::uint32_t reduce_two(const CollectiveOp& how, std::uint32_t a, std::uint32_t b) {
  const bool is_signed = ptx::info(how.type).type_class == ptx::TypeClass::kSigned;
  const bool is_float = how.type == ptx::Type::kF32;
  switch (how.operation) {
    case ptx::Operation::kAdd:
      return a + b;
    case ptx::Operation::kAnd:
      return a & b;
    case ptx::Operation::kOr:
      return a | b;
    case ptx::Operation::kXor:
      return a ^ b;
    default:
      break;
  }
  const bool smallest = how.operation == ptx::Operation::kMin;
  if (is_float) {
    auto x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
    if (how.magnitude) {
      x = x < 0 ? -x : x;
      y = y < 0 ? -y : y;
    }
    if (x != x || y != y) {
      if (how.keeps_nan) return 0x7fffffff;
      return std::bit_cast<std::uint32_t>(x != x ? y : x);
    }
    return std::bit_cast<std::uint32_t>((x < y) == smallest ? x : y);
  }
  const bool less = is_signed ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
  return less == smallest ? a : b;
}

void reduce(const Warp& warp, const Words& words, const CollectiveOp& how, Lanes active,
            Lanes all) {
  auto result = static_cast<std::uint32_t>(warp.exchange[first(all)]);
  if (how.type == ptx::Type::kF32 && how.magnitude) result &= 0x7fffffff;
  for (Lanes rest = all & (all - 1); rest != 0; rest &= rest - 1) {
    result = reduce_two(how, result, static_cast<std::uint32_t>(warp.exchange[first(rest)]));
  }
  auto* const to = words.at<std::uint32_t>(how.result);
  for_each_lane(active, [&](unsigned lane) { to[lane] = result; });
}

void take(const Warp& warp, const Words& words, const CollectiveOp& how, Lanes active, Lanes all) {
  switch (how.kind) {
    case CollectiveKind::kSync:
      break;
    case CollectiveKind::kShuffle:
      shuffle(warp, words, how, active, all);
      break;
    case CollectiveKind::kVote:
      vote(warp, words, how, active, all);
      break;
    case CollectiveKind::kMatch:
      match(warp, words, how, active, all);
      break;
    case CollectiveKind::kReduce:
      reduce(warp, words, how, active, all);
      break;
    case CollectiveKind::kElect: {
      auto* const to = words.at<std::uint32_t>(how.result);
      for_each_lane(active, [&](unsigned lane) { to[lane] = first(all); });
      set_predicate(words, how.predicate, active, all & (~all + 1));
      break;
    }
  }
}

void tell_sync(Worker& worker, const Warp& warp, const Activation& frame, const MicroOp& op,
               Lanes all, Lanes together) {
  if (worker.machine.sink == nullptr) return;
  if (static_cast<const CollectiveOp*>(op.extra)->kind != CollectiveKind::kSync) return;
  gpu::Step step;
  step.kind = gpu::StepKind::kWarpSync;
  step.order = Order::kAcqRel;
  step.scope = Scope::kWarp;
  step.lanes = all;
  step.converged = together;
  step.warp = warp.index;
  step.block = warp.block->index;
  step.site = frame.code->site(op);
  worker.machine.sink->step(step);
}

}  // namespace

// Lanes of one instruction may name different masks, as those of two tiles of a warp do: each mask is a
// meeting of its own. All of them complete at once, or the first lane's mask counts for all.
bool complete_at_once(Run& run, const MicroOp& op, const CollectiveOp& how, const Words& words) {
  const auto* const masks = run.at<std::uint32_t>(how.members);
  const Lanes may_come = run.warp->live & ~(run.mask & ~run.active);
  for (const bool dry : {true, false}) {
    for (Lanes rest = run.active; rest != 0;) {
      const std::uint32_t mask = masks[first(rest)];
      Lanes same = 0;
      for_each_lane(rest, [&](unsigned lane) { same |= masks[lane] == mask ? 1U << lane : 0U; });
      rest &= ~same;
      if (dry && (mask & may_come & ~same) != 0) return false;
      if (dry) continue;
      take(*run.warp, words, how, same, same);
      tell_sync(*run.worker, *run.warp, *run.frame, op, same, same);
    }
  }
  return true;
}

void do_collective(Run& run, const MicroOp& op) {
  const auto& how = *static_cast<const CollectiveOp*>(op.extra);
  const Lanes active = run.active;
  const Words words(*run.warp, *run.frame);
  bring(*run.warp, words, how, active);
  if (how.members == kNoRef) {
    take(*run.warp, words, how, active, active);
    tell_sync(*run.worker, *run.warp, *run.frame, op, active, active);
    return;
  }
  if (complete_at_once(run, op, how, words)) return;
  const Lanes members = run.at<std::uint32_t>(how.members)[first(active)] | active;
  const Lanes skipped = run.mask & ~active;
  Group& group = *run.group;
  group.active = active;
  group.members = members & ~skipped;
  group.pc = run.pc;
  group.frame = run.frame;
  run.warp->set_waiting(group, Wait::kLanes);
  run.leave();
  run.worker->complete_collectives(*run.warp);
  if ((run.warp->used >> (&group - run.warp->groups) & 1) == 0) run.group = nullptr;
}

void Worker::complete_collectives(Warp& warp) {
  for (std::uint32_t slots = warp.used; slots != 0; slots &= slots - 1) {
    const Group& group = warp.groups[first(slots)];
    if (group.wait != Wait::kLanes || (warp.used >> first(slots) & 1) == 0) continue;
    // Who waits with the same mask.
    Lanes there = 0;
    std::uint32_t with = 0;
    for (std::uint32_t others = warp.used; others != 0; others &= others - 1) {
      const Group& other = warp.groups[first(others)];
      if (other.wait != Wait::kLanes ||
          (other.members & warp.live) != (group.members & warp.live)) {
        continue;
      }
      there |= other.active;
      with |= 1U << first(others);
    }
    if ((group.members & warp.live & ~there) != 0) continue;
    bool told = false;
    for (std::uint32_t each = with; each != 0; each &= each - 1) {
      Group& other = warp.groups[first(each)];
      const MicroOp& op = other.pc[-1];
      take(warp, Words(warp, *other.frame), *static_cast<const CollectiveOp*>(op.extra),
           other.active, there);
      if (!told) tell_sync(*this, warp, *other.frame, op, there, other.active);
      told = true;
      warp.set_ready(other);
    }
    // Those who stand at one place with one future go on as one.
    for (std::uint32_t a = with; a != 0; a &= a - 1) {
      Group& one = warp.groups[first(a)];
      for (std::uint32_t b = a & (a - 1); b != 0; b &= b - 1) {
        Group& two = warp.groups[first(b)];
        if (two.pc != one.pc || two.frame != one.frame || two.join != one.join) continue;
        one.mask |= two.mask;
        warp.drop_group(two);
        a &= ~(1U << first(b));
      }
    }
  }
}

void do_activemask(Run& run, const MicroOp& op) {
  auto* const to = run.at<std::uint32_t>(op.refs[0]);
  for_each_lane(run.active, [&](unsigned lane) { to[lane] = run.active; });
}

}  // namespace redflag::cuda
