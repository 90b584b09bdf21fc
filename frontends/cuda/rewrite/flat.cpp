#include "frontends/cuda/rewrite/flat.h"

#include "core/detect/gpu/compact/flat.h"
#include "frontends/cuda/device/compact_state.h"
#include "frontends/cuda/rewrite/text.h"

namespace redflag::rewrite {
namespace {

using Cell = gpu::compact::Flat;

constexpr std::uint32_t kPhase = 1U << Cell::kPhaseAt;
constexpr std::uint32_t kPhases = Cell::kLastPhase << Cell::kPhaseAt;
constexpr std::uint32_t kTime = 1U << Cell::kTimeAt;
constexpr std::uint32_t kTimes = Cell::kLastTime << Cell::kTimeAt;

}  // namespace

bool Flat::can_tell(const Plan& plan) {
  const device::What& what = plan.what;
  return plan.action == Action::kStore && what.memory == device::Memory::kGlobal &&
         (what.bytes == 4 || what.bytes == 8 || what.bytes == 16);
}

void Flat::declare(std::string& out) const {
  add(out, ".reg .b64 %redflag_ftable;");
  add(out, ".reg .b32 %redflag_fupper, %redflag_flower, %redflag_fm, %redflag_flanes;");
  add(out, ".reg .pred %redflag_ffull;");
}

void Flat::enter(const std::string& launch, std::string& out) {
  calls_.need(device::kFlatEnter);
  add(out, "{\n.param .align 8 .b8 redflag_rv[16];\n.reg .b64 %redflag_cell;");
  add(out, ".param .b64 redflag_p0;\nst.param.b64 [redflag_p0], " + launch + ";");
  add(out, std::string("call.uni (redflag_rv), ") + device::kFlatEnter + ", (redflag_p0);");
  add(out, "ld.param.b64 %redflag_ftable, [redflag_rv];");
  add(out, "ld.param.b64 %redflag_cell, [redflag_rv+8];");
  add(out, "mov.b64 {%redflag_flower, %redflag_fupper}, %redflag_cell;\n}");
  add(out, "activemask.b32 %redflag_flanes;");  // all of the warp, at its begin
}

void Flat::store(const Plan& plan, std::uint32_t site, const std::string& address,
                 const std::string& value, std::string& out) {
  const std::string end = label();
  const std::uint32_t number = site - first_site_;
  constexpr unsigned kPageBits = device::compact::kPageBits;
  constexpr unsigned kIndexBits = device::compact::kRegionBits - kPageBits;
  add(out, "{\n.reg .b64 %redflag_fat, %redflag_fcell, %redflag_fold, %redflag_fnew;");
  add(out, ".reg .b32 %redflag_fx, %redflag_fo, %redflag_fn;\n.reg .pred %redflag_fp;");
  add(out, "activemask.b32 %redflag_fm;");
  add(out, "setp.eq.u64 %redflag_fp, %redflag_ftable, 0;");
  add(out, "@%redflag_fp bra " + end + ";");
  add(out,
      "bfe.u64 %redflag_fat, " + address + ", " + word(kPageBits) + ", " + word(kIndexBits) + ";");
  add(out, "shl.b64 %redflag_fat, %redflag_fat, 3;");
  add(out, "add.s64 %redflag_fat, %redflag_fat, %redflag_ftable;");
  add(out, "ld.global.nc.u64 %redflag_fcell, [%redflag_fat];");
  add(out, "setp.eq.u64 %redflag_fp, %redflag_fcell, 0;");
  add(out, "@%redflag_fp bra " + end + ";");
  add(out, "and.b64 %redflag_fat, " + address + ", " + word((1U << kPageBits) - 4) + ";");
  add(out, "shl.b64 %redflag_fat, %redflag_fat, 1;");
  add(out, "add.s64 %redflag_fcell, %redflag_fcell, %redflag_fat;");
  add(out, "or.b32 %redflag_fn, %redflag_flower, " + word(number) + ";");
  add(out, "mov.b64 %redflag_fnew, {%redflag_fn, %redflag_fupper};");
  const unsigned words = plan.what.bytes / 4;
  for (unsigned i = 0; i < words; ++i) {
    const std::string at = "[%redflag_fcell+" + word(i * 8) + "]";
    // Of several words one that was written is enough.
    const std::string old = i == 0 ? "%redflag_fold" : "%redflag_fat";
    add(out, "atom.global.exch.b64 " + old + ", " + at + ", %redflag_fnew;");
    if (i != 0) {
      add(out, "mov.b64 {%redflag_fx, %redflag_fo}, %redflag_fat;");
      add(out, "xor.b32 %redflag_fo, %redflag_fo, %redflag_fupper;");
      add(out, "setp.lt.u32 %redflag_fp, %redflag_fo, " + word(Cell::kOneLaunch) + ";");
      add(out, "selp.b64 %redflag_fold, %redflag_fat, %redflag_fold, %redflag_fp;");
    }
  }
  add(out, "mov.b64 {%redflag_fx, %redflag_fo}, %redflag_fold;");
  add(out, "xor.b32 %redflag_fo, %redflag_fo, %redflag_fupper;");
  add(out, "setp.lt.u32 %redflag_fp, %redflag_fo, " + word(Cell::kOneLaunch) + ";");
  add(out, "activemask.b32 %redflag_fx;");
  add(out, "vote.sync.any.pred %redflag_fp, %redflag_fp, %redflag_fx;");
  add(out, "@!%redflag_fp bra " + end + ";");
  calls_.need(device::kFlatMet);
  const struct {
    const char* type;
    std::string value;
  } arguments[] = {{".b64", address},
                   {".b32", word(number)},
                   {".b32", word(plan.what.packed())},
                   {".b64", value},
                   {".b64", "%redflag_fold"},
                   {".b64", "%redflag_fnew"},
                   {".b32", word(first_site_)},
                   {".b64", "%redflag_fat"}};
  add(out, "{\nld.param.u64 %redflag_fat, [redflag_launch];");
  std::string names;
  for (std::size_t i = 0; i < std::size(arguments); ++i) {
    const std::string name = "redflag_p" + std::to_string(i);
    add(out, std::string(".param ") + arguments[i].type + " " + name + ";\nst.param" +
                 arguments[i].type + " [" + name + "], " + arguments[i].value + ";");
    names += (names.empty() ? "" : ", ") + name;
  }
  add(out, std::string("call.uni ") + device::kFlatMet + ", (" + names + ");\n}");
  add(out, "}\n" + end + ":");
  met_if_full(out);
}

void Flat::pass(std::string& out) {
  const std::string end = label();
  calls_.need(device::kFlatLate);
  add(out, "{\n.reg .b32 %redflag_fx;\n.reg .pred %redflag_fp;");
  add(out, "and.b32 %redflag_fx, %redflag_flower, " + word(kTimes) + ";");
  add(out, "setp.lt.u32 %redflag_fp, %redflag_fx, " + word(kTimes - kTime) + ";");
  add(out, "and.b32 %redflag_flower, %redflag_flower, " + word(~kPhases) + ";");
  add(out, "@%redflag_fp add.u32 %redflag_flower, %redflag_flower, " + word(kTime) + ";");
  add(out, "@%redflag_fp bra " + end + ";");
  add(out, "setp.ne.u64 %redflag_fp, %redflag_ftable, 0;");
  add(out, "@!%redflag_fp bra " + end + ";");
  add(out, std::string("call.uni ") + device::kFlatLate + ";");
  add(out, "mov.u64 %redflag_ftable, 0;");
  add(out, "}\n" + end + ":");
}

// Phases stay at the last one.
void Flat::met(std::string& out) {
  add(out, "{\n.reg .b32 %redflag_fx;");
  add(out, "or.b32 %redflag_fx, %redflag_flower, " + word(kPhases) + ";");
  add(out, "add.u32 %redflag_flower, %redflag_flower, " + word(kPhase) + ";");
  add(out, "min.u32 %redflag_flower, %redflag_flower, %redflag_fx;\n}");
}

void Flat::met_if_full(std::string& out) {
  const std::string end = label();
  add(out, "setp.ne.u32 %redflag_ffull, %redflag_fm, %redflag_flanes;");
  add(out, "@%redflag_ffull bra " + end + ";");
  met(out);
  add(out, end + ":");
}

void Flat::count(std::string& out) {
  add(out, "activemask.b32 %redflag_fm;");
  met_if_full(out);
}

}  // namespace redflag::rewrite
