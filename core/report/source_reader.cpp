#include "core/report/source_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/output_file.h"
#include "core/report/clean.h"

namespace redflag {
namespace {

constexpr std::size_t kTabWidth = 4;

// A frame may name /dev/zero or a pipe: only what has an end is opened.
bool is_readable_file(const std::string& path, std::size_t most_bytes) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         static_cast<std::size_t>(status.st_size) <= most_bytes;
}

std::optional<std::string> read_text(const std::string& path, std::size_t most_bytes) {
  if (path == "-" || !is_readable_file(path, most_bytes)) return std::nullopt;
  Result<std::string> text = read_file(path, most_bytes);
  if (!text || text->find('\0') != std::string::npos) return std::nullopt;
  return std::move(*text);
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// Columns count bytes; the caret is drawn in characters, after tabs have been widened.
struct Drawn {
  std::string text;
  std::uint32_t column;
};

Drawn draw(std::string_view line, std::uint32_t column, std::size_t most_bytes) {
  std::string text;
  std::uint32_t drawn_column = 0;
  std::size_t width = 0;
  for (std::size_t at = 0; at < line.size();) {
    if (column != 0 && at + 1 >= column && drawn_column == 0) {
      drawn_column = static_cast<std::uint32_t>(width + 1);
    }
    if (text.size() >= most_bytes) {
      text += " ...";
      break;
    }
    if (line[at] == '\t') {
      const std::size_t spaces = kTabWidth - width % kTabWidth;
      text.append(spaces, ' ');
      width += spaces;
      ++at;
      continue;
    }
    const std::size_t length = std::max<std::size_t>(1, decode_utf8(line, at).length);
    const std::string shown = printable(line.substr(at, length));
    text += shown;
    width += display_width(shown);
    at += length;
  }
  const std::size_t end = text.find_last_not_of(' ');
  text.resize(end == std::string::npos ? 0 : end + 1);
  return {std::move(text), drawn_column};
}

}  // namespace

std::optional<std::string> SourceReader::read(const std::string& name) const {
  if (std::optional<std::string> text = read_text(name, options_.most_file_bytes)) return text;
  for (const std::string& root : options_.roots) {
    std::string_view rest = name;
    while (!rest.empty()) {
      const std::string path = root + "/" + std::string(rest);
      if (std::optional<std::string> text = read_text(path, options_.most_file_bytes)) return text;
      const std::size_t slash = rest.find('/');
      if (slash == std::string_view::npos) break;
      rest.remove_prefix(slash + 1);
    }
  }
  return std::nullopt;
}

const SourceReader::File* SourceReader::file(const std::string& name) {
  const auto [at, is_new] = files_.try_emplace(name);
  if (is_new && total_bytes_ <= options_.most_total_bytes) {
    if (const std::optional<std::string> text = read(name)) {
      total_bytes_ += text->size();
      at->second = File{split_lines(*text)};
    }
  }
  return at->second ? &*at->second : nullptr;
}

std::optional<Excerpt> SourceReader::excerpt(const Frame& frame) {
  // A name with a zero byte would be cut short by the system and mean another file.
  if (frame.file.empty() || frame.line == 0 || frame.file.find('\0') != std::string::npos) {
    return std::nullopt;
  }
  const File* source = file(frame.file);
  if (source == nullptr || frame.line > source->lines.size()) return std::nullopt;
  const std::size_t marked = frame.line - 1;
  const std::size_t begin = marked - std::min<std::size_t>(marked, options_.context);
  const std::size_t end = std::min(source->lines.size(), marked + options_.context + 1);
  Excerpt excerpt;
  excerpt.first_line = static_cast<std::uint32_t>(begin + 1);
  excerpt.marked = static_cast<std::uint32_t>(marked - begin);
  for (std::size_t i = begin; i < end; ++i) {
    Drawn drawn = draw(source->lines[i], i == marked ? frame.column : 0, options_.most_line_bytes);
    if (i == marked) excerpt.column = drawn.column;
    excerpt.lines.push_back(std::move(drawn.text));
  }
  return excerpt;
}

}  // namespace redflag
