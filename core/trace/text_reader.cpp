#include "core/trace/text_reader.h"

#include <optional>
#include <vector>

namespace redflag {
namespace {

constexpr std::size_t kBatchEvents = 4096;

class TextReader final : public EventReader {
 public:
  explicit TextReader(ByteSource bytes) : lines_(std::move(bytes)) {}

  std::string format_name() const override { return "text"; }
  std::uint64_t position() const override { return lines_.bytes().position(); }
  std::uint64_t size() const override { return lines_.bytes().size(); }

 private:
  Result<std::span<const Event>> read_batch() override;
  Result<void> take(Definition definition);

  LineSource lines_;
  std::vector<Event> events_;
  std::optional<Definition> held_;  // read behind the last batch's events, taken with the next
};

Result<std::span<const Event>> TextReader::read_batch() {
  events_.clear();
  definitions_.clear();
  if (held_) {
    Definition definition = std::move(*held_);
    held_.reset();
    if (Result<void> done = take(std::move(definition)); !done) return Failure(done.error());
  }
  while (events_.size() < kBatchEvents) {
    const Result<std::optional<std::string_view>> line = lines_.next();
    if (!line) return Failure(line.error());
    if (!*line) break;
    Result<TextLine> parsed = parse_text_line(**line);
    if (!parsed) return fail(lines_.where() + parsed.error().message);
    if (const Event* event = std::get_if<Event>(&*parsed)) {
      events_.push_back(*event);
    } else if (Definition* definition = std::get_if<Definition>(&*parsed)) {
      if (!events_.empty()) {
        held_ = std::move(*definition);
        break;
      }
      if (Result<void> done = take(std::move(*definition)); !done) return Failure(done.error());
    }
  }
  return std::span<const Event>(events_);
}

Result<void> TextReader::take(Definition definition) {
  // A held definition is reported at its own line: no line was read since.
  if (!apply_definition(definition, sources_))
    return fail(lines_.where() +
                "the caller of a source is not defined, expected its definition before");
  definitions_.push_back(std::move(definition));
  return {};
}

}  // namespace

std::unique_ptr<EventReader> read_text(ByteSource bytes) {
  return std::make_unique<TextReader>(std::move(bytes));
}

}  // namespace redflag
