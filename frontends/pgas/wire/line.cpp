#include "frontends/pgas/wire/line.h"

#include <charconv>

namespace redflag::pgas {
namespace {

constexpr std::string_view kHex = "0123456789ABCDEF";

std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == '%' || byte == 127) {
      made += '%';
      made += kHex[byte / 16];
      made += kHex[byte % 16];
    } else {
      made += c;
    }
  }
  return made.empty() ? "%" : made;  // a lone % is nothing
}

std::optional<std::string> plain(std::string_view text) {
  std::string made;
  if (text == "%") return made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      made += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return {};
    const std::size_t high = kHex.find(text[i + 1]);
    const std::size_t low = kHex.find(text[i + 2]);
    if (high == std::string_view::npos || low == std::string_view::npos) return {};
    made += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return made;
}

class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  std::string_view next() {
    if (rest_.empty()) ok_ = false;
    const std::size_t end = rest_.find('\t');
    const std::string_view field = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    return field;
  }
  template <typename T>
  void number(T& value) {
    const std::string_view field = next();
    const auto [end, fault] = std::from_chars(field.data(), field.data() + field.size(), value);
    ok_ = ok_ && fault == std::errc() && end == field.data() + field.size();
  }
  void text(std::string& value) {
    std::optional<std::string> read = plain(next());
    ok_ = ok_ && read.has_value();
    if (read) value = std::move(*read);
  }
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

void put(std::string& line, std::uint64_t value) {
  line += '\t' + std::to_string(value);
}

void put_side(std::string& line, const LineSide& side) {
  put(line, side.kind);
  put(line, side.rank);
  put(line, side.thread);
  put(line, side.pending ? 1 : 0);
  put(line, side.begin);
  put(line, side.size);
  put(line, side.stack.size());
  for (const LineFrame& frame : side.stack) {
    line += '\t' + escaped(frame.file);
    put(line, frame.offset);
    put(line, frame.is_entry ? 1 : 0);
  }
}

void take_side(Fields& fields, LineSide& side) {
  constexpr std::uint64_t kMostFrames = 256;
  fields.number(side.kind);
  fields.number(side.rank);
  fields.number(side.thread);
  std::uint32_t flag = 0;
  fields.number(flag);
  side.pending = flag != 0;
  fields.number(side.begin);
  fields.number(side.size);
  std::uint64_t frames = 0;
  fields.number(frames);
  for (std::uint64_t i = 0; i < frames && i < kMostFrames && fields.ok(); ++i) {
    LineFrame frame;
    fields.text(frame.file);
    fields.number(frame.offset);
    fields.number(flag);
    frame.is_entry = flag != 0;
    side.stack.push_back(std::move(frame));
  }
}

}  // namespace

std::string write_line(const RaceLine& line) {
  std::string text = "R";
  put(text, line.model);
  put(text, line.gap);
  put(text, line.owner);
  put(text, line.begin);
  put(text, line.size);
  text += '\t' + escaped(line.object);
  put(text, line.object_base);
  put(text, line.object_size);
  put_side(text, line.first);
  put_side(text, line.second);
  return text;
}

std::string write_line(const MisuseLine& line) {
  std::string text = "M";
  put(text, line.misuse);
  put(text, line.target);
  text += '\t' + escaped(line.object);
  put(text, line.object_size);
  text += '\t' + escaped(line.found);
  put_side(text, line.side);
  return text;
}

std::string write_line(const LossLine& line) {
  std::string text = "L";
  put(text, line.owner);
  put(text, line.accesses);
  return text;
}

std::optional<LossLine> read_loss(std::string_view text) {
  Fields fields(text);
  if (fields.next() != "L") return {};
  LossLine line;
  fields.number(line.owner);
  fields.number(line.accesses);
  if (!fields.ok() || !fields.at_end()) return {};
  return line;
}

std::optional<MisuseLine> read_misuse(std::string_view text) {
  Fields fields(text);
  if (fields.next() != "M") return {};
  MisuseLine line;
  fields.number(line.misuse);
  fields.number(line.target);
  fields.text(line.object);
  fields.number(line.object_size);
  fields.text(line.found);
  take_side(fields, line.side);
  if (!fields.ok() || !fields.at_end()) return {};
  return line;
}

std::optional<RaceLine> read_line(std::string_view text) {
  Fields fields(text);
  if (fields.next() != "R") return {};
  RaceLine line;
  fields.number(line.model);
  fields.number(line.gap);
  fields.number(line.owner);
  fields.number(line.begin);
  fields.number(line.size);
  fields.text(line.object);
  fields.number(line.object_base);
  fields.number(line.object_size);
  take_side(fields, line.first);
  take_side(fields, line.second);
  if (!fields.ok() || !fields.at_end()) return {};
  return line;
}

}  // namespace redflag::pgas
