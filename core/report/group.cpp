#include "core/report/group.h"

#include <unordered_map>

#include "core/base/cxx_name.h"
#include "core/report/own_code.h"
#include "core/report/words.h"

namespace redflag {
namespace {

// Every element of an array and every byte of a member are one: "bank.accounts[].balance" of
// "bank.accounts[3].balance+4", "table" of "table[7]".
std::string variable_of(const Finding& finding) {
  std::string text = finding.memory.name;
  const std::string& member = finding.origin.member;
  for (std::size_t i = 0; i < member.size() && member[i] != '+'; ++i) {
    text += member[i];
    if (member[i] != '[') continue;
    while (i + 1 < member.size() && member[i + 1] >= '0' && member[i + 1] <= '9') ++i;
  }
  while (text.ends_with("[]")) text.resize(text.size() - 2);
  return text;
}

// What findings must share to have one cause. Empty: nothing can be said.
std::string cause_key(const Finding& finding) {
  const Region& memory = finding.memory;
  if (!is_race(finding.rule) || memory.size == 0 || finding.origin.descriptor >= 0) return {};
  if (!memory.name.empty()) {
    return "variable\n" + variable_of(finding) + "\n" + finding.origin.module;
  }
  const CodeFrame* own = own_frame(finding.memory_stack);
  if (own == nullptr || own->line == 0) return {};
  return "memory\n" + own->file + "\n" + std::to_string(own->line);
}

std::string cause_text(const Finding& finding) {
  if (!finding.memory.name.empty()) return "'" + short_name(variable_of(finding)) + "'";
  const CodeFrame* own = own_frame(finding.memory_stack);
  return own == nullptr ? memory_label(finding) : "memory allocated in " + frame_text(*own);
}

}  // namespace

std::vector<Cause> by_cause(const std::vector<Finding>& findings) {
  std::vector<Cause> causes;
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const std::string key = cause_key(findings[i]);
    if (!key.empty()) {
      const auto [at, is_new] = known.try_emplace(key, causes.size());
      if (!is_new) {
        causes[at->second].findings.push_back(i);
        continue;
      }
    }
    causes.push_back({cause_text(findings[i]), {i}});
  }
  return causes;
}

std::string heading(const Cause& cause) {
  if (cause.findings.size() < 2) return {};
  return with_separators(cause.findings.size()) + " findings on " + cause.what;
}

}  // namespace redflag
