// TextTraceWriter: writes the text form (text_words.h), one definition or event a line.
//
// For people and for tests: reading the text back gives the same definitions and events. Lines are
// gathered in one buffer and written when it is full.
#pragma once

#include "core/trace/byte_sink.h"
#include "core/trace/writer.h"

namespace redflag {

// One event as its line, without the line's end: also for messages and other listings.
std::string to_text(const Event& event);
std::string to_text(const Definition& definition);

class TextTraceWriter final : public EventWriter {
 public:
  static Result<TextTraceWriter> create(const std::string& path);  // "-": standard output
  explicit TextTraceWriter(ByteSink sink);

  TextTraceWriter(TextTraceWriter&&) = default;

 protected:
  Result<void> write_definition(const Definition& definition) override;
  Result<void> write_events(std::span<const Event> events) override;
  Result<void> write_end() override;

 private:
  Result<void> flush_if_full();

  ByteSink sink_;
  std::string lines_;
};

}  // namespace redflag
