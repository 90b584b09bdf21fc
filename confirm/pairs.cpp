#include "confirm/pairs.h"

#include <algorithm>

namespace redflag::confirm {
namespace {

constexpr std::size_t kMostStatements =
    48;  // of a side: a line of a template may be in hundreds of places

// Empty `why`: the statements are known.
struct Found {
  std::vector<Statement> statements;
  std::string why;
};

std::string place_of(const Frame& frame) {
  std::string text = frame.file + ":" + std::to_string(frame.line);
  if (frame.column != 0) text += ":" + std::to_string(frame.column);
  return text;
}

Found find(const Side& side, const Locator& locator) {
  Found found;
  const auto own = std::find_if(side.stack.begin(), side.stack.end(), [](const CodeFrame& frame) {
    return !frame.file.empty() && frame.line != 0;
  });
  // Without debug information a library function's entry and a caller look alike. No access is at the
  // entry of a function, so both may stand.
  const auto end = own == side.stack.end()
                       ? side.stack.begin() + std::min<std::ptrdiff_t>(2, std::ssize(side.stack))
                       : own + 1;
  for (auto frame = side.stack.begin(); frame != end; ++frame) {
    if (frame->module.empty() || frame->offset == 0) continue;
    const std::string module = locator.module(frame->module);
    if (module.empty()) {
      found.why = frame->module + " is not the build that the report speaks of";
      return found;
    }
    found.statements.push_back({module, frame->offset, frame->offset + 1});
  }
  if (!found.statements.empty()) return found;
  if (own == side.stack.end()) {
    found.why = "the report does not say where " + side.thread_name + " made its access";
    return found;
  }
  found.statements = locator.by_line(*own);
  if (found.statements.empty()) found.why = "the program has no code of " + place_of(*own);
  if (found.statements.size() > kMostStatements) {
    found.why = place_of(*own) + " is code in " + std::to_string(found.statements.size()) +
                " places, more than " + std::to_string(kMostStatements);
  }
  return found;
}

std::string why_no_pair(const Finding& finding) {
  if (!is_race(finding.rule)) return "it is not about two accesses";
  if (finding.first.gpu || finding.second.gpu) {
    return "it is of a GPU program, whose threads cannot be held";
  }
  return {};
}

bool overlap(const std::vector<Statement>& a, const std::vector<Statement>& b) {
  return std::any_of(a.begin(), a.end(), [&b](const Statement& one) {
    return std::any_of(b.begin(), b.end(), [&one](const Statement& other) {
      return one.module == other.module && one.begin < other.end && other.begin < one.end;
    });
  });
}

}  // namespace

bool is_in_order(const Pair& a, const Pair& b) {
  return overlap(a.sides[0], b.sides[0]) && overlap(a.sides[1], b.sides[1]);
}

bool is_same(const Pair& a, const Pair& b) {
  return is_in_order(a, b) || (overlap(a.sides[0], b.sides[1]) && overlap(a.sides[1], b.sides[0]));
}

Pairs find_pairs(const Report& report, const Locator& locator) {
  Pairs out;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const Finding& finding = report.findings[i];
    std::string why = why_no_pair(finding);
    Pair pair;
    pair.by_locks = finding.rule == Rule::kRmaPredicted;
    pair.finding = i;
    for (std::size_t s = 0; s < 2 && why.empty(); ++s) {
      Found found = find(s == 0 ? finding.first : finding.second, locator);
      why = std::move(found.why);
      pair.sides[s] = std::move(found.statements);
    }
    if (why.empty()) out.pairs.push_back(std::move(pair));
    out.why_not.push_back(std::move(why));
  }
  return out;
}

}  // namespace redflag::confirm
