#include "core/trace/text_writer.h"

#include <charconv>

#include "core/trace/text_words.h"

namespace redflag {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 16;

void put_number(std::string& out, std::uint64_t value, int base = 10) {
  char digits[20];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), value, base);
  out.append(digits, end.ptr);
}

void put_hex(std::string& out, std::uint64_t value) {
  out += "0x";
  put_number(out, value, 16);
}

void put_quoted(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;  // bytes of UTF-8 pass as they are
    }
  }
  out += '"';
}

void put_source(std::string& out, SourceId source) {
  if (source == kNoSource) return;
  out += " @";
  put_number(out, raw(source));
}

void put_event(std::string& out, const Event& e) {
  const EventKindInfo& kind = info(e.kind);
  out += 'T';
  put_number(out, raw(e.thread));
  out += ' ';
  out += kind.name;
  switch (kind.operand) {
    case Operand::kMemory:
      out += ' ';
      put_hex(out, e.object);
      out += ' ';
      put_number(out, e.size);
      break;
    case Operand::kLock:
    case Operand::kBarrier:
      out += ' ';
      put_hex(out, e.object);
      break;
    case Operand::kThread:
      out += " T";
      put_number(out, e.object);
      break;
    case Operand::kCount:
      out += ' ';
      put_number(out, e.object);
      break;
    case Operand::kNone:
      break;
  }
  if (e.order != Order::kPlain) {
    out += ' ';
    out += name(e.order);
  }
  if (e.scope != Scope::kSystem) {
    out += ' ';
    out += text::kScopePrefix;
    out += name(e.scope);
  }
  if (e.is_volatile) {
    out += ' ';
    out += text::kVolatile;
  }
  put_source(out, e.source);
}

struct PutDefinition {
  std::string& out;
  void operator()(const SourceDefinition& d) const {
    out += text::kSource;
    out += ' ';
    put_number(out, raw(d.id));
    out += ' ';
    put_quoted(out, d.frame.file);
    if (d.frame.line != 0 || d.frame.column != 0) {
      out += ':';
      put_number(out, d.frame.line);
    }
    if (d.frame.column != 0) {
      out += ':';
      put_number(out, d.frame.column);
    }
    out += ' ';
    put_quoted(out, d.frame.function);
    if (d.caller != kNoSource) {
      out += ' ';
      out += text::kCaller;
      out += ' ';
      put_number(out, raw(d.caller));
    }
  }
  void operator()(const ThreadName& d) const {
    out += text::kThread;
    out += ' ';
    put_number(out, raw(d.thread));
    out += ' ';
    put_quoted(out, d.name);
  }
  void operator()(const LockName& d) const {
    out += text::kLock;
    out += ' ';
    put_hex(out, raw(d.lock));
    out += ' ';
    put_quoted(out, d.name);
  }
  void operator()(const Region& d) const {
    out += text::kRegion;
    out += ' ';
    put_hex(out, raw(d.addr));
    out += ' ';
    put_number(out, d.size);
    out += ' ';
    out += text::kRegionKindNames[static_cast<std::size_t>(d.kind)];
    out += ' ';
    put_quoted(out, d.name);
    put_source(out, d.source);
  }
};

}  // namespace

std::string to_text(const Event& event) {
  std::string line;
  put_event(line, event);
  return line;
}

std::string to_text(const Definition& definition) {
  std::string line;
  std::visit(PutDefinition{line}, definition);
  return line;
}

Result<TextTraceWriter> TextTraceWriter::create(const std::string& path) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return Failure(file.error());
  return TextTraceWriter(ByteSink(std::move(*file)));
}

TextTraceWriter::TextTraceWriter(ByteSink sink) : EventWriter(sink.name()), sink_(std::move(sink)) {
  lines_ += text::kHeader;
  lines_ += ' ';
  lines_ += text::kVersion;
  lines_ += '\n';
}

Result<void> TextTraceWriter::flush_if_full() {
  if (lines_.size() < kFlushBytes) return {};
  const Result<void> done = sink_.write(lines_);
  lines_.clear();
  return done;
}

Result<void> TextTraceWriter::write_definition(const Definition& definition) {
  std::visit(PutDefinition{lines_}, definition);
  lines_ += '\n';
  return flush_if_full();
}

Result<void> TextTraceWriter::write_events(std::span<const Event> events) {
  for (const Event& event : events) {
    put_event(lines_, event);
    lines_ += '\n';
    if (Result<void> done = flush_if_full(); !done) return done;
  }
  return {};
}

Result<void> TextTraceWriter::write_end() {
  if (Result<void> done = sink_.write(lines_); !done) return done;
  return sink_.commit();
}

}  // namespace redflag
