#include "frontends/pgas/track/record.h"

namespace redflag::pgas {
namespace {

enum class Tag : std::uint8_t { kSource = 1, kKnowledge, kRecord, kCompletion };

// What of a record travels as it is.
struct Body {
  std::uint64_t window;
  std::int64_t displacement;
  Piece piece;
  std::uint64_t operation;
  Time completed;
  ThreadName completed_by;
  Time delivered;
  ThreadName delivered_by;
  std::uint64_t source;
  std::uint32_t index;  // of the thread
  AccessKind kind;
  std::uint8_t any_operation;
  std::uint16_t type;
  std::uint16_t atomic_operation;
  std::uint16_t element;
  std::uint32_t unused;
};
static_assert(sizeof(Body) == 112);

}  // namespace

void write_knowledge(const Knowledge& known, Bytes& to) {
  Writer out(to);
  out.put(known.phase());
  out.put(static_cast<std::uint32_t>(known.known().size()));
  for (const Knowledge::Known& each : known.known()) out.put(each);
  out.put(static_cast<std::uint32_t>(known.exceptions().size()));
  for (const ThreadName& each : known.exceptions()) out.put(each);
}

Knowledge read_knowledge(Reader& from) {
  Knowledge made;
  const auto phase = from.take<std::uint32_t>();
  std::vector<Knowledge::Known> known;
  for (std::uint32_t n = from.take_count(sizeof(Knowledge::Known)); n > 0; --n) {
    known.push_back(from.take<Knowledge::Known>());
  }
  std::vector<ThreadName> exceptions;
  for (std::uint32_t n = from.take_count(sizeof(ThreadName)); n > 0; --n) {
    exceptions.push_back(from.take<ThreadName>());
  }
  std::sort(exceptions.begin(), exceptions.end());
  made.enter(phase, std::move(exceptions));
  for (const Knowledge::Known& each : known) made.learn(each.thread, each.counter);
  return made;
}

Bytes Batch::encode(std::uint32_t for_rank, Sources& sources) {
  Bytes bytes;
  Writer out(bytes);
  const Knowledge* last = nullptr;
  for (const Record& r : records_) {
    Bytes told;
    sources.tell(for_rank, r.source, told);
    if (!told.empty()) {
      out.put(Tag::kSource);
      bytes.insert(bytes.end(), told.begin(), told.end());
    }
    if (r.issued.get() != last) {
      last = r.issued.get();
      out.put(Tag::kKnowledge);
      write_knowledge(*last, bytes);
    }
    out.put(Tag::kRecord);
    out.put(Body{r.window, r.displacement, r.piece, r.operation, r.completed, r.completed_by,
                 r.delivered, r.delivered_by, r.source, r.by.index, r.kind,
                 static_cast<std::uint8_t>(r.atomicity.any_operation ? 1 : 0), r.atomicity.type,
                 r.atomicity.operation, r.atomicity.element, 0});
  }
  for (const Completion& each : completions_) {
    out.put(Tag::kCompletion);
    out.put(each);
  }
  records_.clear();
  completions_.clear();
  return bytes;
}

bool BatchReader::read(std::uint32_t rank, std::span<const std::byte> bytes) const {
  Reader in(bytes);
  std::shared_ptr<const Knowledge> issued;
  while (!in.at_end()) {
    switch (in.take<Tag>()) {
      case Tag::kSource:
        if (!sources->learn(in)) return false;
        break;
      case Tag::kKnowledge:
        issued = std::make_shared<const Knowledge>(read_knowledge(in));
        break;
      case Tag::kRecord: {
        const auto body = in.take<Body>();
        if (!in.ok() || issued == nullptr ||
            static_cast<std::size_t>(body.kind) >= kAccessKindCount || body.element == 0) {
          return false;
        }
        Record made;
        made.window = body.window;
        made.displacement = body.displacement;
        made.piece = body.piece;
        made.kind = body.kind;
        made.atomicity = {body.type, body.atomic_operation, body.element, body.any_operation != 0};
        made.by = {rank, body.index};
        made.operation = body.operation;
        made.completed = body.completed;
        made.completed_by = body.completed_by;
        made.delivered = body.delivered;
        made.delivered_by = body.delivered_by;
        made.source = body.source;
        made.issued = issued;
        record(std::move(made));
        break;
      }
      case Tag::kCompletion: {
        const auto done = in.take<Completion>();
        if (in.ok()) completion(rank, done);
        break;
      }
      default:
        return false;
    }
  }
  return in.ok();
}

}  // namespace redflag::pgas
