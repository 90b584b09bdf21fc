// One line of the text form to an event or a definition.
//
// A Cursor takes words from the front of the line and keeps the first fault; parsing then goes on
// with zeros and the result is thrown away, which keeps the grammar below free of error handling.
#include <charconv>
#include <limits>

#include "core/trace/text_reader.h"
#include "core/trace/text_words.h"
#include "core/trace/validate.h"

namespace redflag {
namespace {

constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// What was found, short enough for a message and without control bytes.
std::string shown(std::string_view found) {
  if (found.empty()) return "the end of the line";
  std::string text = "'";
  for (const char c : found.substr(0, 40)) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  return text + (found.size() > 40 ? "...'" : "'");
}

bool parse_number(std::string_view word, std::uint64_t& value) {
  int base = 10;
  if (word.starts_with("0x")) {
    word.remove_prefix(2);
    base = 16;
  }
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  return error == std::errc() && end == word.data() + word.size();
}

class Cursor {
 public:
  explicit Cursor(std::string_view line) : rest_(line) { skip_space(); }

  bool at_end() const { return rest_.empty() || rest_.front() == '#'; }
  bool failed() const { return !fault_.empty(); }
  const std::string& fault() const { return fault_; }

  void expect(std::string_view expected, std::string_view found) {
    if (failed()) return;
    fault_ = "found " + shown(found) + ", expected " + std::string(expected);
  }
  void say(std::string fault) {
    if (!failed()) fault_ = std::move(fault);
  }

  std::string_view peek() const {
    if (at_end()) return {};
    std::size_t size = 0;
    while (size < rest_.size() && !is_space(rest_[size])) ++size;
    return rest_.substr(0, size);
  }
  std::string_view word() {
    const std::string_view taken = peek();
    rest_.remove_prefix(taken.size());
    skip_space();
    return taken;
  }
  std::uint64_t number(std::string_view expected, std::uint64_t max) {
    return to_number(word(), expected, max);
  }
  std::uint32_t number32(std::string_view expected) {
    return static_cast<std::uint32_t>(number(expected, kMax32));
  }
  std::uint64_t to_number(std::string_view text, std::string_view expected, std::uint64_t max) {
    std::uint64_t value = 0;
    if (parse_number(text, value) && value <= max) return value;
    expect(expected, text);
    return 0;
  }
  // T<n>
  ThreadId thread() {
    const std::string_view text = word();
    constexpr std::string_view kExpected = "a thread, T0 to T16777215";
    if (text.starts_with('T')) {
      return ThreadId{
          static_cast<std::uint32_t>(to_number(text.substr(1), kExpected, kThreadLimit - 1))};
    }
    expect(kExpected, text);
    return ThreadId{0};
  }
  // @<source>, if it comes next
  SourceId optional_source() {
    if (!peek().starts_with('@')) return kNoSource;
    return SourceId{static_cast<std::uint32_t>(
        to_number(word().substr(1), "@ and the number of a source", kMax32))};
  }
  std::string quoted(std::string_view expected);
  // Digits right behind a colon, if a colon comes next; only behind quoted().
  std::uint32_t optional_colon_number(std::string_view expected) {
    if (!rest_.starts_with(':')) return 0;
    std::size_t size = 1;
    while (size < rest_.size() && !is_space(rest_[size]) && rest_[size] != ':') ++size;
    const std::string_view digits = rest_.substr(1, size - 1);
    rest_.remove_prefix(size);
    return static_cast<std::uint32_t>(to_number(digits, expected, kMax32));
  }
  void skip_space() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
  }

 private:
  std::string_view rest_;
  std::string fault_;
};

std::string Cursor::quoted(std::string_view expected) {
  std::string text;
  if (!rest_.starts_with('"')) {
    expect(expected, peek());
    return text;
  }
  std::size_t i = 1;
  for (; i < rest_.size() && rest_[i] != '"'; ++i) {
    if (rest_[i] != '\\') {
      text += rest_[i];
      continue;
    }
    const char escape = ++i < rest_.size() ? rest_[i] : '\0';
    if (escape == '"' || escape == '\\') {
      text += escape;
    } else if (escape == 'n') {
      text += '\n';
    } else if (escape == 't') {
      text += '\t';
    } else if (escape == 'r') {
      text += '\r';
    } else if (escape == 'x' && i + 2 < rest_.size()) {
      unsigned value = 0;
      const char* digits = rest_.data() + i + 1;
      const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
      if (error != std::errc() || end != digits + 2)
        expect("two hexadecimal digits after \\x", rest_.substr(i - 1, 4));
      text += static_cast<char>(value);
      i += 2;
    } else {
      expect("one of the escapes \\\" \\\\ \\n \\t \\r \\xNN", rest_.substr(i - 1, 2));
    }
  }
  if (i >= rest_.size()) {
    say("a string without its closing quote");
    rest_ = {};
    return text;
  }
  rest_.remove_prefix(i + 1);
  return text;
}

Definition parse_source(Cursor& in) {
  SourceDefinition d;
  d.id = SourceId{in.number32("the number of a source")};
  d.frame.file = in.quoted("the file in quotes");
  d.frame.line = in.optional_colon_number("a line number after ':'");
  d.frame.column = in.optional_colon_number("a column number after ':'");
  in.skip_space();
  d.frame.function = in.quoted("the function in quotes");
  in.skip_space();
  if (in.peek() == text::kCaller) {
    in.word();
    d.caller = SourceId{in.number32("the number of the caller's source")};
  }
  return d;
}

Definition parse_region(Cursor& in) {
  Region d;
  d.addr = Addr{in.number("an address", kMax64)};
  d.size = in.number("a size in bytes", kMax64);
  const std::string_view kind = in.word();
  bool known = false;
  for (std::size_t i = 0; i < text::kRegionKindNames.size(); ++i) {
    if (text::kRegionKindNames[i] != kind) continue;
    d.kind = static_cast<RegionKind>(i);
    known = true;
  }
  if (!known) in.expect("one of unknown, global, heap, stack, thread-local, shared, device", kind);
  d.name = in.quoted("the region's name in quotes");
  in.skip_space();
  d.source = in.optional_source();
  return d;
}

Definition parse_definition(std::string_view first, Cursor& in) {
  if (first == text::kSource) return parse_source(in);
  if (first == text::kRegion) return parse_region(in);
  if (first == text::kThread) {
    ThreadName d;
    d.thread = ThreadId{
        static_cast<std::uint32_t>(in.number("a thread number below 2^24", kThreadLimit - 1))};
    d.name = in.quoted("the thread's name in quotes");
    in.skip_space();
    return d;
  }
  LockName d;
  d.lock = LockId{in.number("the number of a lock", kMax64)};
  d.name = in.quoted("the lock's name in quotes");
  in.skip_space();
  return d;
}

bool parse_order(std::string_view word, Order& order) {
  for (std::size_t i = 1; i < kOrderNames.size(); ++i) {
    if (kOrderNames[i] != word) continue;
    order = static_cast<Order>(i);
    return true;
  }
  return false;
}

bool parse_scope(std::string_view word, Scope& scope) {
  for (std::size_t i = 0; i < kScopeNames.size(); ++i) {
    if (kScopeNames[i] != word) continue;
    scope = static_cast<Scope>(i);
    return true;
  }
  return false;
}

// Each at most once, in any order.
void parse_attributes(Cursor& in, Event& e) {
  bool has_order = false, has_scope = false;
  while (!in.at_end() && !in.failed()) {
    const std::string_view word = in.peek();
    if (word.starts_with('@') && e.source == kNoSource) {
      e.source = in.optional_source();
    } else if (word == text::kVolatile && !e.is_volatile) {
      in.word();
      e.is_volatile = true;
    } else if (word.starts_with(text::kScopePrefix) && !has_scope) {
      in.word();
      has_scope = true;
      if (!parse_scope(word.substr(text::kScopePrefix.size()), e.scope))
        in.expect("scope= and one of system, device, cluster, block, warp", word);
    } else if (!has_order && parse_order(word, e.order)) {
      in.word();
      has_order = true;
    } else {
      in.expect("an order, scope=, volatile, @source, each once, or the end of the line", word);
    }
  }
}

Event parse_event(Cursor& in) {
  Event e;
  e.thread = in.thread();
  const std::string_view word = in.word();
  const EventKindInfo* kind = nullptr;
  for (const EventKindInfo& row : kEventKinds) {
    if (row.name == word) kind = &row;
  }
  if (kind == nullptr) {
    in.expect("a kind of event such as read, write, acquire, release, fork, join", word);
    return e;
  }
  e.kind = kind->kind;
  switch (kind->operand) {
    case Operand::kMemory:
      e.object = in.number("an address", kMax64);
      e.size = static_cast<std::uint32_t>(in.number("a size in bytes, 1 to 2^31", kMaxAccessSize));
      break;
    case Operand::kLock:
      e.object = in.number("the number of a lock", kMax64);
      break;
    case Operand::kBarrier:
      e.object = in.number("the number of a barrier", kMax64);
      break;
    case Operand::kThread:
      e.object = raw(in.thread());
      break;
    case Operand::kCount:
      e.object = in.number("a number of instructions", kMax64);
      break;
    case Operand::kNone:
      break;
  }
  parse_attributes(in, e);
  return e;
}

bool is_definition_word(std::string_view word) {
  return word == text::kSource || word == text::kThread || word == text::kLock ||
         word == text::kRegion;
}

}  // namespace

bool looks_like_text(std::string_view line) {
  Cursor in(line);
  const std::string_view first = in.word();
  if (first == text::kHeader || is_definition_word(first)) return true;
  std::uint64_t number = 0;
  // STD may have spaces around its bars.
  return first.starts_with('T') && parse_number(first.substr(1), number) && !in.at_end() &&
         !in.peek().starts_with('|');
}

Result<TextLine> parse_text_line(std::string_view line) {
  Cursor in(line);
  if (in.at_end()) return TextLine();
  TextLine parsed;
  const char* fault = nullptr;
  if (const std::string_view first = in.peek(); first == text::kHeader) {
    in.word();
    if (const std::string_view version = in.word(); version != text::kVersion)
      in.expect("version 1 of the text form", version);
  } else if (is_definition_word(first)) {
    Definition definition = parse_definition(in.word(), in);
    fault = definition_fault(definition);
    parsed = std::move(definition);
  } else if (first.starts_with('T')) {
    const Event event = parse_event(in);
    fault = event_fault(event);
    parsed = event;
  } else {
    in.expect("T<n> and an event, or one of source, thread, lock, region", first);
  }
  if (!in.at_end()) in.expect("the end of the line", in.peek());
  if (in.failed()) return fail(in.fault());
  if (fault != nullptr) return fail(fault);
  return parsed;
}

}  // namespace redflag
