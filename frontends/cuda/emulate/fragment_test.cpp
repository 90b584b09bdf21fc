// wmma.load, wmma.mma and wmma.store together against a plain triple loop, for every type, layout and
// space; ldmatrix and stmatrix against the places that the manual draws.
#include <bit>
#include <map>

#include "frontends/cuda/emulate/half_bits.h"
#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using testing::address;
using testing::Gpu;
using testing::Keeper;
using testing::kernel;

// A type of elements: its bytes in memory, and how many registers of so many bits hold `elements`.
struct Kind {
  std::string name;
  unsigned bytes;
  unsigned registers(unsigned elements) const {
    return bytes >= 4 ? elements : elements * bytes / 4;
  }
  std::string prefix() const { return bytes == 8 ? "%d" : "%r"; }

  std::uint64_t encode(int value) const {
    if (name == "f64") return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    if (name == "f32" || name == "tf32")
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (name == "bf16") return std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16;
    if (name == "f16") return float_to_half(static_cast<float>(value));
    return static_cast<std::uint32_t>(value);
  }
  int decode(const std::byte* from) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, from, bytes);
    const auto low = static_cast<std::uint32_t>(bits);
    if (name == "f64") return static_cast<int>(std::bit_cast<double>(bits));
    if (name == "f32") return static_cast<int>(std::bit_cast<float>(low));
    if (name == "f16") return static_cast<int>(half_to_float(static_cast<std::uint16_t>(bits)));
    return static_cast<int>(low);
  }
};
Kind kind(const std::string& name) {
  const unsigned bytes = name == "f64"                     ? 8
                         : name == "f16" || name == "bf16" ? 2
                         : name == "s8" || name == "u8"    ? 1
                                                           : 4;
  return {name, bytes};
}

struct Case {
  unsigned m, n, k;
  const char* operands;
  const char* sum;
};
const Case kCases[] = {
    {16, 16, 16, "f16", "f32"}, {16, 16, 16, "f16", "f16"},  {32, 8, 16, "f16", "f32"},
    {8, 32, 16, "f16", "f16"},  {16, 16, 16, "bf16", "f32"}, {32, 8, 16, "bf16", "f32"},
    {8, 32, 16, "bf16", "f32"}, {16, 16, 8, "tf32", "f32"},  {16, 16, 16, "s8", "s32"},
    {16, 16, 16, "u8", "s32"},  {32, 8, 16, "s8", "s32"},    {8, 32, 16, "u8", "s32"},
    {8, 8, 4, "f64", "f64"},
};

// Registers first .. first + count - 1 as a vector.
std::string vector(const std::string& prefix, unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ",") + prefix + std::to_string(first + i);
  }
  return text + "}";
}

// A matrix in memory: by rows or columns, lines `stride` elements apart.
struct Matrix {
  unsigned rows, columns, stride;
  bool by_column;
  std::size_t at(unsigned row, unsigned column) const {
    return by_column ? std::size_t{column} * stride + row : std::size_t{row} * stride + column;
  }
  std::size_t elements() const { return std::size_t{by_column ? columns : rows} * stride; }
};
Matrix matrix(unsigned rows, unsigned columns, bool by_column, unsigned more) {
  return {rows, columns, (by_column ? rows : columns) + more, by_column};
}

// Copies of global memory in shared memory, where loads and stores are to go there.
std::string copy(const std::string& to, const std::string& from, std::size_t bytes) {
  const std::string n = std::to_string(bytes);
  return "mov.u32 %r38, %t;\nC" + to.substr(1) + ": cvt.u64.u32 %l20, %r38; add.s64 %l21, " + from +
         ", %l20; add.s64 %l22, " + to +
         ", %l20; ld.u8 %h1, [%l21]; st.u8 [%l22], %h1;"
         "add.u32 %r38, %r38, 32; setp.lt.u32 %p1, %r38, " +
         n + "; @%p1 bra C" + to.substr(1) + ";\nbar.warp.sync -1;\n";
}

void multiply(const Case& c, const std::string& space, bool a_by_column, bool b_by_column,
              bool d_by_column, unsigned more) {
  const Kind in = kind(c.operands), sum = kind(c.sum);
  const Matrix a = matrix(c.m, c.k, a_by_column, more), b = matrix(c.k, c.n, b_by_column, more),
               d = matrix(c.m, c.n, d_by_column, more);
  const std::size_t a_bytes = a.elements() * in.bytes, b_bytes = b.elements() * in.bytes,
                    d_bytes = d.elements() * sum.bytes;
  const bool f16 = in.name == "f16";
  const unsigned ra = in.registers(f16 ? 16 : c.m * c.k / 32),
                 rb = in.registers(f16 ? 16 : c.k * c.n / 32), rc = sum.registers(c.m * c.n / 32);
  const std::string shape =
      "m" + std::to_string(c.m) + "n" + std::to_string(c.n) + "k" + std::to_string(c.k);
  const auto layout = [](bool by_column) { return by_column ? ".col." : ".row."; };
  // Bases: 64 bits in global and generic space, 32 in shared.
  const bool shared = space == ".shared";
  std::string text = "add.s64 %l2, %in, " + std::to_string(a_bytes) + "; add.s64 %l3, %l2, " +
                     std::to_string(b_bytes) + ";\n";
  const std::string bases[] = {shared ? "%r30" : "%in", shared ? "%r31" : "%l2",
                               shared ? "%r32" : "%l3", shared ? "%r33" : "%out"};
  if (shared) {
    text +=
        "mov.u32 %r30, tile; add.u32 %r31, %r30, 4096; add.u32 %r32, %r30, 8192; add.u32 %r33, "
        "%r30, 16384;"
        "mov.u64 %l4, tile; cvta.shared.u64 %l4, %l4; add.s64 %l5, %l4, 4096; add.s64 %l6, %l4, "
        "8192;"
        "add.s64 %l7, %l4, 16384;\n" +
        copy("%l4", "%in", a_bytes) + copy("%l5", "%l2", b_bytes) + copy("%l6", "%l3", d_bytes);
  }
  const auto load = [&](char which, const Matrix& from, const Kind& type, unsigned first,
                        unsigned registers, const std::string& base) {
    text += std::string("wmma.load.") + which + ".sync.aligned" + layout(from.by_column) + shape +
            space + "." + type.name + " " + vector(type.prefix(), first, registers) + ", [" + base +
            "]" + (more == 0 ? "" : ", " + std::to_string(from.stride)) + ";\n";
  };
  load('a', a, in, 0, ra, bases[0]);
  load('b', b, in, ra, rb, bases[1]);
  load('c', d, sum, ra + rb, rc, bases[2]);
  const std::string types = f16 ? "." + sum.name + "." + sum.name
                                : "." + sum.name + "." + in.name + "." + in.name + "." + sum.name;
  const std::string r = sum.prefix();
  text += "wmma.mma.sync.aligned" + std::string(layout(a_by_column)) +
          (b_by_column ? "col." : "row.") + shape + types + " " + vector(r, ra + rb, rc) + ", " +
          vector(in.prefix(), 0, ra) + ", " + vector(in.prefix(), ra, rb) + ", " +
          vector(r, ra + rb, rc) + ";\n" + "wmma.store.d.sync.aligned" + layout(d_by_column) +
          shape + space + "." + sum.name + " [" + bases[3] + "], " + vector(r, ra + rb, rc) +
          (more == 0 ? "" : ", " + std::to_string(d.stride)) + ";\n";
  if (shared) text += copy("%out", "%l7", d_bytes);

  Keeper keeper;
  Gpu device(kernel(text, ".shared .align 32 .b8 tile[24576];\n"), {.sink = &keeper});
  auto* const input = device.array<std::byte>(a_bytes + b_bytes + d_bytes);
  auto* const output = device.array<std::byte>(d_bytes);
  const bool is_signed = in.name != "u8";
  const auto value = [&](unsigned row, unsigned column, unsigned seed) {
    const auto code = static_cast<int>((row * 7 + column * 13 + seed * 5) % 8);
    return is_signed ? code - 3 : code;
  };
  const auto fill = [&](std::byte* to, const Matrix& shape_of, const Kind& type, unsigned seed) {
    for (unsigned i = 0; i < shape_of.rows; ++i) {
      for (unsigned j = 0; j < shape_of.columns; ++j) {
        const std::uint64_t code = type.encode(value(i, j, seed));
        std::memcpy(to + shape_of.at(i, j) * type.bytes, &code, type.bytes);
      }
    }
  };
  fill(input, a, in, 1);
  fill(input + a_bytes, b, in, 2);
  fill(input + a_bytes + b_bytes, d, sum, 3);
  const Fault fault =
      device.launch("k", {.grid = {1}, .block = {32}}, address(output), address(input), 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  for (unsigned i = 0; i < c.m; ++i) {
    for (unsigned j = 0; j < c.n; ++j) {
      int wanted = value(i, j, 3);
      for (unsigned l = 0; l < c.k; ++l) wanted += value(i, l, 1) * value(l, j, 2);
      ASSERT_EQ(sum.decode(output + d.at(i, j) * sum.bytes), wanted)
          << shape << types << space << " row " << i << " column " << j;
    }
  }
  // Every byte of the matrices was told once, and nothing else.
  if (shared) return;
  const auto told = [&](gpu::StepKind step) {
    std::map<std::uint64_t, unsigned> bytes;
    for (const testing::KeptStep& each : keeper.of(step)) {
      for (const std::uint64_t from : each.addresses) {
        for (unsigned i = 0; i < each.size; ++i) ++bytes[from + i];
      }
    }
    return bytes;
  };
  std::map<std::uint64_t, unsigned> reads, writes;
  const auto want = [](std::map<std::uint64_t, unsigned>& into, const std::byte* from,
                       const Matrix& of, unsigned bytes) {
    for (unsigned i = 0; i < of.rows; ++i) {
      for (unsigned j = 0; j < of.columns; ++j) {
        for (unsigned l = 0; l < bytes; ++l) into[address(from) + of.at(i, j) * bytes + l] = 1;
      }
    }
  };
  want(reads, input, a, in.bytes);
  want(reads, input + a_bytes, b, in.bytes);
  want(reads, input + a_bytes + b_bytes, d, sum.bytes);
  want(writes, output, d, sum.bytes);
  EXPECT_EQ(told(gpu::StepKind::kRead), reads);
  EXPECT_EQ(told(gpu::StepKind::kWrite), writes);
}

TEST(Fragments, LoadMultiplyAndStoreAsATripleLoop) {
  for (const Case& each : kCases) {
    for (const char* const space : {"", ".global", ".shared"}) {
      for (unsigned layouts = 0; layouts < 8; ++layouts) {
        multiply(each, space, (layouts & 1) != 0, (layouts & 2) != 0, (layouts & 4) != 0,
                 layouts % 3 == 0 ? 16 : 0);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Fragments, OutsideTheirAllocationAreAFault) {
  Gpu device(
      kernel("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, "
             "[%in], 20;"));
  auto* const in = device.array<float>(16 * 20 - 5);
  const Fault fault =
      device.launch("k", {.grid = {1}, .block = {32}}, std::uint64_t{0}, address(in), 0U);
  EXPECT_EQ(fault.kind, FaultKind::kOutOfBounds) << fault.text;
  EXPECT_FALSE(fault.wrote);
}

TEST(Fragments, OfOtherTypesAreNamed) {
  Gpu device(kernel("wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%r0}, [%in];"));
  const Result<KernelId> found = device.device.find_kernel(device.id, "k");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("fragments of this type are not emulated"),
            std::string::npos)
      << found.error().message;
}

// Rows of four matrices come from the addresses of 32 lanes, 16 bytes each.
TEST(Matrices, LdmatrixAndStmatrix) {
  for (const bool transposed : {false, true}) {
    for (const unsigned matrices : {1U, 2U, 4U}) {
      const std::string how = ".sync.aligned.m8n8.x" + std::to_string(matrices) +
                              (transposed ? ".trans" : "") + ".shared.b16 ";
      std::string text = R"(
        mov.u64 %l4, tile; cvta.shared.u64 %l4, %l4; mul.wide.u32 %l5, %t, 16; add.s64 %l6, %in, %l5;
        ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%l6];
        mov.u32 %r20, tile; mad.lo.u32 %r21, %t, 16, %r20;
        st.shared.v4.u32 [%r21], {%r10, %r11, %r12, %r13};
        bar.warp.sync -1;
      )" + ("ldmatrix" + how + vector("%r", 0, matrices) + ", [%r21];\n") +
                         "add.u32 %r22, %r21, 512;\nstmatrix" + how + "[%r22], " +
                         vector("%r", 0, matrices) + ";\nbar.warp.sync -1;\n" +
                         "mul.wide.u32 %l7, %t, 4; add.s64 %l7, %out, %l7;\n";
      for (unsigned m = 0; m < matrices; ++m) {
        text += "st.global.u32 [%l7+" + std::to_string(128 * m) + "], %r" + std::to_string(m) + ";";
      }
      text +=
          "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r22]; add.s64 %l8, %out, %l5;"
          "st.global.v4.u32 [%l8+512], {%r10, %r11, %r12, %r13};";
      Keeper keeper;
      Gpu device(kernel(text, ".shared .align 16 .b8 tile[1024];\n"), {.sink = &keeper});
      auto* const in = device.array<std::uint16_t>(256);
      auto* const out = device.array<std::uint16_t>(512);
      for (std::uint16_t i = 0; i < 256; ++i) in[i] = static_cast<std::uint16_t>(1000 + i);
      const Fault fault =
          device.launch("k", {.grid = {1}, .block = {32}}, address(out), address(in), 0U);
      ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
      for (unsigned m = 0; m < matrices; ++m) {
        for (unsigned lane = 0; lane < 32; ++lane) {
          for (unsigned i = 0; i < 2; ++i) {
            const unsigned row = lane / 4, column = lane % 4 * 2 + i;
            const unsigned from = transposed ? column * 8 + row : row * 8 + column;
            ASSERT_EQ(out[m * 64 + lane * 2 + i], 1000 + m * 64 + from) << how << lane;
          }
        }
      }
      // What was stored the same way is the same matrix.
      for (unsigned i = 0; i < matrices * 64; ++i) ASSERT_EQ(out[256 + i], 1000 + i) << how;
      const gpu::Lanes rows = matrices == 4 ? ~0U : (1U << 8 * matrices) - 1;
      EXPECT_EQ(keeper.of(gpu::StepKind::kRead)[1].lanes, rows);
      EXPECT_EQ(keeper.of(gpu::StepKind::kRead)[1].size, 16);
      EXPECT_EQ(keeper.of(gpu::StepKind::kWrite)[1].lanes, rows);
    }
  }
}

}  // namespace
}  // namespace redflag::cuda
