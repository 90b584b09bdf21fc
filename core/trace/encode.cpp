#include "core/trace/encode.h"

#include "core/base/check.h"

namespace redflag::rft {
namespace {

constexpr unsigned kTableBits = 15;
constexpr std::uint32_t kTableSize = 1u << kTableBits;
static_assert(kTableSize >= 2 * kEventsPerBlock);

template <typename T>
void store(std::uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof(value));
}

constexpr unsigned object_code(std::uint64_t coded) {
  const unsigned bytes = (static_cast<unsigned>(std::bit_width(coded)) + 7) / 8;
  return bytes <= 6 ? bytes : 7;
}

constexpr unsigned source_code(std::uint32_t coded) {
  return coded == 0 ? 0 : coded < 256 ? 1 : coded < 65536 ? 2 : 3;
}

constexpr unsigned size_code(const Event& e) {
  if (!is_access(e.kind)) return 0;
  if (!std::has_single_bit(e.size) || e.size > 64) return kExplicitSize;
  return static_cast<unsigned>(std::countr_zero(e.size));
}

constexpr unsigned attributes_of(const Event& e) {
  return raw(e.order) | (unsigned{raw(e.scope)} << kScopeShift) |
         (e.is_volatile ? kVolatileBit : 0);
}

}  // namespace

BlockEncoder::BlockEncoder()
    : buffer_(kEventsPerBlock * kMaxEventBytes + kPadding), table_(kTableSize) {
  slots_.reserve(kEventsPerBlock);  // slot_ points into it
}

Slot* BlockEncoder::change_thread(ThreadId thread, std::uint8_t*& p) {
  const std::uint32_t number = redflag::raw(thread);
  std::uint32_t at = number * 2654435769u >> (32 - kTableBits);
  while (table_[at] != 0 && slots_[table_[at] - 1].thread != number) at = (at + 1) % kTableSize;
  const bool is_new = table_[at] == 0;
  if (is_new) {
    slots_.push_back(Slot{.thread = number});
    taken_.push_back(at);
    table_[at] = static_cast<std::uint32_t>(slots_.size());
  }
  Slot* const slot = &slots_[table_[at] - 1];
  store(p, static_cast<std::uint16_t>(table_[at] - 1));
  p += 2;
  if (is_new) {
    store(p, number);
    p += 4;
  }
  return slot;
}

void BlockEncoder::add(const Event& e) {
  REDFLAG_DCHECK(!is_full());
  std::uint8_t* const start = buffer_.data() + used_;
  std::uint8_t* p = start + 2;
  unsigned control = static_cast<unsigned>(e.kind);
  if (slot_ == nullptr || slot_->thread != redflag::raw(e.thread)) {
    control |= kThreadChanged;
    slot_ = change_thread(e.thread, p);
  }
  if (const unsigned attributes = attributes_of(e); attributes != 0) {
    control |= kHasAttributes;
    *p++ = static_cast<std::uint8_t>(attributes);
  }
  std::uint64_t& last = slot_->last[operand_class(e.kind)];
  const std::uint64_t object = zigzag(e.object - last);
  last = e.object;
  store(p, object);
  control |= object_code(object) << kObjectShift;
  p += kObjectBytes[object_code(object)];

  const std::uint32_t source = zigzag32(redflag::raw(e.source) - slot_->source);
  slot_->source = redflag::raw(e.source);
  store(p, source);
  control |= source_code(source) << kSourceShift;
  p += kSourceBytes[source_code(source)];

  const unsigned size = size_code(e);
  control |= size << kSizeShift;
  if (size == kExplicitSize) {
    store(p, e.size);
    p += 4;
  }
  store(start, static_cast<std::uint16_t>(control));
  used_ = static_cast<std::size_t>(p - buffer_.data());
  ++count_;
}

void BlockEncoder::clear() {
  for (const std::uint32_t at : taken_) table_[at] = 0;
  taken_.clear();
  slots_.clear();
  slot_ = nullptr;
  used_ = 0;
  count_ = 0;
}

}  // namespace redflag::rft
