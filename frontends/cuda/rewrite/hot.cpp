#include "frontends/cuda/rewrite/hot.h"

#include "core/detect/gpu/compact/log.h"
#include "core/detect/gpu/compact/tag.h"
#include "frontends/cuda/rewrite/text.h"

namespace redflag::rewrite {
namespace {

using gpu::compact::kLogBytes;
using gpu::compact::Pattern;
using gpu::compact::Record;
using gpu::compact::Tag;

constexpr const char* kContext[] = {"lanes", "scale", "shadow", "tag",  "last",
                                    "log",   "time",  "slot",   "roots"};

// Whether all lanes are here, in %redflag_full; then the phase goes on. It does so before the access has its tag: what lanes did in
// earlier instructions is ordered before what they do behind this one, but this one itself is not.
void count_full(std::string& out) {
  add(out, "activemask.b32 %redflag_m;");
  add(out, "setp.eq.u32 %redflag_full, %redflag_m, %redflag_lanes;");
}
void next_phase(const char* guard, std::string& out) {
  add(out, std::string(guard) + "add.u32 %redflag_tag, %redflag_tag, " + number(Tag::kPhase) + ";");
  add(out, std::string(guard) + "min.u32 %redflag_tag, %redflag_tag, %redflag_last;");
}
// Whether the tag in `reg` is of this interval and differs from this thread's in `least` or above, in
// %redflag_p.
void is_others(const std::string& reg, std::uint32_t least, bool is_first, std::string& out) {
  const bool is_read = least == Tag::kMark;  // this thread's own tag has no mark then
  add(out, "xor.b32 " + reg + ", " + reg + (is_read ? ", %redflag_tag;" : ", %redflag_t;"));
  add(out, "sub.u32 " + reg + ", " + reg + ", " + number(least) + ";");
  add(out, std::string("setp.lt") + (is_first ? "" : ".or") + ".u32 %redflag_p, " + reg + ", " +
               number(Tag::kInterval - least) + (is_first ? ";" : ", %redflag_p;"));
}
// Another thread has written, or read, in this interval; of reads one may stand for several.
void is_written(const std::string& reg, bool is_first, std::string& out) {
  is_others(reg, Tag::kOthers, is_first, out);
}
void is_read(const std::string& reg, bool is_first, std::string& out) {
  is_others(reg, Tag::kMark, is_first, out);
}

bool has_words(const Plan& plan) {
  return plan.what.bytes == 4 || plan.what.bytes == 8 || plan.what.bytes == 16;
}

}  // namespace

bool Hot::is_narrow(const Plan& plan) {
  const bool is_atomic = plan.what.deed == device::Deed::kAtomicRmw && plan.what.bytes == 4;
  const bool is_known = plan.action == Action::kLoad || plan.action == Action::kStore || is_atomic;
  return is_known && has_words(plan) && plan.what.memory == device::Memory::kShared;
}

void Hot::declare(std::string& out) const {
  for (const char* name : kContext) add(out, std::string(".reg .b32 %redflag_") + name + ";");
  add(out, ".reg .b32 %redflag_m, %redflag_t, %redflag_a, %redflag_r, %redflag_w;");
  add(out, ".reg .b64 %redflag_lane<3>, %redflag_d;");
  add(out, ".reg .pred %redflag_full, %redflag_p, %redflag_first, %redflag_head, %redflag_upper;");
}

void Hot::enter(const std::string& launch, std::uint32_t uses, const std::string& body,
                std::string& out) {
  calls_.need(device::kHotEnter);
  constexpr std::size_t kBytes = std::size(kContext) * 4;
  add(out, "{\n.param .align 4 .b8 redflag_rv[" + number(kBytes) + "];");
  add(out, ".param .b64 redflag_p0;\nst.param.b64 [redflag_p0], " + launch + ";");
  add(out, ".param .b32 redflag_p1;\nst.param.b32 [redflag_p1], " + number(uses) + ";");
  add(out,
      std::string("call.uni (redflag_rv), ") + device::kHotEnter + ", (redflag_p0, redflag_p1);");
  for (std::size_t i = 0; i < std::size(kContext); ++i) {
    add(out, std::string("ld.param.b32 %redflag_") + kContext[i] + ", [redflag_rv+" +
                 number(i * 4) + "];");
  }
  add(out, "}");
  const auto has = [&](const std::string& name) { return body.find(name) != std::string::npos; };
  add(out, "mov.u32 %redflag_m, %laneid;");
  add(out, "setp.eq.u32 %redflag_first, %redflag_m, 0;");
  if (has("%redflag_upper")) {
    add(out, "setp.ge.u32 %redflag_upper, %redflag_m, 16;");
    add(out, "and.b32 %redflag_t, %redflag_m, 15;\nsetp.eq.u32 %redflag_head, %redflag_t, 0;");
  }
  for (int i = 0; i < 3; ++i) {
    const std::string name = "%redflag_lane" + number(i);
    if (has(name)) add(out, "mul.wide.u32 " + name + ", %redflag_m, " + number(4U << i) + ";");
  }
}

void Hot::slow(const device::HotHook& hook, std::initializer_list<std::string> arguments,
               const std::string& tag, const std::string& last, const char* to, std::string& out) {
  calls_.need(hook.symbol);
  add(out, "{");
  std::string names;
  const std::string letters = std::string(hook.arguments) + "III";
  std::size_t at = 0;
  const auto pass = [&](const std::string& value) {
    const std::string type = letters[at] == 'L' ? ".b64" : ".b32";
    const std::string name = "redflag_p" + number(at++);
    add(out,
        ".param " + type + " " + name + ";\nst.param" + type + " [" + name + "], " + value + ";");
    names += (names.empty() ? "" : ", ") + name;
  };
  for (const std::string& each : arguments) pass(each);
  pass(tag);
  pass(last);
  pass("%redflag_time");
  if (to != nullptr) add(out, ".param .b32 redflag_rv;");
  add(out, std::string("call.uni ") + (to != nullptr ? "(redflag_rv), " : "") + hook.symbol +
               ", (" + names + ");");
  if (to != nullptr) add(out, std::string("ld.param.b32 %redflag_") + to + ", [redflag_rv];");
  add(out, "}");
}

void Hot::exit(bool together, std::string& out) {
  if (together) {
    return slow(device::kHotExit, {}, "%redflag_tag", "%redflag_log", nullptr, out);
  }
  const std::string end = label();
  add(out, "and.b32 %redflag_t, %redflag_log, " + number(kLogBytes - 1) + ";");
  add(out, "setp.eq.u32 %redflag_p, %redflag_t, 0;");
  add(out, "@%redflag_p bra " + end + ";");
  slow(device::kHotFlush, {}, "%redflag_tag", "%redflag_log", "log", out);
  add(out, end + ":");
}
// Nothing is logged, and all lanes are here: nobody needs to know.
void Hot::arrive(const std::string& site, const std::string& what, const std::string& barrier,
                 std::string& out) {
  const std::string end = label();
  count_full(out);
  add(out, "and.b32 %redflag_t, %redflag_log, " + number(kLogBytes - 1) + ";");
  add(out, "setp.eq.and.u32 %redflag_p, %redflag_t, 0, %redflag_full;");
  add(out, "@%redflag_p bra " + end + ";");
  slow(device::kHotArrive, {site, what, barrier}, "%redflag_tag", "%redflag_log", "log", out);
  add(out, end + ":");
}
void Hot::pass(std::string& out) {
  const std::string end = label();
  add(out, "ld.volatile.shared.u32 %redflag_t, [%redflag_slot];");
  add(out, "xor.b32 %redflag_slot, %redflag_slot, 4;");
  add(out, "add.u32 %redflag_time, %redflag_time, " + word(device::kFlips + 1) + ";");
  add(out, "max.u32 %redflag_time, %redflag_time, %redflag_t;");
  const std::uint32_t last = Tag::of((1U << Tag::kIntervalBits) - 1, 0, 0).bits;
  add(out, "setp.lt.and.u32 %redflag_p, %redflag_tag, " + word(last) + ", %redflag_full;");
  add(out, "@%redflag_p and.b32 %redflag_tag, %redflag_tag, " + word(~(Tag::kOthers - 1)) + ";");
  add(out, "@%redflag_p add.u32 %redflag_tag, %redflag_tag, " + word(Tag::kInterval) + ";");
  add(out, "@%redflag_p bra " + end + ";");
  slow(device::kHotPass, {}, "%redflag_tag", "%redflag_log", "tag", out);
  add(out, end + ":");
  add(out, "or.b32 %redflag_last, %redflag_tag, " + number(Tag{}.last_phase().bits) + ";");
}
void Hot::met(std::string& out) {
  next_phase("", out);
}
void Hot::count(std::string& out) {
  count_full(out);
  next_phase("@%redflag_full ", out);
}

void Hot::call(const device::HotHook& hook, std::initializer_list<std::string> arguments,
               std::string& out) {
  count(out);
  slow(hook, arguments, "%redflag_tag", "%redflag_m", nullptr, out);
}

void Hot::access(const Plan& plan, std::uint32_t site, const std::string& address,
                 const std::string& value, std::string& out) {
  if (is_narrow(plan)) return shared(plan, site, address, value, out);
  if (has_words(plan) && plan.what.memory == device::Memory::kGlobal &&
      site < 1U << gpu::compact::kSiteBits) {
    return global(plan, site, address, value, out);
  }
  const std::string what = number(plan.what.packed());
  if (plan.what.deed == device::Deed::kRead) {
    return call(device::kHotLoad, {address, number(site), what}, out);
  }
  call(device::kHotStore, {address, number(site), what, value}, out);
}

void Hot::range(const Plan& plan, std::uint32_t site, const std::string& address,
                const Range& range, std::string& out) {
  // All turns but the last are behind meetings, of which nothing is told.
  count_full(out);
  slow(device::kHotRange,
       {address, number(site), number(plan.what.packed()),
        number(static_cast<std::uint64_t>(range.stride)), number(range.count)},
       "%redflag_tag", "%redflag_m", nullptr, out);
  next_phase("@%redflag_full ", out);
}

void Hot::atomic(const Plan& plan, std::uint32_t site, const std::string& address,
                 const std::string& value, std::string& out) {
  if (is_narrow(plan)) return swapped(plan, site, address, value, out);
  call(device::kHotAtomic, {address, number(site), number(plan.what.packed()), value}, out);
}

// An atomic of shared memory races with what is not one.
void Hot::swapped(const Plan& plan, std::uint32_t site, const std::string& address,
                  const std::string& value, std::string& out) {
  const std::string end = label();
  add(out, "{\n.reg .b64 %redflag_wide;\n.reg .b32 %redflag_mark;");
  count(out);
  add(out,
      "or.b32 %redflag_t, %redflag_tag, " + number((site & (Tag::kPhase - 1)) | Tag::kMark) + ";");
  add(out, "mad.lo.u32 %redflag_a, " + address + ", %redflag_scale, %redflag_shadow;");
  add(out, "ld.volatile.shared.v2.u32 {%redflag_r, %redflag_w}, [%redflag_a];");
  add(out, "and.b32 %redflag_mark, %redflag_w, " + number(Tag::kMark) + ";");
  is_written("%redflag_w", true, out);
  add(out, "setp.eq.and.u32 %redflag_p, %redflag_mark, 0, %redflag_p;");
  is_read("%redflag_r", false, out);
  add(out, "@!%redflag_p st.volatile.shared.u32 [%redflag_a+4], %redflag_t;");
  add(out, "@!%redflag_p bra " + end + ";");
  add(out, "cvt.u64.u32 %redflag_wide, " + address + ";");
  slow(device::kHotAtomic, {"%redflag_wide", number(site), number(plan.what.packed()), value},
       "%redflag_t", "%redflag_m", nullptr, out);
  add(out, "}\n" + end + ":");
}

// Tags lie in pairs, of the read and of the write.
void Hot::shared(const Plan& plan, std::uint32_t site, const std::string& address,
                 const std::string& value, std::string& out) {
  const std::uint64_t words = plan.what.bytes / 4;
  const bool writes = plan.what.deed == device::Deed::kWrite;
  const std::string end = label();
  const std::string what = number(plan.what.packed());
  add(out, "{\n.reg .b64 %redflag_wide;\n.reg .b32 %redflag_before<4>;");
  count(out);
  add(out, "or.b32 %redflag_t, %redflag_tag, " + number(site & (Tag::kPhase - 1)) + ";");
  add(out, "mad.lo.u32 %redflag_a, " + address + ", %redflag_scale, %redflag_shadow;");
  for (std::uint64_t i = 0; i < words; ++i) {
    const std::string at = "[%redflag_a+" + number(i * 8);
    const std::string written = "[%redflag_a+" + number(i * 8 + 4) + "]";
    // Who comes second sees the first, however close they are: both tell before they look.
    if (writes) {
      const std::string before = "%redflag_before" + number(i);
      add(out, "atom.shared.exch.b32 " + before + ", " + written + ", %redflag_t;");
      add(out, "ld.volatile.shared.u32 %redflag_r, " + at + "];");
      add(out, "mov.b32 %redflag_w, " + before + ";");
      is_read("%redflag_r", i == 0, out);
      is_written("%redflag_w", false, out);
    } else {
      add(out, "st.volatile.shared.u32 " + at + "], %redflag_t;");
      add(out, "ld.volatile.shared.u32 %redflag_w, " + written + ";");
      is_written("%redflag_w", i == 0, out);
    }
  }
  if (writes) {
    // Of lanes that store to one place all but one find another's tag: they are asked together.
    add(out, "activemask.b32 %redflag_r;");
    add(out, "vote.sync.any.pred %redflag_p, %redflag_p, %redflag_r;");
  }
  add(out, "@!%redflag_p bra " + end + ";");
  for (std::uint64_t i = 0; writes && i < words; ++i) {
    // What was there is looked at once more.
    add(out, "st.volatile.shared.u32 [%redflag_a+" + number(i * 8 + 4) + "], %redflag_before" +
                 number(i) + ";");
  }
  add(out, "cvt.u64.u32 %redflag_wide, " + address + ";");
  if (writes) {
    slow(device::kHotStore, {"%redflag_wide", number(site), what, value}, "%redflag_t",
         "%redflag_m", nullptr, out);
  } else {
    slow(device::kHotLoad, {"%redflag_wide", number(site), what}, "%redflag_t", "%redflag_m",
         nullptr, out);
  }
  add(out, "}\n" + end + ":");
}

// Two rows of 16 lanes: a record for each.
void Hot::halves(bool writes, std::uint32_t site, const std::string& address,
                 const std::string& rest, const std::string& next, std::string& out) {
  add(out, "match.any.sync.b64 %redflag_t, %redflag_d, %redflag_m;");
  add(out, "selp.b32 %redflag_a, -65536, 65535, %redflag_upper;");
  add(out, "setp.eq.u32 %redflag_p, %redflag_t, %redflag_a;");
  if (writes) {  // not two lanes to one place
    add(out, "match.any.sync.b64 %redflag_t, " + address + ", %redflag_m;");
    add(out, "mov.u32 %redflag_a, %lanemask_eq;");
    add(out, "setp.eq.and.u32 %redflag_p, %redflag_t, %redflag_a, %redflag_p;");
  }
  add(out, "and.b32 %redflag_t, %redflag_log, " + number(kLogBytes - 1) + ";");
  add(out, "setp.ne.and.u32 %redflag_p, %redflag_t, " + number(kLogBytes - 8) + ", %redflag_p;");
  add(out, "vote.sync.all.pred %redflag_p, %redflag_p, %redflag_m;");
  add(out, "@!%redflag_p bra " + rest + ";");
  const std::string low = number(Record::constant(writes, site, Pattern::kLow));
  const std::string high = number(Record::constant(writes, site, Pattern::kHigh));
  add(out, "{\n.reg .b64 %redflag_k;");
  add(out, "selp.b64 %redflag_k, " + high + ", " + low + ", %redflag_upper;");
  add(out, "add.s64 %redflag_d, %redflag_d, %redflag_k;\n}");
  add(out, "selp.b32 %redflag_a, 8, 0, %redflag_upper;");
  add(out, "add.u32 %redflag_a, %redflag_a, %redflag_log;");
  add(out, "@%redflag_head st.shared.u64 [%redflag_a], %redflag_d;");
  add(out, "add.u32 %redflag_log, %redflag_log, 16;\nbra " + next + ";");
}

void Hot::global(const Plan& plan, std::uint32_t site, const std::string& address,
                 const std::string& value, std::string& out) {
  const std::uint32_t width = plan.what.bytes == 4 ? 0 : plan.what.bytes == 8 ? 1 : 2;
  const bool writes = plan.what.deed == device::Deed::kWrite;
  const Pattern patterns[] = {Pattern::kWords, Pattern::kPairs, Pattern::kQuads};
  const std::string end = label(), rest = label(), odd = label(), next = label();
  count(out);
  add(out, "@!%redflag_full bra " + rest + ";");
  add(out, "sub.s64 %redflag_d, " + address + ", %redflag_lane" + number(width) + ";");
  add(out, "match.all.sync.b64 %redflag_t|%redflag_p, %redflag_d, %redflag_m;");
  add(out, "@!%redflag_p bra " + (width == 0 ? odd : rest) + ";");
  add(out, "add.s64 %redflag_d, %redflag_d, " +
               number(Record::constant(writes, site, patterns[width])) + ";");
  add(out, "@%redflag_first st.shared.u64 [%redflag_log], %redflag_d;");
  add(out, "add.u32 %redflag_log, %redflag_log, 8;");
  if (width == 0) add(out, next + ":");
  add(out, "and.b32 %redflag_t, %redflag_log, " + number(kLogBytes - 1) + ";");
  add(out, "setp.ne.u32 %redflag_p, %redflag_t, 0;");
  add(out, "@%redflag_p bra " + end + ";");
  slow(device::kHotFlush, {}, "%redflag_tag", "%redflag_log", "log", out);
  add(out, "bra " + end + ";");
  if (width == 0) {
    add(out, odd + ":");
    halves(writes, site, address, rest, next, out);
  }
  add(out, rest + ":");
  slow(device::kHotGlobal, {address, number(site), number(plan.what.packed()), value},
       "%redflag_tag", "%redflag_log", "log", out);
  add(out, end + ":");
}

}  // namespace redflag::rewrite
