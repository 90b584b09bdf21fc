// The other half of Job: what was gathered goes to its owners, is checked there, and races go to rank 0.
#include <algorithm>

#include "frontends/pgas/track/counts.h"
#include "frontends/pgas/track/job.h"
#include "frontends/pgas/track/summary.h"
#include "frontends/pgas/wire/line.h"

namespace redflag::pgas {
namespace {

constexpr std::size_t kMostReported = 10'000;  // pairs of places
// Accesses that are kept though the phase has ended: a thread that knows nothing of it may still race with
// them.
constexpr std::size_t kKeptForOthers = 1U << 15;

constexpr std::uint64_t kMostOfAFlag = 8;  // bytes

}  // namespace

// Many records: which of them does anybody need? All that was sent before has arrived.
void Job::ask_owners(const Knowledge& of_all) {
  std::vector<Bytes> summaries;
  for (const Batch& each : batches_) summaries.push_back(summary_of(each, of_all));
  summaries = transport_.all_to_all(summaries);
  take_arrived();
  const bool has_threads = runtime_ != nullptr && runtime_->threads() > 1;
  const std::vector<bool> needs = needed(summaries, phase_, windows_, has_threads);
  std::vector<Bytes> answers(batches_.size());
  for (std::size_t rank = 0; rank < answers.size(); ++rank) {
    if (needs[rank]) answers[rank].push_back(std::byte{1});
  }
  answers = transport_.all_to_all(answers);
  for (std::size_t rank = 0; rank < answers.size(); ++rank) {
    if (answers[rank].empty()) records_ -= batches_[rank].forget_records();
  }
}

void Job::exchange() {
  exchanged_ = std::chrono::steady_clock::now();
  exchanged_phase_ = phase_number_;
  std::vector<Bytes> to_each;
  for (std::uint32_t rank = 0; rank < batches_.size(); ++rank) {
    const Bytes batch = batches_[rank].encode(rank, sources_);
    if (!batch.empty()) outgoing_[rank].add(FrameKind::kBatch, batch);
    to_each.push_back(outgoing_[rank].take_all());
  }
  count(counts().records, records_);
  const std::vector<Bytes> from_each = transport_.all_to_all(to_each);
  take_arrived();  // what came by the window comes first
  for (std::uint32_t rank = 0; rank < from_each.size(); ++rank) {
    incoming_[rank].add(from_each[rank]);
    take_frames(rank, false);
  }
  records_ = unsent_ = 0;
  to_tell_.clear();
}

void Job::take_frames(std::uint32_t from, bool or_later) {
  BatchContents batch;
  while (const std::optional<Frame> frame = incoming_[from].next()) {
    if (frame->kind == FrameKind::kLines) {
      report({reinterpret_cast<const char*>(frame->bytes.data()), frame->bytes.size()});
    } else if (read_batch(from, frame->bytes, sources_, batch)) {
      take_in(from, batch, or_later);
    }
  }
}

void Job::take_in(std::uint32_t from, const BatchContents& batch, bool or_later) {
  std::vector<std::uint32_t> shapes;
  std::vector<std::uint32_t> fates;
  std::vector<Stride> strides;
  for (const RecordShape& each : batch.shapes) {
    Shape shape = each;
    strides.push_back(info(each.kind).is_atomic ? Stride{} : stride_of(each.pieces));
    shape.step = strides.back().step;
    shape.element = strides.back().element;
    shapes.push_back(phase_.shape(shape));
  }
  for (const RecordFate& each : batch.fates) {
    fates.push_back(phase_.fate(each));
    if (each.number != 0) phase_.expect(from, each.number, fates.back());
  }
  for (std::size_t k = 0; k < batch.records.size(); ++k) {
    const Record& record = batch.records[k];
    const RecordShape& shape = batch.shapes[record.shape];
    std::uint32_t fate = fates[record.fate];
    if (options_.model == Model::kShmem && writes(shape) && shape.pieces.size() == 1 &&
        shape.pieces[0].size <= kMostOfAFlag) {
      fate = phase_.deliverable(from, batch.before + k + 1, batch.fates[record.fate].number, fate,
                                or_later);
    }
    if (strides[record.shape].step != 0) {
      const Piece& first = shape.pieces.front();
      const Piece& last = shape.pieces.back();
      const std::uint64_t size = last.offset + last.size - first.offset;
      const std::optional<std::uint64_t> begin =
          windows_.address(shape.object, record.displacement, first.offset, size);
      if (begin) phase_.add({*begin, *begin + size, record.at, shapes[record.shape], fate});
      continue;
    }
    for (const Piece& piece : shape.pieces) {
      const std::optional<std::uint64_t> address =
          windows_.address(shape.object, record.displacement, piece.offset, piece.size);
      if (!address) continue;
      phase_.add({*address, *address + piece.size, record.at, shapes[record.shape], fate});
    }
  }
  // What is complete is fenced no more.
  for (const Completion& each : batch.deliveries) {
    phase_.deliver_operation(from, each.number, each.time, each.by);
  }
  for (const Completion& each : batch.completions) {
    phase_.complete(from, each.number, each.time, each.by);
  }
  phase_.arrived(from, batch.before + batch.records.size());
}

std::string Job::line_of(const Race& race) const {
  RaceLine line;
  line.model = static_cast<std::uint32_t>(options_.model);
  line.gap = static_cast<std::uint32_t>(gap_of(race));
  line.owner = transport_.rank();
  line.begin = race.begin;
  line.size = race.end - race.begin;
  const std::uint64_t object = race.first.object != 0 ? race.first.object : race.second.object;
  if (const Window* window = windows_.find(object); window != nullptr) {
    line.object = window->name;
    line.object_base = window->base;
    line.object_size = window->size;
  }
  const auto side_of = [this](const Access& access) {
    LineSide side;
    side.kind = static_cast<std::uint32_t>(access.kind);
    side.rank = access.by.rank;
    side.thread = access.by.index;
    side.pending = access.completed == kPending;
    side.begin = access.begin;
    side.size = access.end - access.begin;
    for (const CodePlace& each : sources_.stack(access.source)) {
      side.stack.push_back({each.file, each.offset, each.is_entry});
    }
    return side;
  };
  line.first = side_of(race.first);
  line.second = side_of(race.second);
  return write_line(line);
}

void Job::note(const std::vector<Race>& races) {
  for (const Race& race : races) {
    const auto places = std::minmax(race.first.source, race.second.source);
    if (race.is_predicted && reported_.contains(places)) continue;
    auto& told = race.is_predicted ? predicted_ : reported_;
    if (told.size() >= kMostReported || !told.insert(places).second) continue;
    lines_ += line_of(race) + '\n';
  }
}

void Job::lost(std::uint32_t owner, std::size_t accesses) {
  if (accesses != 0) lines_ += write_line(LossLine{owner, accesses}) + '\n';
}

void Job::report(std::string_view lines) const {
  for (std::size_t end = lines.find('\n'); end != std::string_view::npos; end = lines.find('\n')) {
    if (options_.report) options_.report(std::string(lines.substr(0, end)));
    lines.remove_prefix(end + 1);
  }
}

std::size_t Job::kept_for_others() const {
  const bool is_alone = runtime_ == nullptr || runtime_->threads() <= 1;
  return is_alone ? 0 : kKeptForOthers;
}

void Job::check(const Knowledge& of_all) {
  for (Phase* const each : {&phase_, &own_}) {
    note(each->check(options_.predicts));
    each->end(of_all, kept_for_others());
  }
  forget_alikes();
  if (open_buffers_ == 0) windows_.forget_freed();
  const Bytes mine(reinterpret_cast<const std::byte*>(lines_.data()),
                   reinterpret_cast<const std::byte*>(lines_.data() + lines_.size()));
  lines_.clear();
  for (const Bytes& each : transport_.gather(mine)) {
    report({reinterpret_cast<const char*>(each.data()), each.size()});
  }
  rest();
}

}  // namespace redflag::pgas
