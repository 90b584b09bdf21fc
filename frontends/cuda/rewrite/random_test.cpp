// Random kernels, rewritten: the same memory as before, hooks that tell what the emulator tells, and nothing
// left out that no other hook covers.
//
// Threads have 64 bytes each in global, shared and local memory, so that no schedule changes a result; what
// they have in common is changed by reductions alone. Barriers stand where all threads come by.
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "frontends/cuda/rewrite/history_test.h"

namespace redflag::rewrite {
namespace {

constexpr unsigned kThreads = 64, kBlocks = 2, kBytes = 64;

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  std::string module() {
    std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".shared .align 16 .b8 ours[4096];\n.global .align 4 .u32 common;\n"
        ".func (.param .b32 y) touch(.param .b64 at)\n{\n.reg .b32 %r<3>; .reg .b64 %l;\n"
        "ld.param.u64 %l, [at]; ld.u32 %r1, [%l]; add.u32 %r2, %r1, 3; st.u32 [%l], %r2; "
        "ld.u32 %r1, [%l]; st.param.b32 [y], %r1; ret;\n}\n"
        ".visible .entry k(.param .u64 out)\n{\n.local .align 16 .b8 mine[64];\n"
        ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b32 %s<2>; .reg .b32 %n<9>; .reg .b64 %l<4>; "
        ".reg .b64 %g<3>; .reg .b64 %x<4>; .reg .f32 %f<2>; .reg .b32 %t<6>; .reg .b64 %y<4>;\n"
        "ld.param.u64 %g0, [out]; mov.u32 %t0, %tid.x; mov.u32 %t1, %ctaid.x; "
        "mad.lo.u32 %t2, %t1, 64, %t0; mul.wide.u32 %y0, %t2, 64; add.s64 %g0, %g0, %y0; "
        "mov.b64 %g1, %g0; shl.b32 %t3, %t0, 6; mov.u32 %s0, ours; add.u32 %s0, %s0, %t3; "
        "mov.b32 %s1, %s0; cvt.u64.u32 %y1, %s0; cvta.shared.u64 %x0, %y1; mov.u64 %y2, mine; "
        "cvta.local.u64 %x1, %y2; mov.b64 %x2, %g0; selp.b64 %x3, %x0, %x1, 1;\n";
    for (unsigned i = 0; i < 16; i += 4) {
      text += "st.shared.u32 [%s0+" + std::to_string(4 * i) + "], %t0; st.local.v4.u32 [mine+" +
              std::to_string(4 * i) + "], {%t0, %t1, %t2, %t3};\n";
    }
    for (unsigned i = 0; i < 16; ++i) {
      text += "st.shared.u32 [%s0+" + std::to_string(4 * i) + "], " + std::to_string(i) + ";\n";
    }
    for (unsigned i = 0; i < 8; ++i) {
      text += "add.u32 %r" + std::to_string(i) + ", %t2, " + std::to_string(pick(1000)) + ";\n";
    }
    text +=
        "setp.lt.u32 %p0, %r0, 500; setp.lt.u32 %p1, %r1, 300; setp.gt.u32 %p2, %r2, 700;\n"
        "mov.b64 %l0, 1; mov.b64 %l1, 2; mov.b64 %l2, 3; mov.b64 %l3, 4;\n"
        "mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f3F800000;\n";
    statements(text, 25, 0);
    for (unsigned i = 0; i < 8; ++i) {
      text += "st.global.u32 [%g0+" + std::to_string(4 * i) + "], %r" + std::to_string(i) + ";\n";
    }
    return with_lines(text + (pick(2) == 0 ? "ret;\n}\n" : "}\n"));
  }

 private:
  // Rewriting changes the lines of the text, so statements say where they are.
  static std::string with_lines(const std::string& text) {
    std::istringstream in(text);
    std::string out, line;
    for (unsigned number = 1; std::getline(in, line); ++number) {
      const bool is_statement = !line.empty() && (std::isalpha(line[0]) != 0 || line[0] == '@');
      if (is_statement) out += ".loc 1 " + std::to_string(number) + " 0\n";
      out += line + "\n";
    }
    return out + ".file 1 \"k.cu\"\n";
  }
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  std::string r() { return "%r" + std::to_string(pick(8)); }
  std::string l() { return "%l" + std::to_string(pick(4)); }
  std::string f() { return "%f" + std::to_string(pick(2)); }
  std::string p() { return "%p" + std::to_string(pick(3)); }

  // An address of a thread's own, for so many bytes; few offsets, so that some meet again.
  std::string address(std::string& space, unsigned bytes) {
    const unsigned slots = kBytes / 2 / bytes;
    const std::string at = "+" + std::to_string(pick(std::min(slots, 2U)) * bytes) + "]";
    switch (pick(6)) {
      case 0:
        space = ".shared";
        return "[%s" + std::to_string(pick(2)) + at;
      case 1:
        space = ".local";
        return "[mine" + at;
      case 2:
        space = "";
        return "[%x" + std::to_string(pick(4)) + at;
      default:
        space = ".global";
        return "[%g" + std::to_string(pick(2)) + at;
    }
  }
  std::string guard() {
    if (pick(3) != 0) return {};
    return (pick(2) == 0 ? "@" : "@!") + p() + " ";
  }

  void access(std::string& text) {
    const std::string when = guard();
    static constexpr const char* kOrders[] = {"", "", "", "", ".volatile"};
    const std::string order = kOrders[pick(5)];
    std::string space;
    const bool loads = pick(2) == 0;
    const auto emit = [&](unsigned bytes, const std::string& type, const std::string& data) {
      const std::string at = address(space, bytes);
      const std::string strong = space == ".local" ? "" : order;
      text += when + (loads ? "ld" : "st") + strong + space + type + " " +
              (loads ? data + ", " + at : at + ", " + data) + ";\n";
    };
    switch (pick(7)) {
      case 0:
        return emit(1, ".u8", r());
      case 1:
        return emit(2, ".s16", r());
      case 2:
        return emit(8, ".u64", l());
      case 3:
        return emit(4, ".f32", f());
      case 4: {  // a vector's registers must not be twice in it
        const unsigned first = pick(4) * 2;
        return emit(8, ".v2.u32",
                    "{%r" + std::to_string(first) + ", %r" + std::to_string(first + 1) + "}");
      }
      default:
        return emit(4, ".u32", loads || pick(3) != 0 ? r() : std::to_string(pick(100)));
    }
  }

  void atomic(std::string& text) {
    std::string space = ".local";
    std::string at;
    while (space == ".local" || at.starts_with("[%x")) at = address(space, 4);
    const std::string scope = pick(2) == 0 ? ".relaxed.gpu" : ".acq_rel.cta";
    const std::string when = guard();
    switch (pick(6)) {
      case 0:
        text += when + "red.global.add.u32 [common], " + std::to_string(pick(9)) + ";\n";
        return;
      case 1:
        text += when + "atom" + scope + space + ".cas.b32 " + r() + ", " + at + ", " + r() + ", " +
                r() + ";\n";
        return;
      case 2:
        text += when + "atom" + scope + space + ".exch.b32 " + r() + ", " + at + ", " + r() + ";\n";
        return;
      case 3:
        text += when + "ld.acquire.gpu" + space + ".u32 " + r() + ", " + at + ";\n";
        return;
      case 4:
        text += when + "st.release.cta" + space + ".u32 " + at + ", " + r() + ";\n";
        return;
      default:
        text += when + "atom" + space + ".add.u32 " + r() + ", " + at + ", " + r() + ";\n";
        return;
    }
  }

  // Pointers that move, within the thread's own.
  void move(std::string& text) {
    static constexpr const char* kMoves[] = {"mov.b64 %g1, %g0", "add.s64 %g1, %g0, 16",
                                             "mov.b32 %s1, %s0", "add.u32 %s1, %s0, 8"};
    text += std::string(kMoves[pick(4)]) + ";\n";
  }
  void compare(std::string& text) {
    text += "setp.lt.u32 " + p() + ", " + r() + ", " + r() + ";\n";
  }

  void copy(std::string& text) {
    const std::string at = std::to_string(pick(3) * 8);
    text += "cp.async.ca.shared.global [%s0+" + at + "], [%g0+" + at +
            "], 8;\ncp.async.commit_group; cp.async.wait_group 0;\n";
  }

  void statements(std::string& text, unsigned count, unsigned depth) {
    for (unsigned i = 0; i < count; ++i) {
      switch (pick(depth == 0 ? 22 : 19)) {
        case 0:
          text += "add.u32 " + r() + ", " + r() + ", " + r() + ";\n";
          break;
        case 1:
          text += "xor.b32 " + r() + ", " + r() + ", " + std::to_string(pick(99)) + ";\n";
          break;
        case 2:
          compare(text);
          break;
        case 3:
          text += pick(2) == 0 ? "membar.gl;\n" : "fence.acq_rel.cta;\n";
          break;
        case 4:
          atomic(text);
          break;
        case 5:
          move(text);
          break;
        case 6: {  // the same access again, of another place or under another guard
          std::string twice;
          access(twice);
          text += twice;
          pick(2) == 0 ? move(text) : compare(text);
          text += twice;
          break;
        }
        case 7:
          branch(text, depth);
          break;
        case 8:
          loop(text, depth);
          break;
        case 19:
          text += "bar.sync 0;\n";
          break;
        case 20:
          text += "bar.warp.sync -1;\n";
          break;
        case 21:
          pick(2) == 0 ? call(text) : copy(text);
          break;
        default:
          access(text);
          break;
      }
    }
  }
  void branch(std::string& text, unsigned depth) {
    if (depth > 2) return;
    const std::string label = "$L" + std::to_string(labels_++);
    text += "@" + p() + " bra " + label + ";\n";
    statements(text, 1 + pick(4), depth + 1);
    text += label + ":\n";
  }
  void loop(std::string& text, unsigned depth) {
    if (depth > 1) return;
    const std::string counter = "%n" + std::to_string(depth);
    const std::string label = "$L" + std::to_string(labels_++);
    text += "mov.u32 " + counter + ", 0;\n" + label + ":\n";
    statements(text, 1 + pick(5), depth + 1);
    text += "add.u32 " + counter + ", " + counter + ", 1; setp.lt.u32 %p3, " + counter + ", " +
            std::to_string(1 + pick(3)) + ";\n@%p3 bra " + label + ";\n";
  }
  void call(std::string& text) {
    text += "{ .param .b64 at; .param .b32 y; st.param.b64 [at], %x" + std::to_string(pick(4)) +
            "; call.uni (y), touch, (at); ld.param.u32 " + r() + ", [y]; }\n";
  }

  std::mt19937 random_;
  unsigned labels_ = 0;
};

struct Ran {
  std::vector<std::uint32_t> memory;
  testing::History hooks, steps;
};

Ran run(const std::string& text, const Rewritten* made, std::uint64_t seed, bool records) {
  cuda::testing::Keeper keeper;
  cuda::testing::Gpu gpu(made != nullptr ? made->ptx : text,
                         {.seed = seed, .sink = records ? &keeper : nullptr});
  constexpr std::size_t kWords = std::size_t{kThreads} * kBlocks * kBytes / 4;
  auto* const out = gpu.array<std::uint32_t>(kWords);
  for (std::size_t i = 0; i < kWords; ++i) out[i] = static_cast<std::uint32_t>(i);
  const cuda::LaunchConfig config{.grid = {kBlocks}, .block = {kThreads}};
  Ran ran;
  cuda::Fault fault;
  if (made == nullptr) {
    fault = gpu.launch("k", config, cuda::testing::address(out));
  } else if (!records) {
    fault = gpu.launch("k", config, cuda::testing::address(out), std::uint64_t{1});
  } else {
    testing::Recorder recorder(gpu.device, gpu.id);
    fault = gpu.launch("k", config, cuda::testing::address(out), std::uint64_t{1});
    for (const testing::Record& each : recorder.take())
      add(ran.hooks, each, made->sites, gpu.device);
    for (const auto& each : keeper.steps) add(ran.steps, each, gpu.device, recorder);
  }
  EXPECT_EQ(fault.text, "");
  ran.memory.assign(out, out + kWords);
  const Result<cuda::Symbol> common = gpu.device.find_symbol(gpu.id, "common");
  EXPECT_TRUE(common);
  if (common) ran.memory.push_back(*reinterpret_cast<const std::uint32_t*>(common->address));
  return ran;
}

TEST(RandomKernels, ComputeTheSameAndTellWhatTheyDo) {
  const std::string quiet = testing::quiet_runtime(), recording = testing::recording_runtime();
  std::size_t left_out = 0, compared = 0;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    const std::string text = Generator(seed).module();
    const std::vector<std::uint32_t> wanted = run(text, nullptr, seed, false).memory;
    const std::string name = "kernel " + std::to_string(seed);
    for (const std::uint32_t splice : {0U, 1000U}) {
      const Rewritten made = testing::rewritten(text, quiet, true, splice);
      EXPECT_EQ(run(text, &made, seed, false).memory, wanted) << name;
    }
    const Rewritten all = testing::rewritten(text, recording, false);
    const Ran told = run(text, &all, seed, true);
    EXPECT_EQ(told.memory, wanted) << name;
    compared += testing::compare(told.hooks, told.steps, name);
    const Rewritten some = testing::rewritten(text, recording, true, seed % 2 == 0 ? 1000 : 0);
    const Ran pruned = run(text, &some, seed, true);
    left_out += testing::check_covered(pruned.hooks, pruned.steps, name);
    if (HasFailure()) {
      std::cout << text;
      return;
    }
  }
  EXPECT_GT(compared, 100'000U);
  EXPECT_GT(left_out, 1'000U);
}

}  // namespace
}  // namespace redflag::rewrite
