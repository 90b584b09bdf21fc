// Reads the text form (text_words.h), line by line.
//
// A definition between events ends a batch, so that a batch's names are those at its place in the
// text. Lines are at most LineSource::kMaxLineBytes long. Messages give file, line, what was found
// and what was expected.
#pragma once

#include <memory>
#include <string_view>
#include <variant>

#include "core/trace/byte_source.h"
#include "core/trace/reader.h"

namespace redflag {

std::unique_ptr<EventReader> read_text(ByteSource bytes);

// One line: an event, a definition, or nothing (empty, a comment, the header). The error has no
// place in it.
using TextLine = std::variant<std::monostate, Event, Definition>;
Result<TextLine> parse_text_line(std::string_view line);

// Whether this first line that is neither empty nor a comment can start a text trace.
bool looks_like_text(std::string_view line);

}  // namespace redflag
