#include "core/trace/definition_codec.h"

#include <cstdint>
#include <limits>

#include "core/trace/validate.h"

namespace redflag::rft {
namespace {

// The byte in front of each definition; the order of Definition's alternatives, from 1.
enum class Tag : std::uint8_t { kSource = 1, kThread = 2, kLock = 3, kRegion = 4 };

void put_number(std::string& out, std::uint64_t value) {
  while (value >= 128) {
    out.push_back(static_cast<char>(value | 128));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out.append(text);
}

struct Encode {
  std::string& out;
  void tag(Tag t) const { out.push_back(static_cast<char>(t)); }
  void operator()(const SourceDefinition& d) const {
    tag(Tag::kSource);
    put_number(out, raw(d.id));
    put_number(out, raw(d.caller));
    put_number(out, d.frame.line);
    put_number(out, d.frame.column);
    put_text(out, d.frame.file);
    put_text(out, d.frame.function);
  }
  void operator()(const ThreadName& d) const {
    tag(Tag::kThread);
    put_number(out, raw(d.thread));
    put_text(out, d.name);
  }
  void operator()(const LockName& d) const {
    tag(Tag::kLock);
    put_number(out, raw(d.lock));
    put_text(out, d.name);
  }
  void operator()(const Region& d) const {
    tag(Tag::kRegion);
    put_number(out, raw(d.addr));
    put_number(out, d.size);
    out.push_back(static_cast<char>(d.kind));
    put_number(out, raw(d.source));
    put_text(out, d.name);
  }
};

// Takes fields from the front; after the first fault it gives zeros and keeps the fault.
class Fields {
 public:
  explicit Fields(std::string_view& bytes) : bytes_(bytes) {}

  std::uint8_t byte() {
    if (bytes_.empty()) {
      fault("the definition ends too early");
      return 0;
    }
    const auto value = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return value;
  }
  std::uint64_t number(std::uint64_t max) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t b = byte();
      const std::uint64_t bits = b & 127;
      if (shift > 63 || (bits << shift) >> shift != bits) {
        fault("a number of more than 64 bits");
        return 0;
      }
      value |= bits << shift;
      if (b < 128) break;
    }
    if (value > max) fault("a number above its largest value");
    return what_ == nullptr ? value : 0;
  }
  std::uint32_t number32() {
    return static_cast<std::uint32_t>(number(std::numeric_limits<std::uint32_t>::max()));
  }
  std::uint64_t number64() { return number(std::numeric_limits<std::uint64_t>::max()); }
  std::string text() {
    const std::uint64_t size = number(kMaxNameBytes);
    if (size > bytes_.size()) {
      fault("a name longer than what is left of the block");
      return {};
    }
    std::string value(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return value;
  }
  void fault(const char* what) {
    if (what_ == nullptr) what_ = what;
  }
  const char* what() const { return what_; }

 private:
  std::string_view& bytes_;
  const char* what_ = nullptr;
};

Definition decode_fields(Tag tag, Fields& in) {
  // Braced lists are evaluated from left to right: the fields stand in the order of the file.
  switch (tag) {
    case Tag::kSource: {
      SourceDefinition d{SourceId{in.number32()}, SourceId{in.number32()}, {}};
      d.frame.line = in.number32();
      d.frame.column = in.number32();
      d.frame.file = in.text();
      d.frame.function = in.text();
      return d;
    }
    case Tag::kThread:
      return ThreadName{ThreadId{in.number32()}, in.text()};
    case Tag::kLock:
      return LockName{LockId{in.number64()}, in.text()};
    case Tag::kRegion: {
      Region d{Addr{in.number64()}, in.number64(), RegionKind::kUnknown, {}, kNoSource};
      d.kind = static_cast<RegionKind>(in.byte());
      d.source = SourceId{in.number32()};
      d.name = in.text();
      return d;
    }
  }
  in.fault("unknown type of definition, expected 1 to 4");
  return ThreadName{};
}

}  // namespace

void encode_definition(const Definition& definition, std::string& out) {
  std::visit(Encode{out}, definition);
}

Result<Definition> decode_definition(std::string_view& bytes) {
  Fields in(bytes);
  const auto tag = static_cast<Tag>(in.byte());
  Definition definition = decode_fields(tag, in);
  const char* what = in.what() != nullptr ? in.what() : definition_fault(definition);
  if (what != nullptr) return fail(what);
  return definition;
}

}  // namespace redflag::rft
