#include "frontends/pgas/track/summary.h"

#include <algorithm>
#include <optional>

namespace redflag::pgas {
namespace {

constexpr std::size_t kMostClasses = 256;  // of a batch: with more it is sent

// As it travels. Places are as records have them: the owner knows where they are.
struct Class {
  std::uint64_t object = 0;
  std::int64_t lowest = 0;  // displacement
  std::int64_t highest = 0;
  std::uint64_t displacements = 0;  // bits in which some differ from the lowest
  std::int64_t begin = 0;           // of bytes from the displacement
  std::int64_t end = 0;
  std::uint64_t offsets = 0;  // bits in which some pieces differ from `begin`
  std::uint32_t first_phase = 0;
  std::uint32_t last_phase = 0;
  AccessKind kind = AccessKind::kLoad;
  std::uint8_t any_operation = 0;
  std::uint16_t type = 0;
  std::uint16_t operation = 0;
  std::uint16_t element = 1;

  bool is_like(const Class& other) const {
    return object == other.object && kind == other.kind && type == other.type &&
           operation == other.operation && element == other.element &&
           any_operation == other.any_operation && first_phase == other.first_phase;
  }
};
static_assert(sizeof(Class) == 72);

// What all records of a shape have in common.
Class class_of(const RecordShape& shape) {
  Class made;
  made.object = shape.object;
  made.first_phase = made.last_phase = shape.issued->phase();
  made.kind = shape.kind;
  made.any_operation = shape.atomicity.any_operation ? 1 : 0;
  made.type = shape.atomicity.type;
  made.operation = shape.atomicity.operation;
  made.element = shape.atomicity.element;
  bool is_first = true;
  for (const Piece& piece : shape.pieces) {
    const auto begin = static_cast<std::int64_t>(piece.offset);
    const std::int64_t end = begin + static_cast<std::int64_t>(piece.size);
    if (is_first) {
      made.begin = begin;
      made.end = end;
    }
    is_first = false;
    made.offsets |= piece.offset ^ shape.pieces[0].offset;
    made.begin = std::min(made.begin, begin);
    made.end = std::max(made.end, end);
  }
  return made;
}

class Summarizer {
 public:
  Summarizer(const Batch& batch, const Knowledge& of_all) : batch_(batch), of_all_(of_all) {
    for (const RecordFate& each : batch.fates()) is_over_.push_back(is_over(each));
  }

  Bytes run() {
    batch_.records().for_each([&](const Record& each) { add(each); });
    Bytes bytes;
    Writer out(bytes);
    out.put(static_cast<std::uint8_t>(may_stay_ && classes_.size() <= kMostClasses ? 1 : 0));
    out.put_all(std::span<const Class>(classes_));
    return bytes;
  }

 private:
  // For all records that have this fate?
  bool is_over(const RecordFate& fate) const {
    return fate.completed != kPending && of_all_.knows(fate.completed_by, fate.completed);
  }

  void add(const Record& record) {
    if (record.shape != shape_) begin(record.shape, record.displacement);
    Class& c = classes_[class_];
    c.displacements |=
        static_cast<std::uint64_t>(record.displacement) ^ static_cast<std::uint64_t>(c.lowest);
    c.lowest = std::min(c.lowest, record.displacement);
    c.highest = std::max(c.highest, record.displacement);
    if (record.fate == fate_) return;
    fate_ = record.fate;
    const RecordFate& fate = batch_.fates()[fate_];
    c.last_phase = std::max(c.last_phase, fate.completed.phase);
    may_stay_ = may_stay_ && is_over_[fate_];
  }

  void begin(std::uint32_t number, std::int64_t displacement) {
    shape_ = number;
    fate_ = kNone;
    const RecordShape& shape = batch_.shapes()[number];
    may_stay_ = may_stay_ && shape.issued->exceptions().empty();
    Class made = class_of(shape);
    const auto at = std::find_if(classes_.begin(), classes_.end(),
                                 [&](const Class& each) { return each.is_like(made); });
    if (at == classes_.end()) {
      made.lowest = made.highest = displacement;
      class_ = classes_.size();
      classes_.push_back(made);
      return;
    }
    at->offsets |= made.offsets | static_cast<std::uint64_t>(made.begin ^ at->begin);
    at->begin = std::min(at->begin, made.begin);
    at->end = std::max(at->end, made.end);
    class_ = static_cast<std::size_t>(at - classes_.begin());
  }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  const Batch& batch_;
  const Knowledge& of_all_;
  std::vector<bool> is_over_;  // by fate
  std::vector<Class> classes_;
  bool may_stay_ = true;
  std::uint32_t shape_ = kNone;  // of the last record
  std::uint32_t fate_ = kNone;
  std::size_t class_ = 0;
};

// Numbers that differ in these bits only, times `unit`: all a multiple of `element` apart?
bool are_in_step(std::uint64_t bits, std::uint64_t unit, std::uint64_t element) {
  if (bits == 0) return true;
  return (bits & (~bits + 1)) * unit % element == 0;
}

std::optional<AccessClass> at_owner(const Class& c, std::uint32_t from, const Windows& windows) {
  const Window* const window = windows.find(c.object);
  if (window == nullptr) return {};  // no record of it counts
  const std::uint64_t unit = window->is_dynamic ? 1 : window->unit;
  const std::uint64_t base = window->is_dynamic ? 0 : window->base;
  AccessClass made;
  made.like.kind = c.kind;
  made.like.atomicity = {c.type, c.operation, c.element, c.any_operation != 0};
  made.like.object = c.object;
  if (info(c.kind).is_local) made.like.by.rank = from;
  made.begin =
      base + static_cast<std::uint64_t>(c.lowest) * unit + static_cast<std::uint64_t>(c.begin);
  made.end =
      base + static_cast<std::uint64_t>(c.highest) * unit + static_cast<std::uint64_t>(c.end);
  made.first_phase = c.first_phase;
  made.last_phase = c.last_phase;
  if (!info(c.kind).is_atomic) return made;
  if (are_in_step(c.displacements, unit, c.element) && are_in_step(c.offsets, 1, c.element)) {
    made.step = made.begin % c.element;
  } else {
    made.like.kind = AccessKind::kPut;  // elements are cut differently: as if nothing were atomic
  }
  return made;
}

}  // namespace

Bytes summary_of(const Batch& batch, const Knowledge& of_all) {
  return batch.records().empty() ? Bytes() : Summarizer(batch, of_all).run();
}

std::vector<bool> needed(const std::vector<Bytes>& summaries, const Phase& own,
                         const Windows& windows, bool needs_all) {
  std::vector<bool> needs_each(summaries.size(), true);
  std::vector<AccessClass> all;
  if (needs_all || !own.classes(all)) return needs_each;
  std::vector<bool> needs = needs_each;
  std::vector<std::uint32_t> from(all.size(), static_cast<std::uint32_t>(summaries.size()));
  for (std::uint32_t rank = 0; rank < summaries.size(); ++rank) {
    if (summaries[rank].empty()) {
      needs[rank] = false;
      continue;
    }
    Reader in(summaries[rank]);
    needs[rank] = in.take<std::uint8_t>() == 0;
    for (const Class& each : in.take_all<Class>()) {
      if (static_cast<std::size_t>(each.kind) >= kAccessKindCount || each.element == 0) {
        return needs_each;
      }
      if (const std::optional<AccessClass> made = at_owner(each, rank, windows)) {
        all.push_back(*made);
        from.push_back(rank);
      }
    }
    if (!in.ok()) return needs_each;
  }
  find_alone(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].is_alone && from[i] < needs.size()) needs[from[i]] = true;
  }
  return needs;
}

}  // namespace redflag::pgas
