#include "frontends/pgas/track/record.h"

#include <algorithm>
#include <array>
#include <limits>

namespace redflag::pgas {
namespace {

constexpr std::size_t kRecent = 8;  // shapes that take turns

// What of a shape travels as it is.
struct Body {
  std::uint64_t window;
  std::uint64_t source;
  std::uint32_t issued;  // the place of what was known, in the batch
  std::uint32_t index;   // of the thread
  AccessKind kind;
  std::uint8_t any_operation;
  std::uint16_t type;
  std::uint16_t atomic_operation;
  std::uint16_t element;
};
static_assert(sizeof(Body) == 32);

bool is_sound(const Body& body, std::size_t knowledge) {
  return static_cast<std::size_t>(body.kind) < kAccessKindCount && body.element != 0 &&
         body.issued < knowledge;
}

}  // namespace

Stride stride_of(std::span<const Piece> pieces) {
  constexpr std::size_t kWorthIt = 4;
  if (pieces.size() < kWorthIt) return {};
  const std::uint64_t element = pieces[0].size;
  const std::uint64_t step = pieces[1].offset - pieces[0].offset;
  if (element == 0 || step <= element || step > std::numeric_limits<std::uint32_t>::max())
    return {};
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i].size != element || pieces[i].offset - pieces[i - 1].offset != step) return {};
  }
  return {static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(element)};
}

void write_knowledge(const Knowledge& known, Bytes& to) {
  Writer out(to);
  out.put(known.phase());
  out.put_all(std::span(known.known()));
  out.put_all(std::span(known.exceptions()));
  out.put_all(std::span(known.held()));
}

Knowledge read_knowledge(Reader& from) {
  Knowledge made;
  const auto phase = from.take<std::uint32_t>();
  const std::vector<Knowledge::Known> known = from.take_all<Knowledge::Known>();
  std::vector<ThreadName> exceptions = from.take_all<ThreadName>();
  std::sort(exceptions.begin(), exceptions.end());
  made.enter(phase, std::move(exceptions));
  for (const Knowledge::Known& each : known) made.learn(each);
  for (const RankLock& each : from.take_all<RankLock>()) made.hold(each);
  return made;
}

std::uint32_t Batch::shape(const Shape& shape, std::span<const Piece> pieces) {
  const std::size_t n = shapes_.size();
  for (std::size_t i = n; i > 0 && i + kRecent > n; --i) {
    const RecordShape& each = shapes_[i - 1];
    if (static_cast<const Shape&>(each) == shape &&
        std::equal(each.pieces.begin(), each.pieces.end(), pieces.begin(), pieces.end())) {
      return static_cast<std::uint32_t>(i - 1);
    }
  }
  shapes_.push_back({shape, {pieces.begin(), pieces.end()}});
  return static_cast<std::uint32_t>(n);
}

std::size_t Batch::forget_records() {
  const std::size_t n = records_.size();
  sent_ += n;
  ++generation_;
  shapes_.clear();
  fates_.clear();
  records_.clear();
  return n;
}

Bytes Batch::encode(std::uint32_t for_rank, Sources& sources) {
  Bytes bytes;
  if (size() == 0) return bytes;
  Writer out(bytes);
  Bytes told;
  std::uint32_t places = 0;
  Bytes known;
  std::uint32_t knowledge = 0;
  Bytes shapes;
  const Knowledge* last = nullptr;
  for (const RecordShape& s : shapes_) {
    places += sources.tell(for_rank, s.source, told) ? 1 : 0;
    if (s.issued.get() != last) {
      last = s.issued.get();
      write_knowledge(*last, known);
      ++knowledge;
    }
    Writer to(shapes);
    to.put(Body{s.object, s.source, knowledge - 1, s.by.index, s.kind,
                static_cast<std::uint8_t>(s.atomicity.any_operation ? 1 : 0), s.atomicity.type,
                s.atomicity.operation, s.atomicity.element});
    to.put_all(std::span(s.pieces));
  }
  bytes.reserve(told.size() + known.size() + shapes.size() + fates_.size() * sizeof(RecordFate) +
                records_.size() * sizeof(Record) +
                (completions_.size() + deliveries_.size()) * sizeof(Completion) + 64);
  out.put(sent_);
  out.put(places);
  bytes.insert(bytes.end(), told.begin(), told.end());
  out.put(knowledge);
  bytes.insert(bytes.end(), known.begin(), known.end());
  out.put(static_cast<std::uint32_t>(shapes_.size()));
  bytes.insert(bytes.end(), shapes.begin(), shapes.end());
  out.put_all(std::span<const RecordFate>(fates_));
  out.put(static_cast<std::uint32_t>(records_.size()));
  records_.for_each([&](const Record& each) { out.put(each); });
  out.put_all(std::span<const Completion>(completions_));
  out.put_all(std::span<const Completion>(deliveries_));
  (void)forget_records();
  completions_.clear();
  deliveries_.clear();
  return bytes;
}

bool read_batch(std::uint32_t from, std::span<const std::byte> bytes, Sources& sources,
                BatchContents& to) {
  to = {};
  if (bytes.empty()) return true;
  Reader in(bytes);
  to.before = in.take<std::uint64_t>();
  for (std::uint32_t n = in.take_count(1); n > 0; --n) {
    if (!sources.learn(in)) return false;
  }
  std::vector<std::shared_ptr<const Knowledge>> knowledge;
  for (std::uint32_t n = in.take_count(16); n > 0; --n) {
    knowledge.push_back(std::make_shared<const Knowledge>(read_knowledge(in)));
  }
  for (std::uint32_t n = in.take_count(sizeof(Body)); n > 0 && in.ok(); --n) {
    const auto body = in.take<Body>();
    if (!is_sound(body, knowledge.size())) return false;
    RecordShape& made = to.shapes.emplace_back();
    made.kind = body.kind;
    made.atomicity = {body.type, body.atomic_operation, body.element, body.any_operation != 0};
    made.by = {from, body.index};
    made.issued = knowledge[body.issued];
    made.object = body.window;
    made.source = body.source;
    made.pieces = in.take_all<Piece>();
  }
  to.fates = in.take_all<RecordFate>();
  to.records = in.take_all<Record>();
  to.completions = in.take_all<Completion>();
  to.deliveries = in.take_all<Completion>();
  return in.ok() && std::all_of(to.records.begin(), to.records.end(), [&](const Record& each) {
           return each.shape < to.shapes.size() && each.fate < to.fates.size();
         });
}

}  // namespace redflag::pgas
