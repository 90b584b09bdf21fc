// Random kernels for proofs: what compilers write, and what nobody should.
//
// Indices are sums over threads, blocks, parameters and counters of loops (random_numbers_test.h); accesses of two
// arrays, which may be one, and of shared memory. Some strides are too small, some barriers missing or where not all
// come by; registers are set twice, in one turn or on one of two ways. Loops that might not end have a counter that
// no proof sees through. Every access has a line of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/cuda/prove/random_numbers_test.h"

namespace redflag::prove::testing {

// k(u64 a, u64 b, s32 n, s32 m, u64 w), with shared arrays one, two and three (of the launch's size).
class RandomKernel : private RandomNumbers {
 public:
  explicit RandomKernel(std::uint64_t seed) : RandomNumbers(seed), shared_(1 + 4 * pick(3)) {}

  std::string text() {
    say("ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.s32 %n, [n]; ld.param.u32 %m, [m];");
    say("ld.param.u64 %w, [w]; cvta.to.global.u64 %a, %a;", pick(6) == 0);
    say("mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %d, %ntid.x; mad.lo.s32 %g, %c, %d, "
        "%t;");
    say("mov.u32 %u, %tid.y; mov.u32 %r0, %t; mov.u32 %r1, 0; mov.u32 %r2, %n; mov.u64 %q, %a;");
    say("mov.u32 %o0, one; mov.u32 %o1, two; mov.u32 %o2, three;");  // so they lie in this order
    values_ = {"%t", "%t", "%g", "%g", "%u", "%r0", "%r1", "%r2"};
    alike_ = {"%n", "%m", "%c", "%d"};
    if (pick(3) == 0) early_return();
    statements(2 + pick(5), 0);
    return head() + body_ + "$end:\nret;\n}\n.file 1 \"k.cu\"\n";
  }

 private:
  static std::string head() {
    return ".version 8.0\n.target sm_80\n.address_size 64\n"
           ".shared .align 16 .b8 one[32768];\n.shared .align 16 .b8 two[32768];\n"
           ".extern .shared .align 16 .b8 three[];\n"
           ".visible .entry k(.param .u64 a, .param .u64 b, .param .s32 n, .param .u32 m, "
           ".param .u64 w)\n{\n"
           ".reg .pred %p<200>; .reg .b32 %x<400>; .reg .b64 %y<400>; .reg .b32 %r<4>; "
           ".reg .b32 %i<20>; .reg .b32 %f<20>; .reg .b64 %j<20>;\n"
           ".reg .b64 %a, %b, %w, %q; .reg .b32 %n, %m, %t, %c, %d, %g, %u, %o<9>;\n";
  }
  void touch() {
    const unsigned scale = pick(8) != 0 ? 2 : pick(5);
    const unsigned bytes = std::min(1U << scale, 16U);
    const bool is_shared = pick(10) < shared_;
    std::string at;
    const std::string from = index();
    if (is_shared) {
      const std::string offset = fresh32(), sum = fresh32(), base = fresh32();
      static const std::vector<std::string> kArrays = {"one", "one", "two", "three"};
      say("mov.u32 " + base + ", " + (pick(4) == 0 ? one_of(kArrays) : "one") + "; shl.b32 " +
          offset + ", " + from + ", " + std::to_string(scale) + "; add.s32 " + sum + ", " + base +
          ", " + offset + ";");
      at = "[" + sum + "+" + std::to_string(16384 + (pick(4) == 0 ? bytes * pick(4) : 0)) + "]";
    } else {
      const std::string offset = fresh64(), sum = fresh64();
      if (pick(4) == 0) {
        const std::string wide = fresh64();
        say((pick(2) == 0 ? "cvt.s64.s32 " : "cvt.u64.u32 ") + wide + ", " + from + "; shl.b64 " +
            offset + ", " + wide + ", " + std::to_string(scale) + ";");
      } else {
        say((pick(4) != 0 ? "mul.wide.s32 " : "mul.wide.u32 ") + offset + ", " + from + ", " +
            std::to_string(1U << scale) + ";");
      }
      static const std::vector<std::string> kPointers = {"%a", "%a", "%b", "%q", "%w", "way"};
      std::string base = pick(3) == 0 ? one_of(kPointers) : "%a";
      if (base == "%w") {  // a number in the sum
        base = fresh64();
        say("add.s64 " + base + ", %a, %w;");
      }
      if (base == "way") {  // from one array to the other
        const std::string way = fresh64();
        base = fresh64();
        say("sub.s64 " + way + (pick(2) == 0 ? ", %a, %b;" : ", %b, %a;"));
        say("add.s64 " + base + ", " + (pick(3) == 0 ? "%b" : "%a") + ", " + way + ";");
      }
      say("add.s64 " + sum + ", " + base + ", " + offset + ";");
      at = "[" + sum + (pick(4) == 0 ? "+" + std::to_string(bytes * pick(4)) : "") + "]";
    }
    do_at(at, is_shared ? ".shared" : pick(5) == 0 ? "" : ".global", bytes);
  }
  void do_at(const std::string& at, const std::string& space, unsigned bytes) {
    std::string guard;
    if (pick(6) == 0) guard = (pick(3) == 0 ? "@!" : "@") + compared() + " ";
    const std::string to = fresh32();
    if (bytes == 4 && pick(5) == 0) {
      const std::string scope = pick(3) == 0 ? ".relaxed.cta" : "";
      access(guard + "red" + scope + space + ".add.u32 " + at + ", 1");
    } else if (bytes == 4 && pick(12) == 0) {
      access(guard + "ld.relaxed.gpu" + space + ".u32 " + to + ", " + at);
    } else if (pick(2) == 0) {
      if (bytes <= 4)
        access(guard + "ld" + space + ".u" + std::to_string(8 * bytes) + " " + to + ", " + at);
      if (bytes == 8)
        access(guard + "ld" + space + ".v2.u32 {" + to + ", " + fresh32() + "}, " + at);
      if (bytes == 16) {
        access(guard + "ld" + space + ".v4.u32 {" + to + ", " + fresh32() + ", " + fresh32() +
               ", " + fresh32() + "}, " + at);
      }
    } else {
      if (bytes <= 4)
        access(guard + "st" + space + ".u" + std::to_string(8 * bytes) + " " + at + ", %t");
      if (bytes == 8) access(guard + "st" + space + ".u64 " + at + ", %w");
      if (bytes == 16) access(guard + "st" + space + ".v4.u32 " + at + ", {%t, %t, %n, %m}");
    }
  }

  void set_again() {
    if (pick(4) == 0) {  // a flag that all may read
      return access("st.shared.u32 [two+" + std::to_string(4 * pick(4)) + "], " + value());
    }
    const std::string reg = "%r" + std::to_string(pick(4) % 3);
    const std::string guard = pick(4) == 0 ? "@" + compared() + " " : "";
    switch (pick(3)) {
      case 0:
        return say(guard + "mov.u32 " + reg + ", " + value() + ";");
      case 1:
        return say(guard + "add.s32 " + reg + ", " + reg + ", " + small() + ";");
      default:
        return say(guard + "add.s64 %q, %q, " + std::to_string(4 * pick(40)) + ";");
    }
  }
  void early_return() {
    const std::string is = compared();
    say("@" + is + (pick(2) == 0 ? " ret;" : " bra $end;"));
  }
  void barrier() {
    if (is_alike_ || (!is_tame_ && pick(12) == 0)) say("bar.sync 0;");
  }

  void branch(unsigned depth) {
    if (depth > 2) return;
    const bool is_alike = pick(3) == 0;
    const std::string is = is_alike ? compared_alike() : compared();
    const bool before = is_alike_;
    is_alike_ = is_alike_ && is_alike;
    const std::size_t known = values_.size();
    const std::string over = label(), end = label();
    say((pick(2) == 0 ? "@" : "@!") + is + " bra " + over + ";");
    statements(1 + pick(3), depth + 1);
    values_.resize(known);
    if (pick(2) == 0) {
      say("bra " + end + ";");
      say(over + ":");
      statements(1 + pick(2), depth + 1);
      values_.resize(known);
      say(end + ":");
    } else {
      say(over + ":");
    }
    is_alike_ = before;
  }

  std::string widened_bound(const std::string& bound) {
    return bound[0] == '%' ? widened(bound) : bound;
  }
  void loop(unsigned depth) {
    if (depth > 1 || loops_ >= 8) return;
    const std::string number = std::to_string(loops_++);
    const std::string i = "%i" + number, fuel = "%f" + number;
    const bool is_alike = pick(3) != 0;
    const bool before = is_alike_;
    is_alike_ = is_alike_ && is_alike;
    const std::size_t known = values_.size();
    const std::string again = label(), out = label(), next = label();
    const bool is_up = pick(3) != 0;
    const std::string first = is_up ? (is_alike       ? std::to_string(pick(3))
                                       : pick(2) == 0 ? "%t"
                                                      : "%g")
                                    : (is_alike ? std::to_string(3 + pick(5)) : "%t");
    const std::string bound = is_up ? (pick(2) == 0 ? std::to_string(3 + pick(6))
                                       : is_alike   ? one_of(alike_)
                                                    : value())
                                    : (pick(2) == 0 ? "0" : one_of(alike_));
    const std::string step = pick(5) == 0 ? one_of(alike_) : std::to_string(1 + pick(3));
    static const std::vector<std::string> kUp = {"lt", "lt", "le", "ne"},
                                          kDown = {"gt", "ge", "ne"};
    const std::string relation = one_of(is_up ? kUp : kDown);
    const std::string type = relation == "ne" || pick(2) == 0 ? ".s32 " : ".u32 ";
    if (loops_ > begun_) say("mov.u32 " + i + ", " + first + ";");
    begun_ = std::max(begun_, loops_);
    if (depth == 0 && pick(4) == 0) {  // one that an inner loop goes on with
      say("mov.u32 %i" + std::to_string(loops_) + ", " + std::to_string(pick(3)) + ";");
      begun_ = loops_ + 1;
    }
    say("mov.u32 " + fuel + ", 7;");
    // The test may be of 64 bits: of the counter, or of one that goes along.
    const unsigned width = pick(6);
    const std::string along = "%j" + number;
    std::string far = bound;
    if (width < 2) far = pick(3) == 0 && is_up ? wide_alike() : widened_bound(bound);
    if (width == 0) say("cvt.s64.s32 " + along + ", " + (pick(2) == 0 ? first : i) + ";");
    // Into the middle.
    if (!is_tame_ && pick(16) == 0) say("@" + compared() + " bra " + next + ";");
    say(again + ":");
    const auto test = [&](bool leaves) {
      const std::string is = fresh_predicate();
      if (width >= 2) {
        say("setp." + relation + type + is + ", " + i + ", " + bound + ";");
      } else {
        const std::string counter = width == 0 ? along : widened(i);
        say("setp." + relation + (type == ".s32 " ? ".s64 " : ".u64 ") + is + ", " + counter +
            ", " + far + ";");
      }
      say((leaves ? "@!" : "@") + is + " bra " + (leaves ? out : again) + ";");
    };
    const auto go_on = [&] {
      say((is_up ? "add.s32 " : "sub.s32 ") + i + ", " + i + ", " + step + ";");
      if (width != 0) return;
      const std::string more = step[0] == '%' ? widened(step) : step;
      say((is_up ? "add.s64 " : "sub.s64 ") + along + ", " + along + ", " + more + ";");
    };
    const unsigned shape = pick(5);
    values_.push_back(i);
    values_.push_back(i);
    counters_.push_back(i);
    if (is_alike) alike_.push_back(i);
    // fuel * 5 + 3 comes round after 16 turns.
    say("mad.lo.s32 " + fuel + ", " + fuel + ", 5, 3; and.b32 " + fuel + ", " + fuel + ", 15;");
    const std::string empty = fresh_predicate();
    say("setp.eq.s32 " + empty + ", " + fuel + ", 7; @" + empty + " bra " + out + ";");
    if (shape == 0) test(true);
    statements(1 + pick(3), depth + 1);
    if (shape == 1) go_on();
    if (shape == 3) test(true);
    if (pick(5) == 0) {  // continue
      const std::string is = is_alike ? compared_alike() : compared();
      say("@" + is + " bra " + (shape == 1 && pick(2) == 0 ? again : next) + ";");
    }
    statements(pick(2), depth + 1);
    if (pick(6) == 0) {
      const std::string is = is_alike ? compared_alike() : compared();
      say("@" + is + " bra " + out + ";");
    }
    say(next + ":");
    if (shape != 1) go_on();
    if (shape == 0 || shape == 3) {
      say("bra " + again + ";");
    } else {
      test(false);
    }
    say(out + ":");
    values_.resize(known);
    if (is_alike) alike_.pop_back();
    counters_.pop_back();
    if (pick(6) == 0) values_.push_back(i);
    is_alike_ = before;
  }

  void statements(unsigned count, unsigned depth) {
    for (unsigned k = 0; k < count; ++k) {
      switch (pick(18)) {
        case 0:
        case 1:
          values_.push_back(computed());
          break;
        case 2:
          branch(depth);
          break;
        case 3:
        case 4:
          loop(depth);
          break;
        case 5:
        case 6:
          barrier();
          break;
        case 7:
        case 8:
          if (!is_tame_) set_again();
          break;
        case 9:
          if (!is_tame_ && pick(3) == 0) early_return();
          break;
        default:
          touch();
      }
    }
  }

  unsigned shared_;       // accesses of ten
  bool is_alike_ = true;  // all threads of a block come here, as far as this knows
  unsigned loops_ = 0, begun_ = 0;
};

}  // namespace redflag::prove::testing
