// Which of the three formats a trace is in, from its first bytes.
#include "core/trace/format.h"
#include "core/trace/reader.h"
#include "core/trace/rft_reader.h"
#include "core/trace/std_reader.h"
#include "core/trace/text_reader.h"

namespace redflag {

EventReader::~EventReader() = default;

Result<std::span<const Event>> EventReader::next() {
  if (failed_) return Failure(*failed_);
  Result<std::span<const Event>> batch = read_batch();
  if (!batch) failed_ = batch.error();
  return batch;
}

namespace {

// Comments in front of the first significant line must fit in this much.
constexpr std::size_t kLookBytes = std::size_t{1} << 16;

constexpr std::string_view kFormats =
    "expected an .rft trace (first bytes 89 52 46 54), the text form (a line 'redflag-trace 1', or "
    "events as 'T0 write 0x1000 4') or STD (lines as 'T0|w(x)|12')";

// The first line that is not empty and, unless nothing else is there, not a comment.
std::string_view first_line(std::string_view text) {
  std::string_view comment;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) continue;
    line.remove_prefix(start);
    if (line.front() != '#') return line;
    comment = line;
  }
  return comment;
}

std::string quoted(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "'";
  for (const char c : bytes.substr(0, 32)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      text += c;
    } else {
      text += "\\x";
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
  }
  return text + (bytes.size() > 32 ? "...'" : "'");
}

Result<std::unique_ptr<EventReader>> open(ByteSource bytes) {
  const Result<std::string_view> window = bytes.window(kLookBytes);
  if (!window) return Failure(window.error());
  const std::string name = bytes.name();
  if (window->empty()) return fail(name + ": empty; " + std::string(kFormats));
  // A file cut off inside the magic is a damaged .rft, not a text.
  const std::string_view magic = window->substr(0, rft::kMagic.size());
  if (rft::kMagic.starts_with(magic)) return read_rft(std::move(bytes));
  const std::string_view line = first_line(*window);
  if (line.starts_with('#') || looks_like_text(line)) return read_text(std::move(bytes));
  if (looks_like_std(line)) return read_std(std::move(bytes));
  return fail(name + ": byte " + std::to_string(line.empty() ? 0 : line.data() - window->data()) +
              ": found " + quoted(line.empty() ? *window : line) + ", " + std::string(kFormats));
}

}  // namespace

Result<std::unique_ptr<EventReader>> open_trace(const std::string& path) {
  Result<ByteSource> bytes = ByteSource::open(path);
  if (!bytes) return Failure(bytes.error());
  return open(std::move(*bytes));
}

Result<std::unique_ptr<EventReader>> open_trace_bytes(std::string name, std::string bytes) {
  return open(ByteSource::from_bytes(std::move(name), std::move(bytes)));
}

}  // namespace redflag
