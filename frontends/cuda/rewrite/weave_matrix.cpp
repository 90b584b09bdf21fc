// Matrices that a warp loads and stores together, as accesses of its lanes: the same pieces as the
// emulator tells (frontends/cuda/emulate/matrix.cpp, fragment.cpp).
#include <algorithm>

#include "frontends/cuda/rewrite/weave.h"

namespace redflag::rewrite {

using device::Hook;
using ptx::Mod;
using ptx::OperandKind;
using ptx::Type;

namespace {

void access(Calls& calls, std::string& out, const device::What& what, const std::string& at,
            const std::string& site) {
  if (what.deed == device::Deed::kWrite) {
    calls.call(out, Hook::kStore, {at, site, packed(what), "0"});
  } else {
    calls.call(out, Hook::kLoad, {at, site, packed(what)});
  }
}

}  // namespace

// Rows are addressed by the first lanes only: eight for each matrix.
void Weaver::matrix(const Plan& plan, Around& around) {
  Lines& lines = around.lines;
  const std::string at = lines.address(*plan.address);
  const bool is_vector = plan.data->kind == OperandKind::kVector;
  const std::size_t matrices = is_vector ? plan.data->parts().size() : 1;
  if (matrices >= 4) {
    access(calls_, around.before, plan.what, at, around.site);
    return;
  }
  const std::string lane = lines.make(Type::kB32);
  const std::string idle = lines.make(Type::kPred);
  const std::string end = label();
  lines.line("mov.u32 " + lane + ", %laneid;");
  lines.line("setp.ge.u32 " + idle + ", " + lane + ", " + std::to_string(8 * matrices) + ";");
  Lines::append(around.before, "@" + idle + " bra " + end + ";");
  access(calls_, around.before, plan.what, at, around.site);
  Lines::append(around.before, end + ":");
}

void Weaver::fragment(const ptx::Instruction& from, const Plan& plan, Around& around) {
  Lines& lines = around.lines;
  ptx::Shape shape;
  for (const Mod each : from.mods()) {
    if (ptx::shape_of(each).m != 0) shape = ptx::shape_of(each);
  }
  const std::uint32_t rows = from.has(Mod::kLetterB) ? shape.k : shape.m;
  const std::uint32_t columns = from.has(Mod::kLetterA) ? shape.k : shape.n;
  const std::uint32_t element = std::max<std::uint32_t>(ptx::bytes_of(from.type()), 1);
  const bool by_column = from.has(Mod::kCol);
  const std::uint32_t lanes_line = (by_column ? rows : columns) * element;
  const std::uint32_t piece = rows * columns * element / 32;
  const auto operands = from.operands();
  const bool strides = operands.size() > 2 && operands[2].kind != OperandKind::kNone;
  const std::string stride =
      strides ? lines.word(operands[2]) : std::to_string(lanes_line / element);
  // base + lane * piece / line * stride + lane * piece % line
  const std::string at = lines.address(*plan.address);
  const std::string byte = lines.make(Type::kB32);
  const std::string row = lines.make(Type::kB32);
  const std::string step = lines.make(Type::kB32);
  const std::string offset = lines.make(Type::kB64);
  const std::string rest = lines.make(Type::kB64);
  lines.line("mov.u32 " + byte + ", %laneid;");
  lines.line("mul.lo.u32 " + byte + ", " + byte + ", " + std::to_string(piece) + ";");
  lines.line("div.u32 " + row + ", " + byte + ", " + std::to_string(lanes_line) + ";");
  lines.line("rem.u32 " + byte + ", " + byte + ", " + std::to_string(lanes_line) + ";");
  lines.line("mul.lo.u32 " + step + ", " + row + ", " + std::to_string(element) + ";");
  lines.line("mul.wide.u32 " + offset + ", " + step + ", " + stride + ";");
  lines.line("cvt.u64.u32 " + rest + ", " + byte + ";");
  lines.line("add.s64 " + offset + ", " + offset + ", " + rest + ";");
  lines.line("add.s64 " + at + ", " + at + ", " + offset + ";");
  device::What what = plan.what;
  what.bytes = static_cast<std::uint8_t>(piece);
  access(calls_, around.before, what, at, around.site);
}

}  // namespace redflag::rewrite
