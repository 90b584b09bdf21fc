// Numbers of random kernels: what threads compute, and what they compare.
//
// Sums and products of threads, blocks, parameters and counters of loops, of 32 and 64 bits. Some wrap around, some are of
// a warp or a lane, some are what no proof follows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace redflag::prove::testing {

// The text of a kernel as it grows; whoever makes one says which registers have values.
class RandomNumbers {
 protected:
  explicit RandomNumbers(std::uint64_t seed) : random_(seed), is_tame_(pick(3) == 0) {}
  ~RandomNumbers() = default;

  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  template <typename T>
  const T& one_of(const std::vector<T>& from) {
    return from[pick(static_cast<unsigned>(from.size()))];
  }
  void say(const std::string& line, bool really = true) {
    if (really) body_ += line + "\n";
  }
  // With a line of its own.
  void access(const std::string& text) {
    body_ += ".loc 1 " + std::to_string(++line_) + " 0\n" + text + ";\n";
  }
  std::string fresh32() { return "%x" + std::to_string(next32_++ % 400); }
  std::string fresh64() { return "%y" + std::to_string(next64_++ % 400); }
  std::string fresh_predicate() { return "%p" + std::to_string(next_predicate_++ % 200); }
  std::string label() { return "$L" + std::to_string(labels_++); }
  std::string small() { return std::to_string(static_cast<int>(pick(9)) - 2); }
  std::string value() { return pick(3) == 0 ? one_of(alike_) : one_of(values_); }

  // A number of the thread.
  std::string computed() {
    const std::string to = fresh32();
    static const std::vector<std::string> kWild = {"1073741824", "-2147483648", "536870912",
                                                   "268435456"};
    const std::string factor = !is_tame_ && pick(12) == 0 ? one_of(kWild) : small();
    switch (pick(12)) {
      case 0:
        say("mul.lo.s32 " + to + ", " + value() + ", " + factor + ";");
        break;
      case 1:
        say("shl.b32 " + to + ", " + value() + ", " +
            std::to_string(!is_tame_ && pick(10) == 0 ? 28 + pick(6) : pick(4)) + ";");
        break;
      case 2:
        say("mad.lo.s32 " + to + ", " + value() + ", " + one_of(alike_) + ", " + value() + ";");
        break;
      case 3:
        if (pick(4) == 0) {
          say("not.b32 " + to + ", " + value() + ";");
          break;
        }
        say("sub.s32 " + to + ", " + value() + ", " + value() + ";");
        break;
      case 4:
        if (pick(3) == 0) {  // which warp, which lane
          say(one_of<std::string>({"shr.u32 ", "and.b32 ", "div.s32 ", "rem.u32 "}) + to +
              ", %t, " +
              (pick(2) == 0   ? "31"
               : pick(2) == 0 ? "5"
                              : "32") +
              ";");
          break;
        }
        say((pick(2) == 0 ? "and.b32 " : "shr.u32 ") + to + ", " + value() + ", " +
            std::to_string(pick(4)) + ";");
        break;
      case 5:
        say(one_of<std::string>({"div.s32 ", "rem.u32 ", "min.s32 ", "max.u32 ", "xor.b32 "}) + to +
            ", " + one_of(alike_) + ", " + one_of(alike_) + ";");
        break;
      case 6: {
        const std::string is = compared();
        say("selp.b32 " + to + ", " + value() + ", " + value() + ", " + is + ";");
        break;
      }
      case 7:
        say("mad.lo.s32 " + to + ", " + one_of(values_) + ", " + factor + ", " + one_of(values_) +
            ";");
        break;
      default:
        say("add.s32 " + to + ", " + value() + ", " + (pick(2) == 0 ? small() : value()) + ";");
    }
    return to;
  }
  std::string index() {
    switch (pick(8)) {
      case 0:
        return computed();
      case 1:
        return value();
      case 2:
        return "%g";
      case 3:
        return one_of(values_);
      default:
        return own();
    }
  }
  // Of a thread alone, it may seem.
  std::string own() {
    const std::string part = fresh32(), to = fresh32();
    static const std::vector<std::string> kFactors = {"1", "2", "3",  "4",  "6", "7",
                                                      "8", "9", "16", "%n", "%m"};
    say("mul.lo.s32 " + part + ", " + (pick(3) == 0 ? "%t" : "%g") + ", " + one_of(kFactors) + ";");
    if (!is_tame_ && pick(8) == 0) {
      say("shl.b32 " + to + ", " + part + ", " + std::to_string(24 + pick(8)) + ";");
      return to;
    }
    static const std::vector<std::string> kStrides = {"1", "1", "2", "64", "128", "%d", "%m", "-1"};
    if (!counters_.empty() && pick(4) != 0) {  // a row of its own
      say("mad.lo.s32 " + to + ", " + one_of(counters_) + ", " +
          (pick(3) == 0 ? one_of(kStrides) : "1") + ", " + part + ";");
      return to;
    }
    const std::string& more = pick(3) == 0 ? value() : one_of(values_);
    say("mad.lo.s32 " + to + ", " + more + ", " + one_of(kStrides) + ", " + part + ";");
    return to;
  }
  // Numbers of 64 bits.
  std::string widened(const std::string& narrow) {
    const std::string to = fresh64();
    say((pick(2) == 0 ? "cvt.s64.s32 " : "cvt.u64.u32 ") + to + ", " + narrow + ";");
    return to;
  }
  std::string wide() {
    const std::string to = fresh64(), from = widened(pick(3) == 0 ? computed() : value());
    switch (pick(7)) {
      case 0:
        say("add.s64 " + to + ", " + from + ", " + wide_alike() + ";");
        return to;
      case 1:
        say("sub.s64 " + to + ", " +
            (pick(2) == 0 ? from + ", " + wide_alike() : wide_alike() + ", " + from) + ";");
        return to;
      case 2:
        say("mul.lo.s64 " + to + ", " + from + ", " + (pick(3) == 0 ? wide_alike() : small()) +
            ";");
        return to;
      case 4:
        say("not.b64 " + to + ", " + from + ";");
        return to;
      case 3:  // a pointer
        say("add.s64 " + to + ", " + from + ", %a;");
        return to;
      default:
        return from;
    }
  }
  std::string wide_alike() {
    const std::string to = fresh64();
    switch (pick(8)) {
      case 0:
        return widened(one_of(alike_));
      case 1:
        say("add.s64 " + to + ", %w, " + small() + ";");
        return to;
      case 2:
        say("add.s64 " + to + ", %w, %a;");
        return to;
      case 3:
        say("sub.s64 " + to + ", " + (pick(2) == 0 ? "%a, %b" : "%w, 12") + ";");
        return to;
      case 4:
      case 5:
        say("shr.u64 " + to + ", %w, 3;");
        return to;
      default:
        return "%w";
    }
  }
  std::string compared() {
    const std::string is = fresh_predicate();
    static const std::vector<std::string> kSigned = {"lt", "le", "gt", "ge", "eq", "ne"};
    static const std::vector<std::string> kUnsigned = {"lo", "ls", "hi", "hs", "lt", "ge"};
    const bool is_signed = pick(2) == 0;
    if (pick(3) == 0) {
      const std::string left = wide(),
                        right = pick(3) == 0 ? std::to_string(pick(40)) : wide_alike();
      say("setp." + one_of(is_signed ? kSigned : kUnsigned) + (is_signed ? ".s64 " : ".u64 ") + is +
          ", " + left + ", " + right + ";");
      return is;
    }
    say("setp." + one_of(is_signed ? kSigned : kUnsigned) + (is_signed ? ".s32 " : ".u32 ") + is +
        ", " + one_of(values_) + ", " + (pick(2) == 0 ? std::to_string(pick(9)) : value()) + ";");
    if (pick(6) != 0) return is;
    const std::string both = fresh_predicate(), other = fresh_predicate();
    say("setp.lt.s32 " + other + ", " + value() + ", " + small() + ";");
    say((pick(2) == 0 ? "and.pred " : "or.pred ") + both + ", " + is + ", " + other + ";");
    return both;
  }
  std::string compared_alike() {
    const std::string is = fresh_predicate();
    std::string left = one_of(alike_);
    if (pick(3) == 0) {  // from memory: the same for all, if nobody writes
      left = fresh32();
      access("ld.shared.u32 " + left + ", [two+" + std::to_string(4 * pick(4)) + "]");
    }
    say("setp." + one_of<std::string>({"lt", "gt", "ne", "eq"}) + ".s32 " + is + ", " + left +
        ", " + std::to_string(pick(4)) + ";");
    return is;
  }

  std::mt19937_64 random_;
  bool is_tame_;
  std::string body_;
  std::vector<std::string> values_, alike_, counters_;

 private:
  unsigned line_ = 0, labels_ = 0;
  unsigned next32_ = 0, next64_ = 0, next_predicate_ = 0;
};

}  // namespace redflag::prove::testing
