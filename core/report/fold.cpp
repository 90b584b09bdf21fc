#include "core/report/fold.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "core/report/own_code.h"
#include "core/report/words.h"

namespace redflag {
namespace {

// Fields are joined with a length in front, so that no choice of names can make two lists equal.
void append_field(std::string& out, std::string_view field) {
  out += std::to_string(field.size());
  out += ':';
  out += field;
}

std::string in_either_order(std::string a, std::string b) {
  if (b < a) std::swap(a, b);
  std::string out;
  append_field(out, a);
  append_field(out, b);
  return out;
}

bool has_source(const Finding& finding) {
  return top_frame(finding.first) != nullptr || top_frame(finding.second) != nullptr;
}

// How many frames tell where it was: down to the program's own code, so that all calls of memcpy
// are not one place. Where no frame has a file, the innermost; in a live run its caller too.
std::size_t telling_frames(const Stack& stack) {
  if (const CodeFrame* own = own_frame(stack)) {
    return static_cast<std::size_t>(own - stack.data()) + 1;
  }
  const bool live = !stack.empty() && !stack.front().module.empty();
  return std::min<std::size_t>(stack.size(), live ? 2 : 1);
}

// One line may read and write, and which of two threads comes first is chance.
std::string_view rule_class(Rule rule) {
  const bool plain = rule == Rule::kWriteRead || rule == Rule::kReadWrite;
  return info(plain ? Rule::kWriteWrite : rule).id;
}

std::string fold_side(Rule rule, const Side& side) {
  std::string out;
  // What a kernel or an operation does at a line makes a difference there.
  if (is_gpu(rule) || is_rma(rule)) append_field(out, name(side.access.kind));
  if (const CodeFrame* own = own_frame(side.stack); own != nullptr && own->line != 0) {
    append_field(out, own->file);
    append_field(out, std::to_string(own->line));
    return out;
  }
  for (std::size_t i = 0; i < telling_frames(side.stack); ++i) {
    const CodeFrame& frame = side.stack[i];
    append_field(out, frame.function);
    append_field(out, frame.file);
    append_field(out, frame.file.empty() ? hex(frame.offset) : std::to_string(frame.line));
  }
  return out;
}

std::string fold_key(const Finding& finding) {
  const Rule rule = finding.rule;
  if (has_source(finding)) {
    return std::string(rule_class(rule)) +
           in_either_order(fold_side(rule, finding.first), fold_side(rule, finding.second));
  }
  std::string key(info(rule).id);
  append_field(key, hex(raw(finding.addr)));
  return key + in_either_order(std::to_string(raw(finding.first.access.thread)),
                               std::to_string(raw(finding.second.access.thread)));
}

// The program's own frame and the library function that it called: a library's insides change with
// its version and with what the compiler inlined.
std::string fingerprint_side(const Side& side) {
  std::string out;
  const CodeFrame* own = own_frame(side.stack);
  const std::size_t end = telling_frames(side.stack);
  for (std::size_t i = own != nullptr && end > 2 ? end - 2 : 0; i < end; ++i) {
    append_field(out, side.stack[i].function);
    append_field(out, base_name(side.stack[i].file));
  }
  return out;
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return hash;
}

// The ordinal follows a dash, which no plain fingerprint contains: the results are distinct.
void set_fingerprints(std::vector<Finding>& findings) {
  std::unordered_map<std::string, std::uint64_t> seen;
  for (Finding& finding : findings) {
    finding.fingerprint = fingerprint(finding);
    const std::uint64_t ordinal = ++seen[finding.fingerprint];
    if (ordinal > 1) finding.fingerprint.append("-").append(std::to_string(ordinal));
  }
}

}  // namespace

Folder::Place Folder::put(Finding finding) {
  const auto [at, is_new] = by_key_.try_emplace(fold_key(finding), findings_.size());
  if (is_new) {
    findings_.push_back(std::move(finding));
  } else {
    Finding& kept = findings_[at->second];
    kept.count = add_saturating(kept.count, finding.count);
  }
  return {at->second, is_new};
}

std::vector<Finding> Folder::take() {
  by_key_.clear();
  set_fingerprints(findings_);
  return std::exchange(findings_, {});
}

std::string fingerprint(const Finding& finding) {
  std::string text;
  append_field(text, rule_class(finding.rule));
  append_field(text, finding.memory.name);
  text += in_either_order(fingerprint_side(finding.first), fingerprint_side(finding.second));
  if (!has_source(finding) && finding.memory.name.empty()) {
    append_field(text, hex(raw(finding.addr)));
  }
  char digits[17];
  std::snprintf(digits, sizeof(digits), "%016llx", static_cast<unsigned long long>(fnv1a(text)));
  return digits;
}

void fold(Report& report) {
  Folder folder;
  for (Finding& finding : report.findings) folder.add(std::move(finding));
  report.findings = folder.take();
}

}  // namespace redflag
