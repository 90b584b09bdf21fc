// Products of matrices against a plain triple loop, with the manual's layouts written out once more.
#include <cmath>

#include "frontends/cuda/values/fragment.h"
#include "frontends/cuda/values/testing.h"

namespace redflag::cuda {
namespace {

using testing::Lanes;
using testing::Operation;
using u64 = std::uint64_t;

// Codes of small integers, which every format holds and whose sums are exact.
u64 encode(const std::string& type, int value) {
  if (type == "f64") return testing::bits_of(static_cast<double>(value));
  const u64 f32 = testing::bits_of(static_cast<float>(value));
  if (type == "f32" || type == "tf32") return f32;
  if (type == "bf16") return f32 >> 16;
  if (type == "f16") {
    if (value == 0) return 0;
    const u64 sign = f32 >> 31 << 15;
    return sign | ((f32 >> 13 & 0x3ffffU) - (112U << 10));
  }
  if (type == "e4m3" || type == "e5m2") {
    if (value == 0) return 0;
    const u64 sign = f32 >> 31 << 7;
    const bool e4m3 = type == "e4m3";
    return sign |
           ((f32 >> (e4m3 ? 20 : 21) & (e4m3 ? 0x7ffU : 0x3ffU)) - (e4m3 ? 120U << 3 : 112U << 2));
  }
  const unsigned bits = type == "s4" || type == "u4" ? 4 : type == "s8" || type == "u8" ? 8 : 32;
  return static_cast<u64>(value) & ((u64{1} << bits) - 1);
}
unsigned bits_in(const std::string& type) {
  if (type == "f64") return 64;
  if (type == "f32" || type == "tf32" || type == "s32") return 32;
  if (type == "f16" || type == "bf16") return 16;
  return type == "s4" || type == "u4" ? 4 : 8;
}
unsigned per_register(const std::string& type) {
  return type == "f64" ? 1 : 32 / bits_in(type);
}

struct Case {
  unsigned m, n, k;
  const char* d;
  const char* a;
  const char* b;
  const char* c;
};
const Case kCases[] = {
    {16, 8, 8, "f32", "f16", "f16", "f32"},    {16, 8, 8, "f16", "f16", "f16", "f16"},
    {16, 8, 16, "f32", "f16", "f16", "f32"},   {16, 8, 16, "f16", "f16", "f16", "f16"},
    {16, 8, 8, "f32", "bf16", "bf16", "f32"},  {16, 8, 16, "f32", "bf16", "bf16", "f32"},
    {16, 8, 4, "f32", "tf32", "tf32", "f32"},  {16, 8, 8, "f32", "tf32", "tf32", "f32"},
    {8, 8, 4, "f64", "f64", "f64", "f64"},     {16, 8, 4, "f64", "f64", "f64", "f64"},
    {16, 8, 8, "f64", "f64", "f64", "f64"},    {16, 8, 16, "f64", "f64", "f64", "f64"},
    {8, 8, 16, "s32", "s8", "s8", "s32"},      {16, 8, 16, "s32", "u8", "s8", "s32"},
    {16, 8, 32, "s32", "s8", "u8", "s32"},     {8, 8, 32, "s32", "s4", "u4", "s32"},
    {16, 8, 32, "s32", "s4", "s4", "s32"},     {16, 8, 64, "s32", "u4", "s4", "s32"},
    {16, 8, 32, "f32", "e4m3", "e5m2", "f32"}, {16, 8, 32, "f16", "e5m2", "e5m2", "f16"},
    {16, 8, 16, "f32", "e4m3", "e4m3", "f32"},
};

// PTX ISA 9.7.14.5: rows and columns of the lane's elements, by the formulas printed there.
struct Place {
  unsigned row, column;
};
Place place_a(const Case& c, unsigned lane, unsigned i) {
  const unsigned group = lane >> 2;
  const unsigned in_group = lane % 4;
  const unsigned e = per_register(c.a);
  if (c.m == 8) return {group, in_group * e + i};
  if (e ==
      1) {  // tf32 and f64: a0 a2 .. in row group, a1 a3 .. eight below; four columns on for each two
    return {i % 2 == 0 ? group : group + 8, in_group + 4 * (i / 2)};
  }
  // (0 <= i < e || 2e <= i < 3e) is row group; the second half of the columns begins at i = 2e.
  const bool first_rows = i < e || (i >= 2 * e && i < 3 * e);
  return {first_rows ? group : group + 8, in_group * e + i % e + (i < 2 * e ? 0 : 4 * e)};
}
Place place_b(const Case& c, unsigned lane, unsigned i) {
  const unsigned e = per_register(c.b);
  return {(lane % 4) * e + i % e + 4 * e * (i / e), lane >> 2};
}
Place place_c(unsigned lane, unsigned i) {
  return {i < 2 ? lane >> 2 : (lane >> 2) + 8, (lane % 4) * 2 + (i & 1U)};
}

using Matrix = std::vector<std::vector<int>>;
Matrix random_matrix(unsigned rows, unsigned columns, bool is_signed, std::mt19937_64& random) {
  Matrix out(rows, std::vector<int>(columns));
  for (auto& row : out) {
    for (int& v : row) v = static_cast<int>(random() % 4) - (is_signed ? 2 : 0);
  }
  return out;
}
std::string registers(const char* reg, unsigned from, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i != 0 ? ", %" : "%") + std::string(reg) + std::to_string(from + i);
  return text + "}";
}
template <typename F>
void gather(std::vector<Lanes>& into, std::size_t first, const std::string& type, unsigned elements,
            const Matrix& matrix, F place) {
  const unsigned e = per_register(type);
  for (unsigned lane = 0; lane < testing::kLanes; ++lane) {
    for (unsigned i = 0; i < elements; ++i) {
      const auto at = place(lane, i);
      into[first + i / e][lane] |= encode(type, matrix[at.row][at.column])
                                   << (i % e * bits_in(type) % 64);
    }
  }
}
const char* reg_of(const std::string& type) {
  return type == "f64" ? "d" : type == "f32" ? "f" : "r";
}

TEST(Mma, AgainstATripleLoop) {
  std::mt19937_64 random(81);
  for (const Case& c : kCases) {
    const unsigned a_count = c.m * c.k / 32;
    const unsigned b_count = c.k * c.n / 32;
    const unsigned c_count = c.m * c.n / 32;
    const unsigned a_regs = a_count / per_register(c.a);
    const unsigned b_regs = b_count / per_register(c.b);
    const unsigned c_regs = c_count / per_register(c.c);
    const std::string text =
        "mma.sync.aligned.m" + std::to_string(c.m) + "n" + std::to_string(c.n) + "k" +
        std::to_string(c.k) + ".row.col." + c.d + "." + c.a + "." + c.b + "." + c.c + " " +
        registers(reg_of(c.d), 0, c_regs) + ", " + registers(reg_of(c.a), 8, a_regs) + ", " +
        registers(reg_of(c.b), c.a == std::string("f64") ? 0 : 20, b_regs) + ", " +
        registers(reg_of(c.c), 0, c_regs) + ";";
    Operation op(text);
    if (!op.good()) continue;
    const Matrix a = random_matrix(c.m, c.k, c.a[0] != 'u', random);
    const Matrix b = random_matrix(c.k, c.n, c.b[0] != 'u', random);
    const Matrix add = random_matrix(c.m, c.n, true, random);
    std::vector<Lanes> in(a_regs + b_regs + c_regs);
    gather(in, 0, c.a, a_count, a, [&](unsigned lane, unsigned i) { return place_a(c, lane, i); });
    gather(in, a_regs, c.b, b_count, b,
           [&](unsigned lane, unsigned i) { return place_b(c, lane, i); });
    gather(in, a_regs + b_regs, c.c, c_count, add, place_c);
    Matrix want = add;
    for (unsigned m = 0; m < c.m; ++m) {
      for (unsigned n = 0; n < c.n; ++n) {
        for (unsigned k = 0; k < c.k; ++k) want[m][n] += a[m][k] * b[k][n];
      }
    }
    std::vector<Lanes> expected(c_regs);
    gather(expected, 0, c.d, c_count, want, place_c);
    EXPECT_EQ(op.lanes(in), expected) << text;
  }
}

TEST(Mma, SaturatesIntegers) {
  const std::string tail = ".s32.s8.s8.s32 {%r0, %r1}, {%r2}, {%r3}, {%r4, %r5};";
  Operation wraps("mma.sync.aligned.m8n8k16.row.col" + tail);
  Operation stays("mma.sync.aligned.m8n8k16.row.col.satfinite" + tail);
  EXPECT_EQ(wraps({0x01010101, 0x01010101, 0x7fffffff, 0x7fffffff}), 0x8000000fU);
  EXPECT_EQ(stays({0x01010101, 0x01010101, 0x7fffffff, 0x7fffffff}), 0x7fffffffU);
}

// The layout of fragment.h: row-major over lanes, again from the first where lanes have room.
TEST(Wmma, AgainstATripleLoop) {
  struct Shape {
    unsigned m, n, k;
    const char* a;
    const char* c;
  };
  std::mt19937_64 random(82);
  for (const Shape& s : {Shape{16, 16, 16, "f16", "f32"}, Shape{32, 8, 16, "f16", "f16"},
                         Shape{8, 32, 16, "bf16", "f32"}, Shape{16, 16, 16, "s8", "s32"},
                         Shape{16, 16, 8, "tf32", "f32"}, Shape{8, 8, 4, "f64", "f64"}}) {
    const std::string type = s.a;
    const unsigned a_count = type == "f16" ? 16 : s.m * s.k / 32;
    const unsigned b_count = type == "f16" ? 16 : s.k * s.n / 32;
    const unsigned c_count = s.m * s.n / 32;
    const unsigned a_regs = a_count / per_register(type);
    const unsigned b_regs = b_count / per_register(type);
    const unsigned c_regs = c_count / per_register(s.c);
    const std::string types = type == "f16"
                                  ? std::string(s.c) + "." + s.c
                                  : std::string(s.c) + "." + type + "." + type + "." + s.c;
    const std::string text = "wmma.mma.sync.aligned.row.col.m" + std::to_string(s.m) + "n" +
                             std::to_string(s.n) + "k" + std::to_string(s.k) + "." + types + " " +
                             registers(reg_of(s.c), 0, c_regs) + ", " +
                             registers(reg_of(type), 10, a_regs) + ", " +
                             registers(reg_of(type), type == "f64" ? 5 : 20, b_regs) + ", " +
                             registers(reg_of(s.c), 0, c_regs) + ";";
    Operation op(text);
    if (!op.good()) continue;
    const Matrix a = random_matrix(s.m, s.k, true, random);
    const Matrix b = random_matrix(s.k, s.n, true, random);
    const Matrix add = random_matrix(s.m, s.n, true, random);
    const auto place = [](unsigned rows, unsigned columns, unsigned per_lane) {
      return [=](unsigned lane, unsigned i) {
        const unsigned number = (lane * per_lane + i) % (rows * columns);
        return Place{number / columns, number % columns};
      };
    };
    std::vector<Lanes> in(a_regs + b_regs + c_regs);
    gather(in, 0, type, a_count, a, place(s.m, s.k, a_count));
    gather(in, a_regs, type, b_count, b, place(s.k, s.n, b_count));
    gather(in, a_regs + b_regs, s.c, c_count, add, place(s.m, s.n, c_count));
    Matrix want = add;
    for (unsigned m = 0; m < s.m; ++m) {
      for (unsigned n = 0; n < s.n; ++n) {
        for (unsigned k = 0; k < s.k; ++k) want[m][n] += a[m][k] * b[k][n];
      }
    }
    std::vector<Lanes> expected(c_regs);
    gather(expected, 0, s.c, c_count, want, place(s.m, s.n, c_count));
    EXPECT_EQ(op.lanes(in), expected) << text;
    const MatrixPlace last = wmma_element(s.m, s.n, c_count, 31, c_count - 1);
    EXPECT_EQ(last.row, s.m - 1);
    EXPECT_EQ(last.column, s.n - 1);
  }
}

TEST(Movmatrix, Transposes) {
  Operation op("movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;");
  Lanes in;
  for (unsigned lane = 0; lane < testing::kLanes; ++lane) {
    const unsigned row = lane / 4;
    const unsigned column = lane % 4 * 2;
    in[lane] = (100 * row + column) | (100 * row + column + 1) << 16;
  }
  const Lanes out = op.lanes({in})[0];
  for (unsigned lane = 0; lane < testing::kLanes; ++lane) {
    const unsigned row = lane / 4;
    const unsigned column = lane % 4 * 2;
    EXPECT_EQ(out[lane], (100 * column + row) | (100 * (column + 1) + row) << 16);
  }
}

}  // namespace
}  // namespace redflag::cuda
