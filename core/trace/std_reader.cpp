#include "core/trace/std_reader.h"

#include <charconv>
#include <functional>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/trace/validate.h"

namespace redflag {
namespace {

constexpr std::size_t kEventsOfRead = 4096;

struct Line {
  std::string_view thread, op, operand, location;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// The fields of a line, split where the format says, not yet looked into; nullopt: another shape.
std::optional<Line> split(std::string_view text) {
  const std::size_t first = text.find('|');
  const std::size_t last = text.rfind('|');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  Line line;
  line.thread = trimmed(text.substr(0, first));
  line.location = trimmed(text.substr(last + 1));
  std::string_view call = trimmed(text.substr(first + 1, last - first - 1));
  const std::size_t open = call.find('(');
  if (open != std::string_view::npos) {
    if (!call.ends_with(')')) return std::nullopt;
    line.operand = trimmed(call.substr(open + 1, call.size() - open - 2));
    call = trimmed(call.substr(0, open));
  }
  line.op = call;
  if (line.thread.empty() || line.op.empty()) return std::nullopt;
  if (line.op.find('|') != std::string_view::npos) return std::nullopt;
  return line;
}

struct StdOp {
  std::string_view name;
  EventKind kind;
};
constexpr StdOp kStdOps[] = {
    {"r", EventKind::kRead},        {"w", EventKind::kWrite},   {"acq", EventKind::kAcquire},
    {"rel", EventKind::kRelease},   {"fork", EventKind::kFork}, {"join", EventKind::kJoin},
    {"end", EventKind::kThreadEnd},
};
constexpr std::string_view kBegin = "begin";
constexpr std::string_view kKnownOps = "r, w, acq, rel, fork, join, begin, end";

// Names to numbers 0, 1, ... by first appearance.
class Names {
 public:
  // The number, and whether the name is new.
  std::pair<std::uint64_t, bool> number(std::string_view name) {
    if (const auto it = numbers_.find(name); it != numbers_.end()) return {it->second, false};
    const std::uint64_t number = numbers_.size();
    numbers_.emplace(name, number);
    return {number, true};
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> numbers_;
};

// Takes ":number" off the end of text; nullopt: there is none.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  const std::string_view digits = colon == std::string_view::npos ? text : text.substr(colon + 1);
  std::uint32_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  text = colon == std::string_view::npos ? std::string_view() : text.substr(0, colon);
  return number;
}

// A location is a number, or file:line or file:line:column as some recorders write, or any other
// word.
Frame frame_of(std::string_view location) {
  std::string_view file = location;
  const std::optional<std::uint32_t> last = take_number(file);
  if (!last) return Frame{std::string(location), "", 0, 0};
  std::string_view shorter = file;
  const std::optional<std::uint32_t> before = file.empty() ? std::nullopt : take_number(shorter);
  if (before && !shorter.empty()) return Frame{"", std::string(shorter), *before, *last};
  return Frame{"", std::string(file), *last, 0};
}

class StdReader final : public EventReader {
 public:
  explicit StdReader(ByteSource bytes) : lines_(std::move(bytes)) {}

  std::string format_name() const override { return "std"; }
  std::uint64_t position() const override { return lines_.bytes().position(); }
  std::uint64_t size() const override { return lines_.bytes().size(); }

 private:
  Result<std::span<const Event>> read_batch() override;
  Result<void> take(std::string_view text);
  Result<void> take_operand(const Line& line, Event& event);
  Result<SourceId> source_of(std::string_view location);
  Result<ThreadId> thread_of(std::string_view name);
  void define(Definition definition);
  Failure expected(std::string_view what, std::string_view found) const {
    return fail(lines_.where() + "found '" + std::string(found.substr(0, 40)) + "', expected " +
                std::string(what));
  }

  LineSource lines_;
  Names threads_, variables_, locks_, locations_;
  std::vector<Event> events_;
};

Result<std::span<const Event>> StdReader::read_batch() {
  events_.clear();
  definitions_.clear();
  while (events_.size() < kEventsOfRead) {
    const Result<std::optional<std::string_view>> line = lines_.next();
    if (!line) return Failure(line.error());
    if (!*line) break;
    const std::string_view text = trimmed(**line);
    if (text.empty()) continue;
    if (Result<void> done = take(text); !done) return Failure(done.error());
  }
  return std::span<const Event>(events_);
}

Result<void> StdReader::take(std::string_view text) {
  const std::optional<Line> line = split(text);
  if (!line) return expected("thread|op(operand)|location", text);
  const Result<ThreadId> thread = thread_of(line->thread);
  if (!thread) return Failure(thread.error());
  if (line->op == kBegin) return {};
  const StdOp* op = nullptr;
  for (const StdOp& row : kStdOps) {
    if (row.name == line->op) op = &row;
  }
  if (op == nullptr) return expected("one of the ops " + std::string(kKnownOps), line->op);
  const Result<SourceId> source = source_of(line->location);
  if (!source) return Failure(source.error());
  Event event{.kind = op->kind, .thread = *thread, .source = *source};
  if (Result<void> done = take_operand(*line, event); !done) return done;
  events_.push_back(event);
  return {};
}

Result<void> StdReader::take_operand(const Line& line, Event& event) {
  const Operand operand = info(event.kind).operand;
  if (operand == Operand::kNone) return {};  // end(T1) names its thread again
  if (line.operand.empty())
    return expected("an operand in parentheses after '" + std::string(line.op) + "'", line.op);
  if (line.operand.size() > kMaxNameBytes)
    return expected("a name of at most 65536 bytes", line.operand);
  if (operand == Operand::kMemory) {
    const auto [number, is_new] = variables_.number(line.operand);
    event.object = kStdFirstAddress + kStdVariableBytes * number;
    event.size = kStdVariableBytes;
    if (is_new) {
      define(Region{.addr = event.addr(),
                    .size = kStdVariableBytes,
                    .kind = RegionKind::kUnknown,
                    .name = std::string(line.operand),
                    .source = kNoSource});
    }
  } else if (operand == Operand::kLock) {
    const auto [number, is_new] = locks_.number(line.operand);
    event.object = number + 1;
    if (is_new) define(LockName{event.lock(), std::string(line.operand)});
  } else {
    const Result<ThreadId> other = thread_of(line.operand);
    if (!other) return Failure(other.error());
    event.object = raw(*other);
  }
  return {};
}

Result<SourceId> StdReader::source_of(std::string_view location) {
  if (location.empty() || location == "0") return kNoSource;
  if (location.size() > kMaxNameBytes)
    return expected("a location of at most 65536 bytes", location);
  const auto [number, is_new] = locations_.number(location);
  if (number >= std::numeric_limits<std::uint32_t>::max())
    return expected("fewer than 2^32 - 1 distinct locations", location);
  const SourceId id{static_cast<std::uint32_t>(number + 1)};
  if (is_new) define(SourceDefinition{id, kNoSource, frame_of(location)});
  return id;
}

Result<ThreadId> StdReader::thread_of(std::string_view name) {
  if (name.size() > kMaxNameBytes) return expected("a name of at most 65536 bytes", name);
  const auto [number, is_new] = threads_.number(name);
  if (number >= kThreadLimit) return expected("at most 2^24 threads", name);
  const ThreadId thread{static_cast<std::uint32_t>(number)};
  if (is_new) define(ThreadName{thread, std::string(name)});
  return thread;
}

// Every name is defined once, so all definitions of a batch can stand before its events.
void StdReader::define(Definition definition) {
  apply_definition(definition, sources_);  // never refused: sources have no callers here
  definitions_.push_back(std::move(definition));
}

}  // namespace

bool looks_like_std(std::string_view line) {
  return split(trimmed(line)).has_value();
}

std::unique_ptr<EventReader> read_std(ByteSource bytes) {
  return std::make_unique<StdReader>(std::move(bytes));
}

}  // namespace redflag
