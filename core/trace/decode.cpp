#include "core/trace/decode.h"

#include "core/trace/validate.h"

namespace redflag::rft {
namespace {

// What the control word of a kind must and must not contain, and how its operand is bounded.
struct Shape {
  std::uint64_t max_object = 0;  // object + size is at most this
  std::uint32_t size_mask = 0;   // all ones for memory operands
  std::uint16_t forbidden = 0xffff;
  std::uint16_t required = 0;
  std::uint8_t operand = kNoOperandClass;
  std::uint8_t attributes = 0;  // row of kLegalAttributes
};
static_assert(sizeof(Shape) == 24);

constexpr Shape shape_of(const EventKindInfo& kind) {
  Shape s;
  s.operand = static_cast<std::uint8_t>(operand_class(kind.kind));
  s.attributes = static_cast<std::uint8_t>(kind.has_order + 2 * kind.may_be_volatile);
  s.required = kind.has_order ? kHasAttributes : 0;
  s.forbidden = kControlUnused | (kExplicitSize << kSizeShift);
  s.max_object = ~std::uint64_t{0};
  switch (kind.operand) {
    case Operand::kMemory:
      s.forbidden = kControlUnused;
      s.size_mask = ~std::uint32_t{0};
      break;
    case Operand::kThread:
      s.max_object = kThreadLimit - 1;
      break;
    case Operand::kNone:
      s.max_object = 0;
      break;
    case Operand::kLock:
    case Operand::kBarrier:
    case Operand::kCount:
      break;
  }
  return s;
}

// By version. Rows beyond its kinds keep the default: every bit forbidden, and such a kind has some.
constexpr auto kShapesOfVersion = [] {
  std::array<std::array<Shape, kKindMask + 1>, kVersion + 1> shapes{};
  for (std::size_t version = 1; version <= kVersion; ++version) {
    for (int k = 0; k < kKindsOfVersion[version]; ++k) {
      shapes[version][static_cast<std::size_t>(k)] =
          shape_of(kEventKinds[static_cast<std::size_t>(k)]);
    }
  }
  return shapes;
}();

// Row: bit 0 the kind has an order, bit 1 it may be volatile; column: the attributes byte.
constexpr auto kLegalAttributes = [] {
  std::array<std::array<bool, 256>, 4> legal{};
  for (unsigned row = 0; row < 4; ++row) {
    for (unsigned a = 0; a < 256; ++a) {
      const unsigned order = a & 7, scope = (a >> kScopeShift) & 7;
      legal[row][a] = a < 128 && order < kOrderCount && scope < kScopeCount &&
                      (order != 0) == ((row & 1) != 0) &&
                      ((a & kVolatileBit) == 0 || (row & 2) != 0);
    }
  }
  return legal;
}();

constexpr std::array<std::uint64_t, 8> kObjectMask{
    0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, ~std::uint64_t{0}};
constexpr std::array<std::uint32_t, 4> kSourceMask{0, 0xff, 0xffff, 0xffffffff};

template <typename T>
T load(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

[[gnu::cold]] const char* control_fault(unsigned control, unsigned version) {
  if ((control & kKindMask) >= static_cast<unsigned>(kKindsOfVersion[version]))
    return "unknown kind of event";
  if ((control & kControlUnused) != 0) return "unused bit of the control word set";
  const Shape& s = kShapesOfVersion[version][control & kKindMask];
  if ((control & s.required) != s.required) return "no memory order for a kind that needs one";
  return "a size where this kind has none";
}

}  // namespace

DecodeFault decode_events(const std::uint8_t* raw, std::size_t raw_bytes, std::span<Slot> slots,
                          std::span<Event> out, unsigned version) {
  const auto& shapes = kShapesOfVersion[version];
  const std::uint8_t* const end = raw + raw_bytes;
  const std::uint8_t* p = raw;
  const std::uint8_t* start = raw;
  std::size_t known_slots = 0;
  Slot* slot = slots.data();
  std::size_t i = 0;
  const auto fault = [&](const char* what) {
    return DecodeFault{what, static_cast<std::uint32_t>(i), static_cast<std::size_t>(start - raw)};
  };
  if (out.empty() || (load<std::uint16_t>(p) & kThreadChanged) == 0)
    return fault("no thread given for the first event of a block");

  for (; i < out.size(); ++i) {
    start = p;
    if (__builtin_expect(p >= end, 0)) return fault("the block ends before this event");
    const unsigned control = load<std::uint16_t>(p);
    p += 2;
    const Shape& shape = shapes[control & kKindMask];
    if (__builtin_expect(((control & shape.forbidden) | (~control & shape.required)) != 0, 0))
      return fault(control_fault(control, version));

    if (__builtin_expect((control & kThreadChanged) != 0, 0)) {
      const std::size_t number = load<std::uint16_t>(p);
      p += 2;
      if (number >= known_slots) {
        const std::uint32_t thread = load<std::uint32_t>(p);
        p += 4;
        if (number > known_slots) return fault("thread slot used before its number was given");
        if (thread >= kThreadLimit) return fault("thread number not below 2^24");
        slots[known_slots++] = Slot{.thread = thread};
      }
      slot = &slots[number];
    }
    unsigned attributes = 0;
    if ((control & kHasAttributes) != 0) {
      attributes = *p++;
      if (__builtin_expect(!kLegalAttributes[shape.attributes][attributes], 0))
        return fault("order, scope or volatile that this kind cannot have");
    }

    const unsigned object_code = (control >> kObjectShift) & 7;
    const std::uint64_t object =
        slot->last[shape.operand] + unzigzag(load<std::uint64_t>(p) & kObjectMask[object_code]);
    p += kObjectBytes[object_code];
    slot->last[shape.operand] = object;

    const unsigned source_code = (control >> kSourceShift) & 3;
    const std::uint32_t source =
        slot->source + unzigzag32(load<std::uint32_t>(p) & kSourceMask[source_code]);
    p += kSourceBytes[source_code];
    slot->source = source;

    const unsigned size_code = control >> kSizeShift;
    std::uint32_t size = (1u << size_code) & shape.size_mask;
    if (__builtin_expect(size_code == kExplicitSize, 0)) {
      size = load<std::uint32_t>(p);
      p += 4;
      if (size == 0 || size > kMaxAccessSize) return fault("size not in 1..2^31");
    }
    if (__builtin_expect(object > shape.max_object - size, 0))
      return fault("address, size or thread operand out of range");

    out[i] = Event{.kind = static_cast<EventKind>(control & kKindMask),
                   .order = static_cast<Order>(attributes & 7),
                   .scope = static_cast<Scope>((attributes >> kScopeShift) & 7),
                   .is_volatile = (attributes & kVolatileBit) != 0,
                   .thread = ThreadId{slot->thread},
                   .object = object,
                   .size = size,
                   .source = SourceId{source}};
  }
  if (p != end) {
    start = p;
    return fault(p > end ? "the block ends inside its last event" : "bytes behind the last event");
  }
  return DecodeFault{};
}

}  // namespace redflag::rft
